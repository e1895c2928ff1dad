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
         trait == "affine";
}

const Op* FindOp(const Family& family, const std::string& name) {
  for (const Op& op : family.ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

}  // namespace switchyard::ops_gen
