// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/replacement.h"

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/checkpoint_attributes.h"

namespace switchyard::static_graph {
namespace {

// Returns `last` and the operations that compute its operands, except those
// that compute values of `known`.
std::vector<ir::Operation*> PartsOf(ir::Operation* last,
                                    const HashSet<ir::Value>& known) {
  std::vector<ir::Operation*> parts = {last};
  HashSet<const ir::Operation*> found = {last};
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const ir::Value operand : parts[i]->operands()) {
      ir::Operation* const maker = operand.defining_op();
      if (maker == nullptr || Contains(known, operand)) continue;
      if (found.insert(maker).second) parts.push_back(maker);
    }
  }
  return parts;
}

// Returns the attribute that marks a copy made by a checkpoint, so that its
// replacement can carry it; null for any other operation.
const ir::NamedAttribute* RecomputedOf(const ir::Operation& op) {
  for (const ir::NamedAttribute& attribute : op.attributes()) {
    if (attribute.name.text() == ir::kRecomputedAttr) return &attribute;
  }
  return nullptr;
}

bool IsCall(const ir::Operation& op) {
  return op.name().substr(0, kOpPrefix.size()) == kOpPrefix;
}

}  // namespace

std::vector<ir::Operation*> Replacement::Made() const {
  std::vector<ir::Operation*> made;
  ir::Operation* const first =
      before_ == nullptr ? replaced_.parent()->front() : before_->next();
  for (ir::Operation* op = first; op != &replaced_; op = op->next()) {
    made.push_back(op);
  }
  return made;
}

void Replacement::Discard() const {
  const std::vector<ir::Operation*> made = Made();
  for (size_t i = made.size(); i-- > 0;) made[i]->Erase();
}

absl::StatusOr<bool> Replacement::Put(absl::StatusOr<ir::Value> made) const {
  if (absl::IsNotFound(made.status())) {
    Discard();
    return false;
  }
  if (!made.ok()) return made.status();
  SY_ASSIGN_OR_RETURN(const bool allowed, Allowed());
  if (!allowed) return false;
  ir::Value result = replaced_.result(0);
  made->SetHint(result.hint_attribute());
  result.ReplaceAllUsesWith(*made);
  replaced_.Erase();
  return true;
}

absl::StatusOr<bool> Replacement::Allowed(
    absl::Span<const ir::Value> also) const {
  const ir::NamedAttribute* const recomputed = RecomputedOf(replaced_);
  if (rule_ == nullptr && recomputed == nullptr) return true;
  const std::vector<ir::Operation*> made = Made();
  for (ir::Operation* op : made) {
    if (recomputed == nullptr || !IsCall(*op)) continue;
    op->SetAttribute(recomputed->name, recomputed->value);
  }
  if (rule_ == nullptr) return true;
  HashSet<ir::Value> known(also.begin(), also.end());
  for (const ir::Operation* op : made) {
    for (const ir::Value operand : op->operands()) known.insert(operand);
  }
  SY_ASSIGN_OR_RETURN(const bool allowed,
                      rule_(PartsOf(&replaced_, known), made));
  if (allowed) return true;
  Discard();
  return false;
}

}  // namespace switchyard::static_graph
