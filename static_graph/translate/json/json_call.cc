// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/common_attributes.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

// The form of one call, which the operator's own names make. Owns its tables.
struct CallForm {
  std::vector<phi::LegacySlot> inputs;
  std::vector<phi::LegacyAttr> attrs;
  std::vector<const char*> extra;
  phi::LegacyForm form;
};

// The input that a generator of random numbers is, and the attribute that says
// where it begins.
constexpr std::string_view kGenerator = "rng";
constexpr std::string_view kSeed = "seed";

// An operator that has another name here, or arguments in another order. A name
// that is no argument of ours is of an operand or a result that we don't have.
struct OtherOrder {
  std::string_view name;
  std::string_view ours;              // Our operator.
  std::vector<const char*> operands;  // Empty: in our order.
  std::vector<const char*> results;   // Likewise.
};

const OtherOrder* FindOther(std::string_view name) {
  static const std::vector<const char*> adam_operands = {
      "param",        "grad",        "learning_rate", "moment1",
      "moment2",      "moment2_max", "beta1_pow",     "beta2_pow",
      "master_param", "skip_update", "beta1",         "beta2",
      "epsilon"};
  static const std::vector<const char*> adam_results = {
      "param_out",     "moment1_out",   "moment2_out",     "moment2_max_out",
      "beta1_pow_out", "beta2_pow_out", "master_param_out"};
  static const std::vector<OtherOrder> others = {
      {"adam_", "adam_", adam_operands, adam_results},
      {"adamw_", "adamw_", adam_operands, adam_results},
      {"assign_out_", "assign", {"x", "output"}, {}},
      {"assign_value_", "assign_value", {"output"}, {}},
      {"auc",
       "auc",
       {"x", "label", "stat_pos", "stat_neg", "ins_tag_weight"},
       {}},
      {"batch_norm_grad",
       "batch_norm_grad",
       {"x", "scale", "bias", "mean_out", "variance_out", "saved_mean",
        "saved_variance", "reserve_space", "out_grad"},
       {}},
      {"c_identity", "assign", {}, {}},
      {"det", "determinant", {}, {}},
      {"distribute_fpn_proposals",
       "distribute_fpn_proposals",
       {},
       {"multi_fpn_rois", "multi_level_rois_num", "restore_index"}},
      {"dropout", "dropout", {"x", "seed_tensor", "p"}, {}},
      {"mean_all", "mean", {}, {}},
      {"memcpy", "assign", {}, {}},
      {"memcpy_d2h", "assign", {}, {}},
      {"memcpy_h2d", "assign", {}, {}},
      {"print", "assign", {}, {}},
      {"put_along_axis", "legacy_put_along_axis", {}, {}},
      {"put_along_axis_grad", "legacy_put_along_axis_grad", {}, {}},
      {"rnn",
       "rnn",
       {"x", "pre_state", "weight_list", "sequence_length", "dropout_state"},
       {}},
      {"share_data", "assign", {}, {}},
      {"share_data_", "assign", {}, {}},
      {"sync_batch_norm_", "batch_norm", {}, {}},
      {"unique", "legacy_unique", {}, {}}};
  for (const OtherOrder& other : others) {
    if (other.name == name) return &other;
  }
  return nullptr;
}

// Attributes of gradients and optimizers that say nothing here: that operands
// are aligned at their last axes, how averages move, and how old kernels cut
// their work.
bool SaysNothing(const JsonAttr& attr) {
  if (attr.name == "lazy_mode" || attr.name == "momentum" ||
      attr.name == "min_row_size_to_use_multithread") {
    return true;
  }
  if (attr.name != "axis" || !attr.unknown.empty()) return false;
  const absl::StatusOr<Attribute> axis =
      phi::ConvertAttribute(attr.name, attr.value.ref(), AttrType::kInt64);
  return axis.ok() && axis->ref().Get<int64_t>() == -1;
}

