// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/legacy/common_attributes.h"
#include "phi/legacy/every_operator.h"
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

// The input that a generator of random numbers is.
constexpr std::string_view kGenerator = "rng";

void AddInputs(const phi::OpInfo& info, CallForm* call) {
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
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    const phi::AttrInfo& attr = info.attrs[i];
    call->attrs.push_back({attr.name, static_cast<int16_t>(i), attr.type,
                           attr.has_default, attr.default_value});
    if (op.attr(attr.name) != nullptr) continue;
    if (call->inputs.size() >= op.operands.size()) continue;
    phi::LegacySlot slot = {attr.name};
    slot.supplies = static_cast<int16_t>(i);
    slot.dispensable = true;
    call->inputs.push_back(slot);
  }
}

// Adds attributes that ours lacks as a legacy form of the operator knows them:
// they may have certain values, or any.
void AddOthers(const JsonOperator& op, const phi::OpInfo& info,
               CallForm* call) {
  for (const JsonAttr& given : op.attrs) {
    if (info.attr_index(given.name) >= 0) continue;
    for (const phi::LegacyForm* const form : phi::AllLegacyForms()) {
      if (form->op != &info) continue;
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

CallForm FormOf(const JsonOperator& op, const phi::OpInfo& info) {
  CallForm call;
  AddInputs(info, &call);
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
  for (const JsonAttr& attr : op.attrs) {
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

const DialectOp* FindFunctional(const ir::Context& context,
                                std::string_view name) {
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
  if (info.has(phi::Trait::kRandom) && !IsTest(info, mapped.attributes)) {
    return absl::UnimplementedError(
        "random operators are translated for the test phase alone");
  }
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
