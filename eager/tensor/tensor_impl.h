// SPDX-License-Identifier: Apache-2.0
// TensorImpl: what Tensor (eager/tensor/tensor.h) points at. For eager's own
// code (run, engine, nodes); users of tensors want the handle.
#ifndef SWITCHYARD_EAGER_TENSOR_TENSOR_IMPL_H_
#define SWITCHYARD_EAGER_TENSOR_TENSOR_IMPL_H_

#include <atomic>
#include <cstdint>

#include "framework/memory/cpu_allocator.h"
#include "framework/memory/ref_ptr.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/owned_tensor.h"

namespace switchyard::eager {

class AutogradMeta;  // eager/tensor/autograd_meta.h
class GradNode;      // eager/tensor/grad_node.h
class ViewGroup;     // eager/tensor/view_group.h

// Holds a tensor's storage and its position in the graph of gradients. Owned by
// the handles together; owns its node, its gradient and hooks, and a reference
// to its group of views. Synchronised as Tensor says.
class TensorImpl : public RefCounted<TensorImpl> {
 public:
  TensorImpl();  // Dense and without dtype: a result to be filled in.
  explicit TensorImpl(DenseTensor&& dense);
  // Takes a tensor of another kind.
  explicit TensorImpl(OwnedTensor other);
  ~TensorImpl();
  // Every operator makes one.
  static void* operator new(size_t bytes) { return NewObjectBlock(bytes); }
  static void operator delete(void* impl, size_t bytes) {
    DeleteObjectBlock(impl, bytes);
  }
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  const TensorBase& base() const {
    return other_ == nullptr ? static_cast<const TensorBase&>(dense_) : *other_;
  }
  // Null for a dense tensor.
  TensorBase* other() const { return other_.get(); }
  const DenseTensor& dense() const { return dense_; }
  DenseTensor& mutable_dense() { return dense_; }

  // Return where the gradient of this tensor goes: output number output() of
  // the operator that node() recorded; an AccumulateGrad for a leaf; null if
  // the tensor does not require grad.
  const RefPtr<GradNode>& node() const { return node_; }
  uint32_t output() const { return output_; }
  void SetNode(RefPtr<GradNode> node, uint32_t output);

  // Returns gradient and hooks; null until there is something to keep.
  const RefPtr<AutogradMeta>& meta() const { return meta_; }
  AutogradMeta& MutableMeta();
  void SetMeta(RefPtr<AutogradMeta> meta);

  // The tensors that share this one's buffer as views; null if there are none.
  ViewGroup* view_group() const {
    return view_group_.load(std::memory_order_acquire);
  }
  // Returns the group, made here if there is none. Threads that make views of
  // one tensor at the same time get the same one.
  RefPtr<ViewGroup> GetOrCreateViewGroup();
  // Makes a new view a member.
  void JoinViewGroup(RefPtr<ViewGroup> group);

 private:
  DenseTensor dense_;
  OwnedTensor other_;  // Instead of `dense_`; null for a dense tensor.
  RefPtr<GradNode> node_;
  RefPtr<AutogradMeta> meta_;
  std::atomic<ViewGroup*> view_group_{nullptr};  // Owns a reference.
  uint32_t output_ = 0;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_TENSOR_IMPL_H_
