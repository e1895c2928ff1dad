// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/float16.h"
#include "phi/legacy/forms/legacy_call.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/operation.h"
#include "static_graph/translate/onnx/fold_small.h"

namespace switchyard::static_graph {
namespace {

// More elements than a list of extents, axes or sizes has.
constexpr int64_t kMaxKnown = 4096;

bool IsConstant(const ir::Operation* op) {
  return op != nullptr && op->has<ir::ConstantTrait>();
}

template <typename T, typename Number>
void AddNumbers(const char* bytes, int64_t count, std::vector<Number>* list) {
  for (int64_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, bytes + i * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    list->push_back(static_cast<Number>(number));
  }
}

// Reads the elements of the dtypes that lists have; false for others.
template <typename Number>
bool ReadNumbers(DataType dtype, const char* bytes, int64_t count,
                 std::vector<Number>* list) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kUInt8:
      AddNumbers<uint8_t>(bytes, count, list);
      return true;
    case DataType::kInt8:
      AddNumbers<int8_t>(bytes, count, list);
      return true;
    case DataType::kInt16:
      AddNumbers<int16_t>(bytes, count, list);
      return true;
    case DataType::kUInt16:
      AddNumbers<uint16_t>(bytes, count, list);
      return true;
    case DataType::kUInt32:
      AddNumbers<uint32_t>(bytes, count, list);
      return true;
    case DataType::kUInt64:
      AddNumbers<uint64_t>(bytes, count, list);
      return true;
    case DataType::kInt32:
      AddNumbers<int32_t>(bytes, count, list);
      return true;
    case DataType::kInt64:
      AddNumbers<int64_t>(bytes, count, list);
      return true;
    case DataType::kFloat32:
      AddNumbers<float>(bytes, count, list);
      return true;
    case DataType::kFloat64:
      AddNumbers<double>(bytes, count, list);
      return true;
    case DataType::kFloat16:
      AddNumbers<float16>(bytes, count, list);
      return true;
    default:
      return false;
  }
}

template <typename Number>
std::optional<std::vector<Number>> Known(ir::Value value,
                                         const OnnxProgram& model) {
  std::vector<Number> list;
  if (!value) return std::nullopt;
  const Shape& shape = value.tensor_type().shape();
  if (shape.rank() == 1 && shape[0] == Dim(0)) return list;
  if (IsConstant(value.defining_op())) {
    const ir::Attribute constant = value.defining_op()->attribute(ir::kValue);
    const TensorSpec& spec = constant.constant_type().spec();
    const absl::StatusOr<int64_t> count = spec.shape.NumElements();
    if (!count.ok() || *count > kMaxKnown ||
        !ReadNumbers(spec.dtype, constant.bytes().data(), *count, &list)) {
      return std::nullopt;
    }
    return list;
  }
  if (!value.is_argument() || value.role() != ir::ArgumentRole::kState) {
    return std::nullopt;
  }
  // A weight that lists numbers, such as the scales of a resize.
  const int number = model.blocks(0).IndexOf(value.argument_name());
  if (number < 0) return std::nullopt;
  const absl::StatusOr<DenseTensor> tensor =
      model.TensorOf(model.blocks(0).facts(number));
  if (!tensor.ok() || tensor->numel() > kMaxKnown ||
      !ReadNumbers(tensor->dtype(), tensor->data<char>(), tensor->numel(),
                   &list)) {
    return std::nullopt;
  }
  return list;
}

// Evaluates the operations after `before` that are on constants: extents and
// axes are often computed from others.
void Fold(ir::Builder& builder, const FoldConstants& fold,
          ir::Operation* before, std::vector<ir::Value>* results) {
  if (!fold) return;
  ir::Operation* op =
      before == nullptr ? builder.block()->front() : before->next();
  while (op != nullptr) {
    ir::Operation* const next = op->next();
    const std::vector<ir::Value> folded =
        FoldSmall(op, builder.context(), fold);
    for (size_t i = 0; i < folded.size(); ++i) {
      const ir::Value old = op->result(static_cast<int>(i));
      std::replace(results->begin(), results->end(), old, folded[i]);
      old.ReplaceAllUsesWith(folded[i]);
    }
    if (!folded.empty()) op->Erase();
    op = next;
  }
}

