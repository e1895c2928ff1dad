// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/op.h"

#include <algorithm>

namespace switchyard::ops_gen {

bool KernelFunction::all_dense() const {
  const auto dense = [](const std::string& kind) { return kind == "dense"; };
  return std::all_of(input_kinds.begin(), input_kinds.end(), dense) &&
         std::all_of(output_kinds.begin(), output_kinds.end(), dense);
}

bool IsDialectTrait(const std::string& trait) {
  return trait == "identity" || trait == "same_size" || trait == "permutes" ||
         trait == "filled";
}

const Op* FindOp(const Family& family, const std::string& name) {
  for (const Op& op : family.ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

const std::vector<Form>& Op::forms(const std::string& vocabulary) const {
  static const auto& none = *new std::vector<Form>();
  const auto found = forms_by_vocabulary.find(vocabulary);
  return found == forms_by_vocabulary.end() ? none : found->second;
}

bool Op::has_inplace_variant() const {
  if (always_inplace() || gradient.has_value()) return false;
  for (const OutputFacts& facts : output_facts) {
    if (facts.inplace_of >= 0) return true;
  }
  return false;
}

}  // namespace switchyard::ops_gen
