// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "phi/legacy/forms/every_operator.h"
#include "phi/legacy/forms/legacy_call.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

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
  static const HashMap<std::string_view, const OtherOrder*> by_name = [] {
    HashMap<std::string_view, const OtherOrder*> table;
    for (const OtherOrder& other : others) table.emplace(other.name, &other);
    return table;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

// Attributes of gradients and optimizers that say nothing here: that operands
// are aligned at their last axes, how averages move, and how old kernels cut
// their work.
bool SaysNothing(const ForeignOperator& op, const ForeignAttr& attr) {
  if (attr.name == "lazy_mode" || attr.name == "momentum" ||
      attr.name == "min_row_size_to_use_multithread") {
    return true;
  }
  if (attr.name != "axis") return false;
  const absl::StatusOr<Attribute> axis =
      AttributeOf(op, attr.name, AttrType::kInt64);
  return axis.ok() && axis->ref().Get<int64_t>() == -1;
}

void AddInputs(const phi::OpInfo& info, JsonForm* call) {
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

// The attributes that the operator names, and the ones that operands give.
void AddAttributes(const ForeignOperator& op, const phi::OpInfo& info,
                   JsonForm* call) {
  const auto operands = static_cast<size_t>(op.inputs[0].count());
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
    if (call->inputs.size() >= operands) continue;
    phi::LegacySlot slot = {attr.name};
    slot.supplies = static_cast<int16_t>(i);
    slot.duplicable = attr.type == AttrType::kInt64s;
    slot.dispensable = true;
    call->inputs.push_back(slot);
  }
}

// Adds attributes that ours lacks as a legacy form of the operator knows them:
// they may have certain values, or any. The seed of random numbers is read by
// itself.
void AddOthers(const ForeignOperator& op, const phi::OpInfo& info,
               JsonForm* call) {
  const std::vector<const phi::LegacyForm*> forms = phi::LegacyFormsOfOp(info);
  for (const ForeignAttr& given : op.attrs) {
    if (info.has(phi::Trait::kRandom) && given.name == kSeed) {
      call->extra.push_back(given.name.c_str());
      continue;
    }
    if (info.attr_index(given.name) >= 0) continue;
    if (SaysNothing(op, given)) {
      call->extra.push_back(given.name.c_str());
      continue;
    }
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
                 JsonForm* call) {
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

void AddOutputs(const phi::OpInfo& info, JsonForm* call) {
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    phi::LegacySlot slot = {info.outputs[i].name};
    slot.argument = static_cast<int16_t>(i);
    call->outputs.push_back(slot);
  }
}

void MakeForm(const ForeignOperator& op, const phi::OpInfo& info,
              JsonForm* call) {
  call->inputs.clear();
  call->outputs.clear();
  call->attrs.clear();
  call->extra.clear();
  const OtherOrder* other = FindOther(op.type);
  if (other != nullptr && !other->operands.empty()) {
    AddOperands(other->operands, info, call);
  } else {
    AddInputs(info, call);
  }
  AddAttributes(op, info, call);
  AddOthers(op, info, call);
  AddOutputs(info, call);
  call->form = {};
  call->form.type = info.name;
  call->form.op = &info;
  call->form.grad_type = "";
  call->form.inputs = call->inputs;
  call->form.outputs = call->outputs;
  call->form.attrs = call->attrs;
  call->form.extra = call->extra;
}

// Adds a slot with a variable, or with the tensors of a list.
void AddSlot(const char* name, const std::string& variable, TensorCount count,
             ReusedList<ForeignSlot>* slots) {
  ForeignSlot& slot = slots->Add();
  slot.name = name;
  if (!count.list) {
    if (count.tensors > 0) slot.variables.Add() = variable;
    return;
  }
  slot.variables.Reserve(count.tensors);
  for (size_t i = 0; i < count.tensors; ++i) {
    slot.variables.Add() = ElementName(variable, i);
  }
}

absl::Status NameInputs(const ForeignOperator& op, CountFunction count,
                        JsonForm* call) {
  const ReusedList<std::string>& operands = op.inputs[0].variables;
  call->named_inputs.Clear();
  for (size_t i = 0; i < operands.size(); ++i) {
    const TensorCount tensors =
        operands[i].empty() ? TensorCount() : count(operands[i]);
    if (i < call->inputs.size()) {
      if (tensors.list && tensors.tensors > call->max_in_lists) {
        return ArgumentError(
            "lists of tensors",
            absl::StrCat("of at most ", kMaxInLists, " for all operators"),
            "more");
      }
      if (tensors.list) call->max_in_lists -= tensors.tensors;
      AddSlot(call->inputs[i].name, operands[i], tensors, &call->named_inputs);
    } else if (tensors.tensors > 0) {
      return ArgumentError("operands",
                           absl::StrCat("at most ", call->inputs.size()),
                           absl::StrCat(operands.size()));
    }
  }
  return absl::OkStatus();
}

void NameOutputs(const ForeignOperator& op, const phi::OpInfo& info,
                 CountFunction count, JsonForm* call) {
  const ReusedList<std::string>& results = op.outputs[0].variables;
  call->named_outputs.Clear();
  for (size_t i = 0; i < results.size(); ++i) {
    const int ours = ResultOf(info, op, i);
    if (ours < 0) continue;
    AddSlot(info.outputs[ours].name, results[i], count(results[i]),
            &call->named_outputs);
  }
  for (size_t i = 1; i < op.outputs.size(); ++i) {
    size_t ours = 0;
    if (!absl::SimpleAtoi(op.outputs[i].name, &ours) ||
        ours >= info.outputs.size() || info.outputs[ours].list) {
      continue;
    }
    ForeignSlot& slot = call->named_outputs.Add();
    slot.name = info.outputs[ours].name;
    slot.variables = op.outputs[i].variables;
  }
}

}  // namespace

std::string ElementName(std::string_view list, size_t i) {
  return absl::StrCat(std::string(list), "#", i);
}

int ResultOf(const phi::OpInfo& info, const ForeignOperator& op,
             size_t result) {
  const OtherOrder* other = FindOther(op.type);
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

int OperandOf(const phi::OpInfo& info, const ForeignOperator& op, int input) {
  const OtherOrder* other = FindOther(op.type);
  if (other == nullptr || other->operands.empty()) return input;
  for (size_t i = 0; i < other->operands.size(); ++i) {
    if (info.inputs[input].name == std::string_view(other->operands[i])) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::optional<TensorSpec> SpecOfResult(
    const ForeignOperator& op, const ForeignProgram& program,
    absl::FunctionRef<const VariableFacts*(const std::string&)> find) {
  const ReusedList<std::string>& results = op.outputs[0].variables;
  if (results.size() != 1) return std::nullopt;
  const VariableFacts* const facts = find(results[0]);
  if (facts == nullptr) return std::nullopt;
  absl::StatusOr<TensorSpec> spec = program.SpecOf(*facts);
  if (!spec.ok()) return std::nullopt;
  return *std::move(spec);
}

std::optional<int64_t> SeedOf(const ForeignOperator& op) {
  const absl::StatusOr<Attribute> number =
      AttributeOf(op, kSeed, AttrType::kInt64);
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

absl::Status NameSlots(const phi::OpInfo& info, CountFunction operands,
                       CountFunction results, ForeignOperator* op,
                       JsonForm* call) {
  MakeForm(*op, info, call);
  SY_RETURN_IF_ERROR(NameInputs(*op, operands, call));
  NameOutputs(*op, info, results, call);
  std::swap(op->inputs, call->named_inputs);
  std::swap(op->outputs, call->named_outputs);
  return absl::OkStatus();
}

absl::StatusOr<Attribute> AttributeOf(const ForeignOperator& op,
                                      std::string_view name, AttrType type) {
  const ForeignAttr* const attr = op.attr(name);
  if (attr == nullptr || attr->kind == ForeignKind::kNone) {
    return ArgumentError(name, Name(type), "none");
  }
  SY_ASSIGN_OR_RETURN(const AttrRef value, attr->Value());
  return phi::ConvertAttribute(name, value, type);
}

}  // namespace switchyard::static_graph