absl::StatusOr<std::vector<ir::Value>> Build(ir::Builder& builder,
                                             OnnxTranslation& translation,
                                             std::string_view name,
                                             const OnnxArguments& arguments,
                                             const OnnxAttributes& attributes) {
  const DialectOp* const op = FindOperator(*builder.context(), name);
  if (op == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the context must have the operator ", std::string(name)));
  }
  const phi::OpInfo& info = *op->info;
  phi::ArgLayout layout;
  std::vector<ir::Value> operands;
  for (const OnnxArgument& argument : arguments) {
    operands.insert(operands.end(), argument.values.begin(),
                    argument.values.end());
    layout.Add(argument.values.size());
  }
  for (size_t i = arguments.size(); i < info.inputs.size(); ++i) {
    operands.emplace_back();
    layout.Add(1);
  }
  std::vector<Attribute> known(info.attrs.size());
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    if (info.attrs[i].has_default) {
      known[i] = Attribute(info.attrs[i].default_value);
    }
  }
  std::vector<SuppliedAttr> supplied;
  for (const OnnxAttribute& attribute : attributes) {
    const int at = info.attr_index(attribute.name);
    if (at < 0) {
      return absl::InternalError(
          absl::StrCat(std::string(name), " has no ", attribute.name));
    }
    const auto index = static_cast<size_t>(at);
    if (!attribute.supplied.empty()) {
      supplied.push_back({at, attribute.supplied});
      continue;
    }
    SY_ASSIGN_OR_RETURN(known[index], phi::ConvertAttribute(
                                          attribute.name, attribute.known.ref(),
                                          info.attrs[index].type));
  }
  std::sort(supplied.begin(), supplied.end(),
            [](const SuppliedAttr& a, const SuppliedAttr& b) {
              return a.attr < b.attr;
            });
  std::vector<AttrRef> attrs;
  attrs.reserve(known.size());
  for (const Attribute& attribute : known) attrs.push_back(attribute.ref());
  BuildOpOptions options;
  options.supplied = supplied;
  ir::Operation* const before = builder.previous();
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, *op, {operands, layout.segments()}, attrs,
                             &results, options));
  Fold(builder, translation.fold, before, &results);
  SY_RETURN_IF_ERROR(translation.budget.Check());
  return results;
}

}  // namespace

void OnnxCall::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void OnnxCall::Refuse(std::string_view sentence) {
  Fail(absl::UnimplementedError(std::string(sentence)));
}

ir::Value OnnxCall::In(int input) {
  if (!ok()) return ir::Value();
  if (!Has(input)) {
    Fail(ArgumentError(absl::StrCat("input ", input), "given", "none"));
    return ir::Value();
  }
  return Checked(translation_.Read(builder_, scope_, InputName(input)));
}

std::vector<ir::Value> OnnxCall::AllInputs() {
  std::vector<ir::Value> values;
  for (int i = 0; i < inputs() && ok(); ++i) values.push_back(In(i));
  return values;
}

void OnnxCall::Out(int output, ir::Value value) {
  if (!ok() || !Wants(output)) return;
  const std::string& name = OutputName(output);
  if (!value.is_argument() && value.hint().empty()) {
    value.SetHint(builder_.context()->GetString(name));
  }
  Fail(scope_.Set(name, value));
}

std::optional<Integers> OnnxCall::KnownIntegers(ir::Value value) {
  return Known<int64_t>(value, translation_.model);
}

std::optional<std::vector<double>> OnnxCall::KnownNumbers(ir::Value value) {
  return Known<double>(value, translation_.model);
}

std::optional<Integers> OnnxCall::AttrOrInput(std::string_view name,
                                              int input) {
  if (HasAttr(name)) return Ints(name);
  if (!Has(input)) return std::nullopt;
  std::optional<Integers> known = KnownIntegers(In(input));
  if (ok() && !known.has_value()) {
    Refuse(absl::StrCat(std::string(name),
                        " must be known before the run, got a computed value"));
  }
  return known;
}

OnnxAttribute OnnxCall::Supplied(const char* ours, std::string_view name,
                                 int input, const Integers& none) {
  if (HasAttr(name)) return {ours, Ints(name)};
  if (!Has(input)) return {ours, none};
  const ir::Value value = In(input);
  const std::optional<Integers> known = KnownIntegers(value);
  if (known.has_value()) return {ours, *known};
  return {ours, value};
}

Integers OnnxCall::Extents(ir::Value value) {
  Integers extents;
  if (!ok() || !value) return extents;
  const Shape& shape = value.tensor_type().shape();
  for (const Dim dim : shape.dims()) {
    if (!dim.known()) {
      Refuse(absl::StrCat("the shape must be known before the run, got ",
                          ToString(shape)));
      return extents;
    }
    extents.push_back(dim.value());
  }
  return extents;
}

int OnnxCall::Axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= std::max(rank, 1)) {
    Fail(RangeError("axis", absl::StrCat("in [", -rank, ", ", rank, ")"),
                    absl::StrCat(axis)));
    return 0;
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

ir::Value OnnxCall::Constant(DataType dtype, const Shape& shape,
                             std::string_view bytes) {
  if (!ok()) return ir::Value();
  const ir::Attribute constant = Checked(builder_.context()->GetConstant(
      builder_.context()->GetTensorType(dtype, shape), bytes));
  return ok() ? builder_.Constant(constant) : ir::Value();
}

ir::Value OnnxCall::Call(std::string_view name, const OnnxArguments& arguments,
                         const OnnxAttributes& attributes) {
  const std::vector<ir::Value> results = CallAll(name, arguments, attributes);
  return results.empty() ? ir::Value() : results[0];
}

std::vector<ir::Value> OnnxCall::CallAll(std::string_view name,
                                         const OnnxArguments& arguments,
                                         const OnnxAttributes& attributes) {
  if (!ok()) return {};
  return Checked(Build(builder_, translation_, name, arguments, attributes));
}

}  // namespace switchyard::static_graph
