// SPDX-License-Identifier: Apache-2.0
#include "eager/call/view_graph.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eager/call/region.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/view_group.h"

namespace switchyard::eager {
namespace {

absl::Status Refuse(const char* argument, const char* why) {
  return absl::FailedPreconditionError(std::string(argument) + " " + why);
}

bool IsLeaf(const RefPtr<GradNode>& node) { return node && node->is_leaf(); }

bool IsRecorded(const ViewGroup& group, const TensorImpl* impl) {
  for (const ViewGroup::Member& member : group.members()) {
    if (member.impl == impl) return member.recorded;
  }
  return false;
}

// The position in the graph that a member gets. The one that it loses is freed
// after the lock.
struct Change {
  TensorImpl* impl;
  RefPtr<GradNode> node;
  RefPtr<GradNode> old_node;
  RefPtr<AutogradMeta> old_meta;
};

void Make(Change& change) {
  TensorImpl& impl = *change.impl;
  change.old_node = impl.node();
  change.old_meta = impl.meta();
  if (change.old_meta) impl.SetMeta(nullptr);
  impl.SetNode(change.node, 0);
  if (change.old_meta && change.old_meta->retain_grad()) {
    impl.MutableMeta().set_retain_grad();
    change.node->SetMeta(0, impl.meta());
  }
}

RefPtr<GradNode> TakeNode(const ViewGroup& group, const TensorImpl& view,
                          const GradArithmetic* arithmetic, const Edge& base) {
  const std::optional<Region> region =
      Region::Of(group.base_meta(), view.dense());
  if (!region) return RefPtr<GradNode>::Adopt(new StaleViewNode);
  return RefPtr<GradNode>::Adopt(
      new RegionNode(RegionNode::Step::kTake, *region, arithmetic, base));
}

// Returns the changes of all members but `written`. `base` is the base's new
// position in the graph.
std::vector<Change> Changes(const ViewGroup& group, const TensorImpl& written,
                            const GradArithmetic* arithmetic,
                            const Edge& base) {
  std::vector<Change> changes;
  for (const ViewGroup::Member& member : group.members()) {
    if (member.impl == &written) continue;
    if (member.impl == group.base()) {
      changes.push_back({member.impl, base.node, nullptr, nullptr});
      continue;
    }
    if (!MayOverlap(member.impl->dense(), written.dense())) continue;
    changes.push_back({member.impl,
                       member.recorded
                           ? TakeNode(group, *member.impl, arithmetic, base)
                           : RefPtr<GradNode>::Adopt(new StaleViewNode),
                       nullptr, nullptr});
  }
  return changes;
}

}  // namespace

absl::Status CheckViews(const char* argument, const Tensor& target,
                        bool recorded) {
  ViewGroup* group = target.impl()->view_group();
  if (group == nullptr || group->unique()) return absl::OkStatus();
  if (!recorded && !group->requires_grad()) return absl::OkStatus();
  const TensorImpl* impl = target.impl().get();
  // Declared before the lock, so freed after it.
  const Edge base = [&] {
    const auto lock = group->Lock();
    return group->base_edge();
  }();
  const auto lock = group->Lock();
  if (impl != group->base() && IsLeaf(base.node)) {
    return Refuse(argument,
                  "must be written in place under no_grad() only, got a view "
                  "of a leaf that requires grad");
  }
  if (!IsRecorded(*group, impl)) {
    return Refuse(argument,
                  "is a view that was made under no_grad(); make it again, or "
                  "write under no_grad()");
  }
  if (target.place() != Place::Cpu() ||
      !Region::Of(group->base_meta(), target.dense())) {
    return Refuse(argument,
                  "shares memory with other views while gradients are "
                  "recorded, of a tensor with gaps or on a device; clone it or "
                  "write under no_grad()");
  }
  for (const ViewGroup::Member& member : group->members()) {
    if (member.impl == impl || !IsLeaf(member.impl->node())) continue;
    if (!MayOverlap(member.impl->dense(), target.dense())) continue;
    return Refuse(argument,
                  "shares memory with a leaf that requires grad; clone it or "
                  "write under no_grad()");
  }
  return absl::OkStatus();
}

void CarryToViews(const Tensor& target) {
  TensorImpl* written = target.impl().get();
  ViewGroup* group = written->view_group();
  if (group == nullptr || !written->node()) return;
  group->SetRequiresGrad();
  const GradArithmetic* arithmetic = written->node()->arithmetic();
  // Before the lock: freed after it.
  Edge place = {written->node(), written->output()}, lost;
  std::vector<Change> changes;
  const auto lock = group->Lock();
  if (group->members().size() == 1 && target.dense().contiguous()) {
    lost = group->Rebase(written);
    return;
  }
  if (written != group->base()) {
    const std::optional<Region> region =
        Region::Of(group->base_meta(), target.dense());
    place = {RefPtr<GradNode>::Adopt(
                 region ? static_cast<GradNode*>(new RegionNode(
                              *region, arithmetic, group->base_edge(), place))
                        : new StaleViewNode),
             0};
  }
  changes = Changes(*group, *written, arithmetic, place);
  for (Change& change : changes) Make(change);
  if (group->base() == nullptr) {
    lost = place;
    group->SwapLostEdge(&lost);
  }
}

}  // namespace switchyard::eager
