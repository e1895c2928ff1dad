// SPDX-License-Identifier: Apache-2.0
// TensorBody: what Tensor (eager/tensor.h) points at. For eager's own code
// (run, engine, nodes); users of tensors want the handle.
#ifndef SWITCHYARD_EAGER_TENSOR_BODY_H_
#define SWITCHYARD_EAGER_TENSOR_BODY_H_

#include <atomic>
#include <cstdint>

#include "framework/memory/cpu_allocator.h"
#include "framework/memory/ref_ptr.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/owned_tensor.h"

namespace switchyard::eager {

class AutogradMeta;  // eager/autograd/autograd_meta.h
class GradNode;      // eager/autograd/grad_node.h
class ViewFamily;    // eager/autograd/view_family.h

// Holds a tensor's storage and its place in the graph of gradients. Owned by
// the handles together; owns its node, its gradient and hooks, and a reference
// to its family of views. Synchronised as Tensor says.
class TensorBody : public RefCounted<TensorBody> {
 public:
  TensorBody();  // Dense and without dtype: a result to be filled in.
  explicit TensorBody(DenseTensor&& dense);
  // Takes a tensor of another kind.
  explicit TensorBody(OwnedTensor other);
  ~TensorBody();
  // Every operator makes one.
  static void* operator new(size_t bytes) { return NewObjectBlock(bytes); }
  static void operator delete(void* body, size_t bytes) {
    DeleteObjectBlock(body, bytes);
  }
  TensorBody(const TensorBody&) = delete;
  TensorBody& operator=(const TensorBody&) = delete;

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
  ViewFamily* family() const { return family_.load(std::memory_order_acquire); }
  // Returns the family, which it founds if need be. Threads that make views of
  // one tensor at the same time get the same one.
  RefPtr<ViewFamily> FoundFamily();
  // Makes a new view a member.
  void JoinFamily(RefPtr<ViewFamily> family);

 private:
  DenseTensor dense_;
  OwnedTensor other_;  // Instead of `dense_`; null for a dense tensor.
  RefPtr<GradNode> node_;
  RefPtr<AutogradMeta> meta_;
  std::atomic<ViewFamily*> family_{nullptr};  // Owns a reference.
  uint32_t output_ = 0;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_BODY_H_
