// SPDX-License-Identifier: Apache-2.0
// ViewGroup: the tensors that share a buffer because views were made of one
// another. eager/call/view_graph.h carries gradients between them.
#ifndef SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_
#define SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_

#include <atomic>
#include <mutex>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "eager/tensor/grad_node.h"
#include "framework/memory/ref_ptr.h"
#include "framework/tensor/tensor_base.h"

namespace switchyard::eager {

class TensorImpl;

// Stands for the tensors that share a buffer because views were made of one
// another: the base, of which the first view was made, and the views. Each
// member holds a reference; a member that holds the only one may be written in
// place although it was a view once. The group knows its members without owning
// them: a member leaves before it is destroyed. Detached tensors are no
// members: they share the version counter only. Thread-safe, except what needs
// the lock.
class ViewGroup : public RefCounted<ViewGroup> {
 public:
  struct Member {
    TensorImpl* impl;
    // False for a view that was made while grad mode was off: what it holds is
    // constant as far as gradients are concerned.
    bool recorded;
  };

  // Makes a group of one.
  explicit ViewGroup(TensorImpl* base);

  // Returns true if some member has required grad.
  bool requires_grad() const { return requires_grad_.load(); }
  void SetRequiresGrad() { requires_grad_.store(true); }

  // Adds a view; once only.
  void Join(TensorImpl* impl);
  void SetRecorded(const TensorImpl* impl, bool recorded);
  // Forgets a member. Where the base goes before recorded views of it, its
  // position in the graph is kept for them.
  void Leave(TensorImpl* impl);

  // Locks the group for what follows. No node, tensor or hook may be freed
  // under the lock: that might make a member leave.
  std::unique_lock<std::mutex> Lock() {
    return std::unique_lock<std::mutex>(mutex_);
  }
  absl::Span<const Member> members() const { return members_; }
  // Null if it is gone.
  TensorImpl* base() const { return base_; }
  // Where the elements of the base are, also when it is gone.
  const TensorMeta& base_meta() const { return base_meta_; }
  // The base's position in the graph.
  Edge base_edge() const;
  // Exchanges the place of a base that is gone.
  void SwapLostEdge(Edge* edge) { std::swap(lost_, *edge); }
  // Makes the only member the base; returns what was kept for the one before.
  Edge Rebase(TensorImpl* impl);

 private:
  bool HasRecorded() const;

  std::mutex mutex_;
  absl::InlinedVector<Member, 4> members_;
  TensorImpl* base_;
  TensorMeta base_meta_;
  Edge lost_;  // The place of a base that is gone.
  std::atomic<bool> requires_grad_{false};
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_