void AddInputs(const phi::OpInfo& info, CallForm* call) {
  call->inputs.reserve(info.inputs.size() + info.attrs.size());
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const phi::InputInfo& input = info.inputs[i];
    if (info.has(phi::Trait::kRandom) && input.name == kGenerator) continue;
    phi::LegacySlot slot = {input.name};
    slot.argument = static_cast<int16_t>(i);
    slot.duplicable = input.list;
    slot.dispensable = input.optional;
    call->inputs.push_back(slot);
  }
}

// The attributes that the operator names, and those that operands give.
void AddAttributes(const JsonOperator& op, const phi::OpInfo& info,
                   CallForm* call) {
  call->attrs.reserve(info.attrs.size() + op.attrs.size());
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    const phi::AttrInfo& attr = info.attrs[i];
    call->attrs.push_back({attr.name, static_cast<int16_t>(i), attr.type,
                           attr.has_default, attr.default_value});
    if (op.attr(attr.name) != nullptr) continue;
    const bool given =
        std::any_of(call->inputs.begin(), call->inputs.end(),
                    [i](const phi::LegacySlot& slot) {
                      return slot.supplies == static_cast<int16_t>(i);
                    });
    if (given) continue;
    if (call->inputs.size() >= op.operands.size()) continue;
    phi::LegacySlot slot = {attr.name};
    slot.supplies = static_cast<int16_t>(i);
    slot.duplicable = attr.type == AttrType::kInt64s;
    slot.dispensable = true;
    call->inputs.push_back(slot);
  }
}

// Adds attributes that ours lacks as a legacy form of the operator knows them:
// they may have certain values, or any.
void AddOthers(const JsonOperator& op, const phi::OpInfo& info,
               CallForm* call) {
  const std::vector<const phi::LegacyForm*> forms = phi::LegacyFormsOfOp(info);
  for (const JsonAttr& given : op.attrs) {
    if (info.attr_index(given.name) >= 0) continue;
    for (const phi::LegacyForm* const form : forms) {
      const phi::LegacyAttr* const attr = form->attr(given.name);
      if (attr != nullptr && attr->attr < 0) {
        call->attrs.push_back(*attr);
        break;
      }
      const auto is_name = [&](std::string_view name) {
        return name == given.name;
      };
      if (std::any_of(form->extra.begin(), form->extra.end(), is_name)) {
        call->extra.push_back(given.name.c_str());
        break;
      }
    }
  }
}

// The operands in the order that `names` say.
void AddOperands(const std::vector<const char*>& names, const phi::OpInfo& info,
                 CallForm* call) {
  for (const char* name : names) {
    phi::LegacySlot slot = {name};
    slot.dispensable = true;
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      if (info.inputs[i].name != std::string_view(name)) continue;
      slot.argument = static_cast<int16_t>(i);
      slot.duplicable = info.inputs[i].list;
      slot.dispensable = info.inputs[i].optional;
    }
    if (slot.argument < 0) {
      slot.supplies = static_cast<int16_t>(info.attr_index(name));
    }
    call->inputs.push_back(slot);
  }
}

CallForm FormOf(const JsonOperator& op, const phi::OpInfo& info) {
  CallForm call;
  const OtherOrder* other = FindOther(op.name);
  if (other != nullptr && !other->operands.empty()) {
    AddOperands(other->operands, info, &call);
  } else {
    AddInputs(info, &call);
  }
  AddAttributes(op, info, &call);
  AddOthers(op, info, &call);
  call.form = {};
  call.form.type = info.name;
  call.form.op = &info;
  call.form.grad_type = "";
  return call;
}

absl::StatusOr<std::vector<phi::LegacyAttrValue>> ReadAttributes(
    const JsonOperator& op, const phi::LegacyForm& form) {
  std::vector<phi::LegacyAttrValue> values;
  values.reserve(op.attrs.size());
  for (const JsonAttr& attr : op.attrs) {
    if (form.op->attr_index(attr.name) < 0 && SaysNothing(attr)) continue;
    if (form.op->has(phi::Trait::kRandom) && attr.name == kSeed) continue;
    if (!attr.unknown.empty() && phi::ReadsAttribute(form, attr.name)) {
      return TypeError(absl::StrCat("attribute '", attr.name, "'"),
                       "a number, a text or a list of either", attr.unknown);
    }
    values.push_back({attr.name, attr.value.ref()});
  }
  return values;
}

