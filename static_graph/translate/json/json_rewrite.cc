// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_rewrite.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
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

// Takes an attribute away; returns its value, if it was there and has one.
std::optional<Attribute> Take(std::string_view name, JsonOperator* op) {
  const auto found =
      std::find_if(op->attrs.begin(), op->attrs.end(),
                   [&](const JsonAttr& attr) { return attr.name == name; });
  if (found == op->attrs.end() || !found->unknown.empty()) return std::nullopt;
  Attribute value = std::move(found->value);
  op->attrs.erase(found);
  return value;
}

bool IsEmptyList(const Attribute& value) {
  return VisitAttrType(value.ref().type(), [&](auto tag) {
    if constexpr (tag.kList) {
      return value.ref().Get<typename decltype(tag)::type>().empty();
    } else {
      return false;
    }
  });
}

// A slice drops axes, which ours does not; what it may infer is no matter.
void RewriteSlice(JsonOperator* op) {
  Take("infer_flags", op);
  std::optional<Attribute> dropped = Take("decrease_axis", op);
  if (!dropped.has_value() || IsEmptyList(*dropped)) return;
  op->name = "legacy_slice";
  op->attrs.push_back({"decrease_axis", *std::move(dropped), ""});
}

// Equal parts, a number of them.
void RewriteSplit(JsonOperator* op) {
  const absl::StatusOr<Attribute> num =
      JsonAttribute(*op, "num", AttrType::kInt64);
  if (!num.ok()) return;
  const auto count = num->ref().Get<int64_t>();
  if (count < 1 || count > kMaxParts) return;
  Take("num", op);
  const std::vector<int64_t> sections(static_cast<size_t>(count), -1);
  op->name = "split";
  op->attrs.push_back(
      {"sections", Attribute(AttrRef(absl::MakeConstSpan(sections))), ""});
}

// As many slices as the list of results has.
void RewriteUnbind(JsonOperator* op) {
  if (op->results.size() != 1) return;
  const auto count = static_cast<int64_t>(op->results[0].type.items.size());
  op->name = "unstack";
  op->attrs.push_back({"num", Attribute(AttrRef(count)), ""});
}

// Whether an attribute is there and true.
bool IsTrue(const JsonOperator& op, std::string_view name) {
  const absl::StatusOr<Attribute> value =
      JsonAttribute(op, name, AttrType::kBool);
  return value.ok() && value->ref().Get<bool>();
}

// All axes, whatever the call names.
void RewriteReduction(JsonOperator* op) {
  const std::optional<Attribute> all = Take("reduce_all", op);
  if (!all.has_value() || all->ref().type() != AttrType::kBool ||
      !all->ref().Get<bool>()) {
    return;
  }
  Take("axis", op);
  op->operands.resize(std::min<size_t>(op->operands.size(), 1));
}

// An attribute that has another name here.
void Rename(std::string_view from, std::string_view to, JsonOperator* op) {
  std::optional<Attribute> value = Take(from, op);
  if (!value.has_value()) return;
  op->attrs.push_back({std::string(to), *std::move(value), ""});
}

// The levels from the least to the most.
void RewriteLevels(JsonOperator* op) {
  constexpr int kMaxLevels = 64;
  const absl::StatusOr<Attribute> least =
      JsonAttribute(*op, "min_level", AttrType::kInt);
  const absl::StatusOr<Attribute> most =
      JsonAttribute(*op, "max_level", AttrType::kInt);
  if (!least.ok() || !most.ok()) return;
  const int64_t from = least->ref().Get<int>(), to = most->ref().Get<int>();
  if (to < from || to - from >= kMaxLevels) return;
  Take("min_level", op);
  Take("max_level", op);
  std::vector<int> levels;
  for (int64_t i = from; i <= to; ++i) levels.push_back(static_cast<int>(i));
  op->attrs.push_back(
      {"levels", Attribute(AttrRef(absl::MakeConstSpan(levels))), ""});
}

// Volumes, whose layout is named as if they were images.
void RewriteVolume(JsonOperator* op) {
  for (JsonAttr& attr : op->attrs) {
    if (attr.name != "data_format" || !attr.unknown.empty()) continue;
    const absl::StatusOr<Attribute> format =
        JsonAttribute(*op, attr.name, AttrType::kString);
    if (!format.ok()) return;
    const auto text = format->ref().Get<std::string_view>();
    if (text == "NCHW") attr.value = Attribute(AttrRef("NCDHW"));
    if (text == "NHWC") attr.value = Attribute(AttrRef("NDHWC"));
  }
}

// The dtype and the shape of the elements, which the description of the array
// has.
void RewriteCreateArray(JsonOperator* op) {
  if (op->results.size() != 1) return;
  const TensorSpec& spec = *std::as_const(op->results[0]).type.spec;
  if (spec.kind != TensorKind::kTensorArray || op->attr("element_shape")) {
    return;
  }
  if (const auto dtype = phi::LegacyOfDataType(spec.dtype)) {
    Take("dtype", op);
    op->attrs.push_back({"dtype", Attribute(AttrRef(*dtype)), ""});
  }
  std::vector<int64_t> extents;
  const Shape element = ElementShape(spec.shape);
  for (const Dim dim : element.dims()) {
    extents.push_back(dim.known() ? dim.value() : -1);
  }
  op->attrs.push_back(
      {"element_shape", Attribute(AttrRef(absl::MakeConstSpan(extents))), ""});
}

