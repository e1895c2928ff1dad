// SPDX-License-Identifier: Apache-2.0
#include "phi/onnx/every_operator.h"

#include <algorithm>
#include <utility>

#include "framework/base/hash_map.h"

namespace switchyard::phi {
namespace {

using Key = std::pair<std::string_view, std::string_view>;

Key KeyOf(const OnnxForm* form) { return {form->domain, form->names.type}; }

std::vector<const OnnxForm*> Sorted() {
  std::vector<const OnnxForm*> all;
  for (const OnnxFormsOf* of_op : OnnxFormsByOp()) {
    for (const OnnxForm& form : of_op->forms) all.push_back(&form);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const OnnxForm* a, const OnnxForm* b) {
                     return std::make_pair(KeyOf(a), a->since) <
                            std::make_pair(KeyOf(b), b->since);
                   });
  return all;
}

using FormsByOp = HashMap<const OpInfo*, const OnnxFormsOf*>;

FormsByOp ByOp() {
  FormsByOp all;
  all.reserve(OnnxFormsByOp().size());
  for (const OnnxFormsOf* of_op : OnnxFormsByOp()) {
    all.emplace(of_op->forms[0].names.op, of_op);
  }
  return all;
}

}  // namespace

absl::Span<const OnnxForm* const> AllOnnxForms() {
  static const auto& all = *new std::vector<const OnnxForm*>(Sorted());
  return all;
}

absl::Span<const OnnxForm* const> OnnxFormsOfType(std::string_view domain,
                                                  std::string_view type) {
  const absl::Span<const OnnxForm* const> all = AllOnnxForms();
  const Key key(domain, type);
  const auto first = std::lower_bound(
      all.begin(), all.end(), key,
      [](const OnnxForm* form, const Key& of) { return KeyOf(form) < of; });
  const auto last = std::find_if(first, all.end(), [&](const OnnxForm* form) {
    return KeyOf(form) != key;
  });
  return absl::MakeConstSpan(first, last);
}

const OnnxForm* FindOnnxForm(std::string_view domain, std::string_view type,
                             int64_t version,
                             absl::Span<const DataType> inputs) {
  for (const OnnxForm* form : OnnxFormsOfType(domain, type)) {
    if (form->IsFor(version) && form->Takes(inputs)) return form;
  }
  return nullptr;
}

absl::Span<const OnnxForm> OnnxFormsOfOp(const OpInfo& op) {
  static const auto& by_op = *new FormsByOp(ByOp());
  const auto found = by_op.find(&op);
  if (found == by_op.end()) return {};
  return found->second->forms;
}

}  // namespace switchyard::phi
