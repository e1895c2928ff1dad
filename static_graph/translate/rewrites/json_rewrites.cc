// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrites/json_rewrites.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/tensor/tensor_array.h"
#include "phi/core/op_info.h"
#include "phi/legacy/forms/legacy_data_type.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/translate/json/json_call.h"

namespace switchyard::static_graph {
namespace {

// Writes a tensor to an array at a position: operands array, tensor, position.
constexpr std::string_view kArrayWrite = "array_write_";
// Copy to their last operand.
constexpr std::string_view kAssignOut = "assign_out_";
constexpr std::string_view kAssignValue = "assign_value_";
// More parts than a tensor is split into.
constexpr int64_t kMaxParts = 65535;

using Variables = ReusedList<std::string>;

// Describes a variable of the block.
const VariableFacts* FactsOf(const ForeignBlock& block,
                             const std::string& name) {
  const int number = block.IndexOf(name);
  return number < 0 ? nullptr : &block.facts(number);
}

std::optional<TensorSpec> ResultSpec(const ForeignOperator& op,
                                     const ForeignBlock& block) {
  return SpecOfResult(op, block.program(), [&block](const std::string& name) {
    return FactsOf(block, name);
  });
}

// Removes an attribute; false if it was not there, or has no value.
bool Take(std::string_view name, ForeignOperator* op) {
  for (size_t i = 0; i < op->attrs.size(); ++i) {
    if (op->attrs[i].name != name) continue;
    if (op->attrs[i].kind == ForeignKind::kNone) return false;
    op->attrs.Remove(i);
    return true;
  }
  return false;
}

// Adds an attribute of a kind; its value is set by the caller.
ForeignAttr& AddAttr(std::string_view name, ForeignKind kind,
                     ForeignOperator* op) {
  ForeignAttr& attr = op->attrs.Add();
  attr.name = name;
  attr.kind = kind;
  return attr;
}

bool IsEmptyList(const ForeignAttr& attr) {
  switch (attr.kind) {
    case ForeignKind::kLongs:
    case ForeignKind::kFloats:
    case ForeignKind::kDoubles:
      return attr.text().empty();
    case ForeignKind::kTexts:
      return attr.texts().empty();
    default:
      return false;
  }
}

// A slice drops axes, which ours does not; the extents that it may infer do not
// matter.
void RewriteSlice(const ForeignBlock&, ForeignOperator* op) {
  Take("infer_flags", op);
  const ForeignAttr* const dropped = op->attr("decrease_axis");
  if (dropped == nullptr || dropped->kind == ForeignKind::kNone) return;
  if (IsEmptyList(*dropped)) {
    Take("decrease_axis", op);
  } else {
    op->type = "legacy_slice";
  }
}

// Equal parts, a number of them.
void RewriteSplit(const ForeignBlock&, ForeignOperator* op) {
  const absl::StatusOr<Attribute> num =
      AttributeOf(*op, "num", AttrType::kInt64);
  if (!num.ok()) return;
  const auto count = num->ref().Get<int64_t>();
  if (count < 1 || count > kMaxParts) return;
  Take("num", op);
  op->type = "split";
  ForeignAttr& sections = AddAttr("sections", ForeignKind::kLongs, op);
  for (int64_t i = 0; i < count; ++i) sections.Add(int64_t{-1});
}

// Takes the number of slices from the list of results.
void RewriteUnbind(const ForeignBlock& block, ForeignOperator* op) {
  const Variables& results = op->outputs[0].variables;
  if (results.size() != 1) return;
  const VariableFacts* const facts = FactsOf(block, results[0]);
  if (facts == nullptr) return;
  op->type = "unstack";
  AddAttr("num", ForeignKind::kLong, op)
      .SetInteger(static_cast<int64_t>(block.program().TensorsIn(*facts)));
}

// Reduces all axes, whatever axes the call names, if it has the flag.
void RewriteReduction(const ForeignBlock&, ForeignOperator* op) {
  const ForeignAttr* const all = op->attr("reduce_all");
  const bool whole = all != nullptr && all->flag();
  Take("reduce_all", op);
  if (!whole) return;
  Take("axis", op);
  Variables& operands = op->inputs[0].variables;
  while (operands.size() > 1) operands.Remove(operands.size() - 1);
}

// The levels from the least to the most.
void RewriteLevels(const ForeignBlock&, ForeignOperator* op) {
  constexpr int kMaxLevels = 64;
  const absl::StatusOr<Attribute> least =
      AttributeOf(*op, "min_level", AttrType::kInt);
  const absl::StatusOr<Attribute> most =
      AttributeOf(*op, "max_level", AttrType::kInt);
  if (!least.ok() || !most.ok()) return;
  const int64_t from = least->ref().Get<int>(), to = most->ref().Get<int>();
  if (to < from || to - from >= kMaxLevels) return;
  Take("min_level", op);
  Take("max_level", op);
  ForeignAttr& levels = AddAttr("levels", ForeignKind::kInts, op);
  for (int64_t i = from; i <= to; ++i) levels.Add(static_cast<int>(i));
}

// Volumes, whose layout is named as if they were images.
void RewriteVolume(const ForeignBlock&, ForeignOperator* op) {
  ForeignAttr* const format = op->attr("data_format");
  if (format == nullptr || format->kind != ForeignKind::kText) return;
  if (format->text() == "NCHW") {
    format->SetText("NCDHW");
  } else if (format->text() == "NHWC") {
    format->SetText("NDHWC");
  }
}

// The dtype and the shape of the elements, which the description of the array
// has.
void RewriteCreateArray(const ForeignBlock& block, ForeignOperator* op) {
  const std::optional<TensorSpec> spec = ResultSpec(*op, block);
  if (!spec.has_value() || spec->kind != TensorKind::kTensorArray ||
      op->attr("element_shape") != nullptr) {
    return;
  }
  if (const auto dtype = phi::LegacyOfDataType(spec->dtype)) {
    Take("dtype", op);
    AddAttr("dtype", ForeignKind::kInt, op).SetInteger(*dtype);
  }
  ForeignAttr& extents = AddAttr("element_shape", ForeignKind::kLongs, op);
  const Shape element = ElementShape(spec->shape);
  for (const Dim dim : element.dims()) {
    extents.Add(dim.known() ? dim.value() : int64_t{-1});
  }
}

// Sizes come as one tensor or as one for each axis, factors as a tensor or as
// an attribute: ours has one operand for either.
void RewriteInterpolation(const ForeignBlock&, ForeignOperator* op) {
  constexpr size_t kSize = 1, kSizes = 2, kFactors = 3;
  Variables& operands = op->inputs[0].variables;
  if (operands.size() != kFactors + 1) return;
  if (!operands[kFactors].empty()) Take("scale", op);
  operands.Remove(operands[kSize].empty() ? kSize : kSizes);
  if (operands[kFactors - 1].empty()) operands.Remove(kFactors - 1);
}

// Sums and products of truth values, which are called what those of numbers
// are, and the conjugates of real numbers.
void RewriteByDtype(const ForeignBlock& block, ForeignOperator* op) {
  const std::optional<TensorSpec> spec = ResultSpec(*op, block);
  if (!spec.has_value()) return;
  if (op->type == "conj" && !IsComplex(spec->dtype)) op->type = "assign";
  if (spec->dtype != DataType::kBool) return;
  if (op->type == "add") op->type = "logical_or";
  if (op->type == "multiply") op->type = "logical_and";
}

// The operands of a write to an array, the array last.
void RewriteArrayWrite(const ForeignBlock&, ForeignOperator* op) {
  Variables& operands = op->inputs[0].variables;
  op->type = "array_write";
  std::rotate(operands.begin(), operands.begin() + 1, operands.end());
}

// An attribute that has another name here.
struct {
  std::string_view type;
  std::string_view from;
  std::string_view to;
} constexpr kRenamedAttributes[] = {
    {"eigh", "UPLO", "uplo"},
    {"frobenius_norm", "keep_dim", "keepdim"},
    {"lu", "pivot", "pivots"},  // Its legacy form takes true alone.
    {"mish", "lambda", "threshold"},
};

// An operator that is another of ours. Where no element of its result matters,
// all are zero.
struct {
  std::string_view type;
  std::string_view ours;
  bool any_value = false;
} constexpr kOtherNames[] = {
    {"empty", "full", true},
    {"empty_like", "full_like", true},
    {"shape64", kShapeOp},
};

// Operators that say in other words what ours says, where it takes more than a
// name; some of them only where `applies` holds.
struct {
  std::string_view name;
  void (*rewrite)(const ForeignBlock& block, ForeignOperator* op);
  bool (*applies)(const ForeignOperator& op) = nullptr;
} constexpr kRewrites[] = {
    {"add", RewriteByDtype},
    {kArrayWrite, RewriteArrayWrite,
     [](const ForeignOperator& op) { return op.inputs[0].count() == 3; }},
    {"bicubic_interp", RewriteInterpolation},
    {"bilinear_interp", RewriteInterpolation},
    {"conj", RewriteByDtype},
    {"conv3d_transpose", RewriteVolume},
    {"create_array", RewriteCreateArray},
    {"distribute_fpn_proposals", RewriteLevels},
    {"frobenius_norm", RewriteReduction},
    {"full_with_tensor",
     [](const ForeignBlock&, ForeignOperator* op) {
       op->type = "full";
       Variables& operands = op->inputs[0].variables;
       std::swap(operands[0], operands[1]);
     },
     [](const ForeignOperator& op) { return op.inputs[0].count() == 2; }},
    {"linear_interp", RewriteInterpolation},
    {"logsumexp", RewriteReduction},
    {"multiply", RewriteByDtype},
    {"nearest_interp", RewriteInterpolation},
    {"prod", RewriteReduction},
    {"slice", RewriteSlice},
    {"split_with_num", RewriteSplit},
    {"trilinear_interp", RewriteInterpolation},
    {"unbind", RewriteUnbind},
};

// Adds a slot of outputs with an operand that is written over: the output of
// ours of that number is its new value.
void AddWritten(const std::string& operand, size_t output,
                ForeignOperator* op) {
  if (operand.empty()) return;
  ForeignSlot& slot = op->outputs.Add();
  slot.name = absl::StrCat(output);
  slot.variables.Add() = operand;
}

// Adds the operands that an operator whose name ends in "_" writes over.
void AddWrittenOperands(const ir::Context& context, ForeignOperator* op) {
  const Variables& operands = op->inputs[0].variables;
  if (operands.empty()) return;
  if (op->type == kArrayWrite) return AddWritten(operands[0], 0, op);
  if (op->type == kAssignOut || op->type == kAssignValue) {
    // The last operand, which ours lacks.
    return AddWritten(operands[operands.size() - 1], 0, op);
  }
  const DialectOp* const ours = FindFunctional(context, op->type);
  if (ours == nullptr) return;
  const phi::OpInfo& info = *ours->info;
  bool any = false;
  for (size_t k = 0; k < info.outputs.size(); ++k) {
    if (info.outputs[k].inplace_of < 0) continue;
    any = true;
    // A generator of random numbers, the last input, is no operand.
    const int operand = OperandOf(info, *op, info.outputs[k].inplace_of);
    if (operand < 0 || static_cast<size_t>(operand) >= operands.size()) {
      continue;
    }
    AddWritten(operands[operand], k, op);
  }
  // A name that ours lacks the underscore of writes over its first operand.
  if (!any) AddWritten(operands[0], 0, op);
}

}  // namespace

void RewriteJsonOperator(const ForeignBlock& block, const ir::Context& context,
                         ForeignOperator* op) {
  if (op->type.back() == '_') AddWrittenOperands(context, op);
  for (const auto& [type, from, to] : kRenamedAttributes) {
    ForeignAttr* const attr = op->type == type ? op->attr(from) : nullptr;
    if (attr != nullptr && attr->kind != ForeignKind::kNone) attr->name = to;
  }
  for (const auto& [name, rewrite, applies] : kRewrites) {
    if (op->type != name) continue;
    if (applies == nullptr || applies(*op)) rewrite(block, op);
    return;
  }
  for (const auto& [type, ours, any_value] : kOtherNames) {
    if (op->type != type) continue;
    op->type = ours;
    if (any_value) AddAttr("value", ForeignKind::kDouble, op).SetNumber(0);
    return;
  }
}

}  // namespace switchyard::static_graph