// Whether a call is of the test phase, in which no operator draws numbers.
bool IsTest(const phi::OpInfo& op, absl::Span<const Attribute> attributes) {
  const int is_test = op.attr_index("is_test");
  return is_test >= 0 && attributes[is_test].ref().Get<bool>();
}

}  // namespace

int ResultOf(const phi::OpInfo& info, const JsonOperator& op, size_t result) {
  const OtherOrder* other = FindOther(op.name);
  if (other == nullptr || other->results.empty()) {
    return result < info.outputs.size() ? static_cast<int>(result) : -1;
  }
  for (size_t k = 0; k < info.outputs.size(); ++k) {
    if (result < other->results.size() &&
        info.outputs[k].name == std::string_view(other->results[result])) {
      return static_cast<int>(k);
    }
  }
  return -1;
}

int OperandOf(const phi::OpInfo& info, const JsonOperator& op, int input) {
  const OtherOrder* other = FindOther(op.name);
  if (other == nullptr || other->operands.empty()) return input;
  for (size_t i = 0; i < other->operands.size(); ++i) {
    if (info.inputs[input].name == std::string_view(other->operands[i])) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::optional<int64_t> SeedOf(const JsonOperator& op) {
  const JsonAttr* seed = op.attr(kSeed);
  if (seed == nullptr || !seed->unknown.empty()) return std::nullopt;
  const absl::StatusOr<Attribute> number =
      phi::ConvertAttribute(kSeed, seed->value.ref(), AttrType::kInt64);
  if (!number.ok() || number->ref().Get<int64_t>() == 0) return std::nullopt;
  return number->ref().Get<int64_t>();
}

const DialectOp* FindFunctional(const ir::Context& context,
                                std::string_view name) {
  if (const OtherOrder* other = FindOther(name)) name = other->ours;
  const DialectOp* found = FindOperator(context, name);
  if (found != nullptr || name.size() < 2 || name.back() != '_') return found;
  return FindOperator(context, name.substr(0, name.size() - 1));
}

absl::StatusOr<JsonCall> MapJsonOperator(const JsonOperator& op,
                                         const phi::OpInfo& info,
                                         absl::Span<const size_t> counts) {
  CallForm call = FormOf(op, info);
  call.form.inputs = call.inputs;
  call.form.attrs = call.attrs;
  call.form.extra = call.extra;
  std::vector<phi::LegacyInput> given;
  given.reserve(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i < call.inputs.size()) {
      given.push_back({call.inputs[i].name, counts[i]});
    } else if (counts[i] > 0) {
      return ArgumentError("operands",
                           absl::StrCat("at most ", call.inputs.size()),
                           absl::StrCat(counts.size()));
    }
  }
  JsonCall mapped;
  SY_ASSIGN_OR_RETURN(mapped.inputs, phi::MapInputs(call.form, given));
  SY_ASSIGN_OR_RETURN(const std::vector<phi::LegacyAttrValue> values,
                      ReadAttributes(op, call.form));
  SY_ASSIGN_OR_RETURN(
      mapped.attributes,
      phi::MapAttributes(call.form, values, mapped.inputs.suppliers));
  mapped.draws =
      info.has(phi::Trait::kRandom) && !IsTest(info, mapped.attributes);
  return mapped;
}

absl::StatusOr<Attribute> JsonAttribute(const JsonOperator& op,
                                        std::string_view name, AttrType type) {
  const JsonAttr* attr = op.attr(name);
  if (attr == nullptr || !attr->unknown.empty()) {
    return ArgumentError(name, Name(type), "none");
  }
  return phi::ConvertAttribute(name, attr->value.ref(), type);
}

}  // namespace switchyard::static_graph
