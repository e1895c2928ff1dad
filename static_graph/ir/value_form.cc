// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/value_form.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph::ir {

// The recursion is as deep as regions are nested, which the verifier bounds.
const Operation* FindInplaceVariant(const Block& block) {
  for (const Operation* op : block) {
    if (op->has<InplaceVariantTrait>()) return op;
    for (int i = 0; i < op->num_regions(); ++i) {
      if (const Operation* found = FindInplaceVariant(op->block(i)))
        return found;
    }
  }
  return nullptr;
}

absl::Status CheckValueForm(const Block& block) {
  const Operation* op = FindInplaceVariant(block);
  if (op == nullptr) return absl::OkStatus();
  return AtLocation(
      absl::FailedPreconditionError(absl::StrCat(
          std::string(op->name()),
          ": the in-place variant must be replaced by the pass to_value_form "
          "first")),
      op->location());
}

}  // namespace switchyard::static_graph::ir
