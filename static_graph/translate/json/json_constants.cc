// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "phi/core/supplied_attribute.h"
#include "phi/legacy/forms/legacy_call.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

// More elements than attributes have.
constexpr int64_t kMaxFilled = 64;
// The largest number below which a double holds every whole one.
constexpr double kMaxWhole = 9007199254740992;

// Calls `function` with a value of the C++ type of an attribute's numbers;
// false for another dtype.
template <typename Function>
bool VisitNumber(DataType dtype, Function function) {
  switch (dtype) {
    case DataType::kBool:
      return function(bool{}), true;
    case DataType::kInt32:
      return function(int32_t{}), true;
    case DataType::kInt64:
      return function(int64_t{}), true;
    case DataType::kFloat32:
      return function(float{}), true;
    case DataType::kFloat64:
      return function(double{}), true;
    default:
      return false;
  }
}

bool IsIntegral(AttrType type) {
  return type == AttrType::kInt || type == AttrType::kInt64 ||
         type == AttrType::kInts || type == AttrType::kInt64s;
}

// Whole numbers that a program holds as floating ones, such as extents that
// are filled with a tensor's dtype.
void UseIntegers(phi::SuppliedNumbers* numbers) {
  const auto is_whole = [](double number) {
    return std::trunc(number) == number && std::abs(number) <= kMaxWhole;
  };
  if (!numbers->integers.empty() ||
      !std::all_of(numbers->numbers.begin(), numbers->numbers.end(),
                   is_whole)) {
    return;
  }
  for (const double number : numbers->numbers) {
    numbers->integers.push_back(static_cast<int64_t>(number));
  }
  numbers->numbers.clear();
}

absl::StatusOr<ir::Value> BuildConstant(ir::Builder& builder,
                                        const Shape& shape, DataType dtype,
                                        std::string_view bytes) {
  ir::Context* const context = builder.context();
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      context->GetConstant(context->GetTensorType(dtype, shape), bytes));
  return builder.Constant(constant);
}

// Adds the elements of a constant; false for a value that is none.
bool AddNumbers(ir::Value value, phi::SuppliedNumbers* numbers) {
  const ir::Operation* op = value.defining_op();
  if (op == nullptr || !op->has<ir::ConstantTrait>()) return false;
  const ir::Attribute constant = op->attribute(ir::kValue);
  const std::string_view bytes = constant.bytes();
  return VisitNumber(constant.constant_type().dtype(), [&](auto number) {
    using Number = decltype(number);
    for (size_t at = 0; at < bytes.size(); at += sizeof(Number)) {
      std::memcpy(&number, bytes.data() + at, sizeof(Number));
      if constexpr (std::is_floating_point_v<Number>) {
        numbers->numbers.push_back(number);
      } else {
        numbers->integers.push_back(number);
      }
    }
  });
}

// Whether the operation's result has the elements of its operands, one after
// another: op.stack of scalars, op.concat of rows.
bool JoinsInARow(const ir::Operation& op) {
  const DialectOp* record = FindDialectOp(op);
  if (record == nullptr || op.num_results() != 1) return false;
  const std::string_view name = record->info->name;
  const int rank = name == "stack" ? 0 : 1;
  if (name != "stack" && name != "concat") return false;
  for (int i = 0; i < op.num_operands(); ++i) {
    if (op.operand(i).tensor_type().shape().rank() != rank) return false;
  }
  return true;
}

void AddUnstacked(ir::Value value, int depth, std::vector<ir::Value>* values) {
  constexpr int kMaxDepth = 8;
  const ir::Operation* op = value.defining_op();
  if (op == nullptr || depth > kMaxDepth || !JoinsInARow(*op)) {
    values->push_back(value);
    return;
  }
  for (int i = 0; i < op->num_operands(); ++i) {
    AddUnstacked(op->operand(i), depth + 1, values);
  }
}

}  // namespace

absl::StatusOr<ir::Value> BuildFilled(ir::Builder& builder, const Shape& shape,
                                      const Scalar& value, DataType dtype) {
  SY_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  if (count > kMaxFilled) return ir::Value();
  std::string bytes;
  const bool fits = VisitNumber(dtype, [&](auto number) {
    number = value.to<decltype(number)>();
    for (int64_t i = 0; i < count; ++i) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
  });
  if (!fits) return ir::Value();
  return BuildConstant(builder, shape, dtype, bytes);
}

absl::StatusOr<ir::Value> BuildIntegers(ir::Builder& builder,
                                        absl::Span<const int64_t> elements) {
  Shape shape;
  shape.push_back(Dim(static_cast<int64_t>(elements.size())));
  const std::string_view bytes(reinterpret_cast<const char*>(elements.data()),
                               elements.size() * sizeof(int64_t));
  return BuildConstant(builder, shape, DataType::kInt64, bytes);
}

std::vector<ir::Value> Unstacked(absl::Span<const ir::Value> values) {
  std::vector<ir::Value> flat;
  for (const ir::Value value : values) AddUnstacked(value, 0, &flat);
  return flat;
}

absl::StatusOr<std::optional<Attribute>> KnownAttribute(
    std::string_view name, absl::Span<const ir::Value> values, AttrType to) {
  phi::SuppliedNumbers numbers;
  for (const ir::Value value : values) {
    if (!AddNumbers(value, &numbers)) return std::nullopt;
  }
  if (IsIntegral(to)) UseIntegers(&numbers);
  if (to == AttrType::kInt || to == AttrType::kInt64 ||
      to == AttrType::kInt64s || to == AttrType::kScalar) {
    SY_ASSIGN_OR_RETURN(Attribute known, phi::MakeAttribute(name, numbers, to));
    return known;
  }
  if (to == AttrType::kInts && numbers.numbers.empty()) {
    const absl::Span<const int64_t> list = numbers.integers;
    SY_ASSIGN_OR_RETURN(Attribute known,
                        phi::ConvertAttribute(name, AttrRef(list), to));
    return known;
  }
  SY_ASSIGN_OR_RETURN(const Attribute scalar,
                      phi::MakeAttribute(name, numbers, AttrType::kScalar));
  const Scalar& number = scalar.ref().Get<const Scalar&>();
  const AttrRef plain = number.is_float() ? AttrRef(number.ToDouble())
                                          : AttrRef(number.ToInt64());
  SY_ASSIGN_OR_RETURN(Attribute known, phi::ConvertAttribute(name, plain, to));
  return known;
}

}  // namespace switchyard::static_graph