// Sizes come as one tensor or as one for each axis, factors as a tensor or as
// an attribute: ours has one operand for either.
void RewriteInterpolation(JsonOperator* op) {
  constexpr size_t kSize = 1, kSizes = 2, kFactors = 3;
  if (op->operands.size() != kFactors + 1) return;
  const int64_t sizes = op->operands[op->operands[kSize] != 0 ? kSize : kSizes];
  const int64_t factors = op->operands[kFactors];
  op->operands = {op->operands[0], sizes};
  if (factors == 0) return;
  Take("scale", op);
  op->operands.push_back(factors);
}

// Sums and products of truth values, which are called what those of numbers
// are, and the conjugates of real numbers.
void RewriteByDtype(JsonOperator* op) {
  if (op->results.size() != 1) return;
  const DataType dtype = std::as_const(op->results[0]).type.spec->dtype;
  if (op->name == "conj" && !IsComplex(dtype)) op->name = "assign";
  if (dtype != DataType::kBool) return;
  if (op->name == "add") op->name = "logical_or";
  if (op->name == "multiply") op->name = "logical_and";
}

// A tensor of which no element matters.
void RewriteEmpty(std::string_view name, JsonOperator* op) {
  op->name = std::string(name);
  op->attrs.push_back({"value", Attribute(AttrRef(0.0)), ""});
}

// Operators that say in other words what ours says; some of them only where
// `applies` holds.
struct {
  std::string_view name;
  void (*rewrite)(JsonOperator* op);
  bool (*applies)(const JsonOperator& op) = nullptr;
} constexpr kRewrites[] = {
    {"add", RewriteByDtype},
    {kArrayWrite,
     [](JsonOperator* op) {
       op->name = "array_write";
       std::rotate(op->operands.begin(), op->operands.begin() + 1,
                   op->operands.end());
     },
     [](const JsonOperator& op) { return op.operands.size() == 3; }},
    {"bicubic_interp", RewriteInterpolation},
    {"bilinear_interp", RewriteInterpolation},
    {"conj", RewriteByDtype},
    {"conv3d_transpose", RewriteVolume},
    {"create_array", RewriteCreateArray},
    {"distribute_fpn_proposals", RewriteLevels},
    {"eigh", [](JsonOperator* op) { Rename("UPLO", "uplo", op); }},
    {"empty", [](JsonOperator* op) { RewriteEmpty("full", op); }},
    {"empty_like", [](JsonOperator* op) { RewriteEmpty("full_like", op); }},
    {"frobenius_norm",
     [](JsonOperator* op) {
       RewriteReduction(op);
       Rename("keep_dim", "keepdim", op);
     }},
    {"full_with_tensor",
     [](JsonOperator* op) {
       op->name = "full";
       std::swap(op->operands[0], op->operands[1]);
     },
     [](const JsonOperator& op) { return op.operands.size() == 2; }},
    {"linear_interp", RewriteInterpolation},
    {"logsumexp", RewriteReduction},
    {"lu", [](JsonOperator* op) { Take("pivot", op); },
     [](const JsonOperator& op) { return IsTrue(op, "pivot"); }},
    {"mish", [](JsonOperator* op) { Rename("lambda", "threshold", op); }},
    {"multiply", RewriteByDtype},
    {"nearest_interp", RewriteInterpolation},
    {"prod", RewriteReduction},
    {"shape64", [](JsonOperator* op) { op->name = kShapeOp; }},
    {"slice", RewriteSlice},
    {"split_with_num", RewriteSplit},
    {"trilinear_interp", RewriteInterpolation},
    {"unbind", RewriteUnbind},
};

}  // namespace

std::optional<JsonOperator> AsOurs(const JsonOperator& op) {
  for (const auto& [name, rewrite, applies] : kRewrites) {
    if (op.name != name || (applies != nullptr && !applies(op))) continue;
    JsonOperator ours = {op.name,    op.index, op.operands,
                         op.results, op.attrs, {}};
    rewrite(&ours);
    return ours;
  }
  return std::nullopt;
}

std::vector<OverwrittenOperand> OverwrittenBy(const JsonOperator& op,
                                              const ir::Context& context) {
  std::vector<OverwrittenOperand> written;
  if (op.name.empty() || op.name.back() != '_') return written;
  if (op.name == kArrayWrite) {
    if (!op.operands.empty()) written.push_back({op.operands[0], 0});
    return written;
  }
  if (op.name == kAssignOut || op.name == kAssignValue) {
    // The last operand, which ours lacks.
    if (!op.operands.empty()) written.push_back({op.operands.back(), 0});
    return written;
  }
  const DialectOp* const ours = FindFunctional(context, op.name);
  if (ours == nullptr) return written;
  const phi::OpInfo& info = *ours->info;
  // A generator of random numbers, the last input, is no operand.
  // A name that ours lacks the underscore of writes over its first operand.
  const auto written_over = [](const auto& output) {
    return output.inplace_of >= 0;
  };
  if (std::none_of(info.outputs.begin(), info.outputs.end(), written_over)) {
    if (!op.operands.empty() && op.operands[0] != 0) {
      written.push_back({op.operands[0], 0});
    }
    return written;
  }
  for (size_t k = 0; k < info.outputs.size(); ++k) {
    if (info.outputs[k].inplace_of < 0) continue;
    const int operand = OperandOf(info, op, info.outputs[k].inplace_of);
    if (operand < 0 || static_cast<size_t>(operand) >= op.operands.size()) {
      continue;
    }
    const int64_t value = op.operands[operand];
    if (value != 0) written.push_back({value, static_cast<int>(k)});
  }
  return written;
}

}  // namespace switchyard::static_graph
