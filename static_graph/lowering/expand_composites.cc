// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/expand_composites.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// A composite may use operators that are composites themselves; deeper than
// this they go in circles.
constexpr int kMaxDepth = 16;

using Composes = absl::FunctionRef<absl::StatusOr<bool>(const ir::Operation&)>;

// Returns the policy of the parts of a call with `policy`: that a call prefers
// to be composed says nothing of its parts, which are other calls.
std::string PolicyOfParts(std::string_view policy) {
  const auto is_theirs = [](absl::string_view word) {
    return word != "prefer=composed";
  };
  const absl::string_view words(policy.data(), policy.size());
  return absl::StrJoin(absl::StrSplit(words, ',', is_theirs), ",");
}

// One pass over a block and the blocks inside; `found` becomes true if there
// was anything to expand.
absl::Status ExpandBlock(ir::Context* context, Composes composes,
                         ir::Block& block, bool* found) {
  for (ir::Operation* op : block) {
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_RETURN_IF_ERROR(ExpandBlock(context, composes, op->block(i), found));
    }
    const DialectOp* record = FindDialectOp(*op);
    if (record == nullptr) continue;
    if (record->composite == nullptr && !record->composite_only) continue;
    SY_ASSIGN_OR_RETURN(const bool composed, composes(*op));
    if (!composed) continue;
    *found = true;
    const ir::Location location = op->location();  // `op` is erased.
    SY_RETURN_IF_ERROR(ir::AtLocation(ExpandCall(context, op), location));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExpandCall(ir::Context* context, ir::Operation* op) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(*op));
  if (call.op->composite == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        call.op->info->name, ": the operator has no kernel and no composite"));
  }
  absl::InlinedVector<bool, 8> wanted;
  for (ir::Value output : call.outputs) wanted.push_back(bool(output));
  ir::Builder builder(context);
  builder.SetInsertionPoint(op);
  ir::Operation* const before = op->previous();
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildComposite(
      builder, *call.op, call.inputs.view(), call.attrs, call.supplied,
      {wanted, call.outputs.segments()}, &results));
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!wanted[slot]) continue;
    if (results[slot]) {
      call.outputs[slot].ReplaceAllUsesWith(results[slot]);
    } else if (call.outputs[slot].has_uses()) {
      return absl::InvalidArgumentError(absl::StrCat(
          call.op->info->name, ": output ", slot,
          " must not be used where the input that it belongs to is absent"));
    }
  }
  // All that it is made of runs where and by the policy that it shall.
  for (const char* const name : {kOpDeviceAttr, kPolicyAttr}) {
    ir::Attribute attribute = op->attribute(name);
    if (attribute && std::string_view(name) == kPolicyAttr) {
      const std::string policy = PolicyOfParts(attribute.text());
      attribute = policy.empty() ? ir::Attribute() : context->GetString(policy);
    }
    ir::Operation* part = attribute ? op->previous() : before;
    for (; part != before; part = part->previous()) {
      if (FindDialectOp(*part) == nullptr) continue;
      part->SetAttribute(context->GetString(name), attribute);
    }
  }
  op->Erase();
  return absl::OkStatus();
}

absl::Status ExpandComposites(ir::Program* program, Composes composes) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    bool found = false;
    SY_RETURN_IF_ERROR(
        ExpandBlock(program->context(), composes, program->entry(), &found));
    if (!found) return absl::OkStatus();
  }
  return absl::InternalError("composites are defined by each other in circles");
}

}  // namespace switchyard::static_graph
