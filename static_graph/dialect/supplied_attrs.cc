// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/supplied_attrs.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

bool IsList(const phi::AttrInfo& info) {
  return info.type == AttrType::kInt64s || info.type == AttrType::kFloats;
}

bool IsFloating(const phi::AttrInfo& info) {
  return info.type == AttrType::kFloat || info.type == AttrType::kDouble ||
         info.type == AttrType::kFloats;
}

// Returns the dtypes of tensors that may supply the attribute, as text.
const char* SupplyingDtypes(const phi::AttrInfo& info) {
  if (info.type == AttrType::kScalar) return "int32, int64, float32 or float64";
  return IsFloating(info) ? "float32 or float64" : "int32 or int64";
}

// Checks one value and tells how many elements it has.
absl::StatusOr<int64_t> CountOf(const phi::AttrInfo& info, ir::Value value) {
  const ir::TensorType type = value.tensor_type();
  const bool integer = !IsFloating(info) && (type.dtype() == DataType::kInt32 ||
                                             type.dtype() == DataType::kInt64);
  const bool number = (info.type == AttrType::kScalar || IsFloating(info)) &&
                      (type.dtype() == DataType::kFloat32 ||
                       type.dtype() == DataType::kFloat64);
  if (!integer && !number) {
    return TypeError(info.name,
                     absl::StrCat("supplied as ", SupplyingDtypes(info)),
                     Name(type.dtype()));
  }
  if (type.shape().rank() > 1 || !type.shape().known()) {
    return ArgumentError(
        info.name, "supplied by tensors of a known number of elements in a row",
        ToString(type.shape()));
  }
  return type.shape().NumElements();
}

AttrValue ConstantElement(const ir::Attribute& constant, int64_t i) {
  const char* bytes = constant.bytes().data();
  if (constant.constant_type().dtype() == DataType::kInt64) {
    int64_t value = 0;
    std::memcpy(&value, bytes + i * sizeof(value), sizeof(value));
    return value;
  }
  if (constant.constant_type().dtype() == DataType::kInt32) {
    int32_t value = 0;
    std::memcpy(&value, bytes + i * sizeof(value), sizeof(value));
    return int64_t{value};
  }
  return AttrValue();  // A floating number is no extent.
}

// An element of an operation that yields extents of its first operand.
AttrValue ExtentElement(const ir::Operation& op, int64_t i) {
  const Shape& shape = op.operand(0).tensor_type().shape();
  const std::optional<int> axis = op.attribute("axis").As<int>();
  if (axis.has_value()) i = *axis < 0 ? *axis + shape.rank() : *axis;
  if (i < 0 || i >= shape.rank()) return AttrValue();
  return AttrValue::Of(shape[static_cast<int>(i)]);
}

// The element that an operation fills its result with.
AttrValue FilledElement(const ir::Operation& op, DataType dtype) {
  const std::optional<Scalar> value = op.attribute(kFilledAttr).As<Scalar>();
  if (!value.has_value()) return AttrValue();  // A tensor supplies it.
  if (dtype == DataType::kInt64) return value->to<int64_t>();
  if (dtype == DataType::kInt32) return int64_t{value->to<int32_t>()};
  return AttrValue();
}

// Returns the value that `value` is a copy of: a transform keeps the elements
// of integers, unless it casts them.
ir::Value Untransformed(ir::Value value) {
  while (const ir::Operation* op = value.defining_op()) {
    const DialectOp* record = FindDialectOp(*op);
    if (record == nullptr || !record->info->has(phi::Trait::kTransform) ||
        op->num_operands() != 1 ||
        op->operand(0).tensor_type().dtype() != value.tensor_type().dtype()) {
      break;
    }
    value = op->operand(0);
  }
  return value;
}

AttrValue ElementOf(ir::Value value, int64_t i) {
  value = Untransformed(value);
  const ir::Operation* op = value.defining_op();
  if (op == nullptr) return AttrValue();
  if (op->has<ir::ConstantTrait>()) {
    return ConstantElement(op->attribute(ir::kValue), i);
  }
  if (op->has<FilledTrait>()) {
    return FilledElement(*op, value.tensor_type().dtype());
  }
  const DialectOp* record = FindDialectOp(*op);
  const bool extents = record != nullptr &&
                       record->info->has(phi::Trait::kExtents) &&
                       op->num_operands() == 1;
  return extents ? ExtentElement(*op, i) : AttrValue();
}

}  // namespace

int NumSuppliedAttrs(const phi::OpInfo& info) {
  int count = 0;
  for (const phi::AttrInfo& attr : info.attrs) count += attr.supplied ? 1 : 0;
  return count;
}

absl::StatusOr<std::vector<AttrValue>> GetElements(
    const phi::AttrInfo& info, absl::Span<const ir::Value> values) {
  std::vector<AttrValue> elements;
  for (ir::Value value : values) {
    SY_ASSIGN_OR_RETURN(const int64_t count, CountOf(info, value));
    constexpr int64_t kMax = phi::kMaxArgElements;
    if (count > kMax - static_cast<int64_t>(elements.size())) {
      return ArgumentError(info.name,
                           absl::StrCat("of at most ", kMax, " elements"),
                           ToString(value.tensor_type().shape()));
    }
    for (int64_t i = 0; i < count; ++i) {
      elements.push_back(ElementOf(value, i));
    }
  }
  if (!IsList(info) && elements.size() != 1) {
    return ArgumentError(info.name, "supplied by one element",
                         absl::StrCat(elements.size()));
  }
  return elements;
}

}  // namespace switchyard::static_graph
