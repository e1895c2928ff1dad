// SPDX-License-Identifier: Apache-2.0
// Tensor: the value of define-by-run programs. It knows no operator: those are
// in eager/ops (generated), all through eager/call/run.h. Backward() and Grad()
// are in eager/autograd/engine.h; the graph's nodes in
// eager/tensor/grad_node.h. DenseTensor (framework/tensor) is the same storage
// without gradients.
#ifndef SWITCHYARD_EAGER_TENSOR_TENSOR_H_
#define SWITCHYARD_EAGER_TENSOR_TENSOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "eager/tensor/tensor_impl.h"
#include "framework/memory/ref_ptr.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"

namespace switchyard::eager {

class Tensor;

// Runs on a gradient before it flows on. Returns the gradient to use instead,
// or an undefined tensor to leave it as it is. An error stops the backward run.
using GradHook = std::function<absl::StatusOr<Tensor>(const Tensor& grad)>;

// Runs after a leaf's gradient was accumulated, with that gradient in place: it
// may replace or drop it (an optimizer step inside backward).
using PostAccumulateHook = std::function<absl::Status(Tensor* grad)>;

// Removes a hook again. Remove() may be called any number of times, also when
// the tensor is gone. Dropping the handle leaves the hook where it is.
class HookHandle {
 public:
  HookHandle();
  HookHandle(RefPtr<AutogradMeta> meta, uint64_t id);
  HookHandle(const HookHandle&);
  HookHandle& operator=(const HookHandle&);
  ~HookHandle();
  void Remove();

 private:
  RefPtr<AutogradMeta> meta_;
  uint64_t id_ = 0;
};

// The value of define-by-run programs: a handle, one pointer wide, on storage
// and its position in the graph of gradients. Copying a Tensor copies the
// handle; two handles of one tensor see the same gradient. A default-made
// Tensor is undefined: an absent argument, a gradient that is zero.
//
//   Tensor w = FromValues<float>({1, 2}, {2});   // eager/tensor/values.h
//   SY_RETURN_IF_ERROR(w.set_requires_grad(true));
//   SY_RETURN_IF_ERROR(Backward({sum(multiply(w, w))}));
//   w.grad();                                    // [2, 4]
//
// Terms. A tensor *requires grad* if it is a leaf that the user marked or the
// result of an operator on such. A *leaf* was not computed by a recorded
// operator. Views (results of reshape, slice, ... and `detach`) share the
// buffer and so its version counter.
//
// Thread safety: as a shared_ptr. Handles may be copied and read in many
// threads; a caller that changes one tensor (its data, requires_grad, hooks)
// makes sure that no other thread uses it meanwhile. Gradients of one leaf may
// be accumulated from several threads.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(DenseTensor dense);
  explicit Tensor(const SelectedRows& rows);
  // Takes over an impl (eager's own code).
  explicit Tensor(RefPtr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const { return defined(); }
  // Returns true if both are handles of one tensor; elements are not compared.
  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.impl_ == b.impl_;
  }
  friend bool operator!=(const Tensor& a, const Tensor& b) { return !(a == b); }

  // Everything below requires defined().
  TensorKind kind() const { return base().kind(); }
  const TensorBase& base() const { return impl_->base(); }
  // Require kind() kDense, or kSelectedRows. Writing through mutable_dense() is
  // no operator: nothing is recorded, the version does not move.
  const DenseTensor& dense() const { return impl_->dense(); }
  DenseTensor& mutable_dense() { return impl_->mutable_dense(); }
  const SelectedRows& selected_rows() const {
    return static_cast<const SelectedRows&>(base());
  }

  // These describe the dense tensor, or the one that a tensor of another kind
  // stands for.
  DataType dtype() const { return base().dtype(); }
  Shape shape() const { return base().shape(); }
  int rank() const { return base().rank(); }
  int64_t numel() const {
    return kind() == TensorKind::kDense ? dense().numel() : shape().numel();
  }
  Place place() const { return base().place(); }
  // Counts the in-place writes to the buffer, by whichever view.
  uint32_t version() const;

  bool requires_grad() const { return static_cast<bool>(impl_->node()); }
  bool is_leaf() const;
  // Marks a leaf. TypeError if `value` and the dtype is not floating;
  // FailedPrecondition on a tensor that was computed (detach() it instead).
  absl::Status set_requires_grad(bool value);

  // Returns the gradient that backward runs have accumulated; undefined if
  // there is none. Tensors that are not leaves have one only after
  // RetainGrad().
  Tensor grad() const;
  // Replaces the gradient; undefined clears it. ArgumentError or TypeError if
  // shape or dtype differ from this tensor's.
  absl::Status set_grad(Tensor grad);
  // Keeps the gradient of a tensor that was computed. FailedPrecondition if
  // it does not require grad.
  absl::Status RetainGrad();
  bool retains_grad() const;

  // Returns a tensor over the same buffer that is no part of the graph.
  Tensor detach() const;

  // Registers a hook. Hooks of one tensor run in the order of registration,
  // each on the result of the one before. FailedPrecondition if the tensor does
  // not require grad.
  absl::StatusOr<HookHandle> RegisterHook(GradHook hook);
  // Registers a hook of a leaf; FailedPrecondition for other tensors.
  absl::StatusOr<HookHandle> RegisterPostAccumulateHook(
      PostAccumulateHook hook);

  // Returns the node that takes this tensor's gradient; null without
  // requires_grad().
  const GradNode* grad_node() const;

  const RefPtr<TensorImpl>& impl() const { return impl_; }

 private:
  RefPtr<TensorImpl> impl_;
};

// Returns "float32[2, 3] on cpu", or "undefined".
std::string ToString(const Tensor& tensor);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_TENSOR_H_
