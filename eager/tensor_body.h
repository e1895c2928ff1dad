// SPDX-License-Identifier: Apache-2.0
// TensorBody: what Tensor (eager/tensor.h) points at: storage, and the tensor's
// place in the graph of gradients. For eager's own code (run, engine, nodes);
// users of tensors want the handle.
#ifndef SWITCHYARD_EAGER_TENSOR_BODY_H_
#define SWITCHYARD_EAGER_TENSOR_BODY_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "framework/memory/cpu_allocator.h"
#include "framework/memory/ref_ptr.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"

namespace switchyard::eager {

class AutogradMeta;  // eager/autograd/autograd_meta.h
class GradNode;      // eager/autograd/grad_node.h
class ViewFamily;    // eager/autograd/view_family.h

class TensorBody : public RefCounted<TensorBody> {
 public:
  TensorBody();  // Dense and without dtype: a result to be filled in.
  explicit TensorBody(DenseTensor&& dense);
  explicit TensorBody(SelectedRows rows);
  ~TensorBody();
  // Every operator makes one.
  static void* operator new(size_t bytes) { return NewObjectBlock(bytes); }
  static void operator delete(void* body, size_t bytes) {
    DeleteObjectBlock(body, bytes);
  }
  TensorBody(const TensorBody&) = delete;
  TensorBody& operator=(const TensorBody&) = delete;

  const TensorBase& base() const {
    return rows_ == nullptr ? static_cast<const TensorBase&>(dense_) : *rows_;
  }
  const DenseTensor& dense() const { return dense_; }
  DenseTensor& mutable_dense() { return dense_; }
  // Null for a dense tensor.
  const SelectedRows* rows() const { return rows_.get(); }
  SelectedRows* mutable_rows() { return rows_.get(); }
  // The tensor whose buffer holds the values, of either kind.
  const DenseTensor& values() const {
    return rows_ == nullptr ? dense_ : rows_->values();
  }

  // Who takes the gradient of this tensor: output number output() of the
  // operator that node() recorded; an AccumulateGrad for a leaf; null if the
  // tensor does not require grad.
  const RefPtr<GradNode>& node() const { return node_; }
  uint32_t output() const { return output_; }
  void SetNode(RefPtr<GradNode> node, uint32_t output);

  // Gradient and hooks; null until there is something to keep.
  const RefPtr<AutogradMeta>& meta() const { return meta_; }
  AutogradMeta& MutableMeta();
  void SetMeta(RefPtr<AutogradMeta> meta);

  // The tensors that share this one's buffer as views; null if there are none.
  ViewFamily* family() const { return family_.load(std::memory_order_acquire); }
  // The family, founded if need be. Threads that make views of one tensor at
  // the same time get the same one.
  RefPtr<ViewFamily> FoundFamily();
  // For a new view.
  void JoinFamily(RefPtr<ViewFamily> family);

 private:
  DenseTensor dense_;
  std::unique_ptr<SelectedRows> rows_;
  RefPtr<GradNode> node_;
  RefPtr<AutogradMeta> meta_;
  std::atomic<ViewFamily*> family_{nullptr};  // Owns a reference.
  uint32_t output_ = 0;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_BODY_H_
