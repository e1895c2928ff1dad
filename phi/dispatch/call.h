// SPDX-License-Identifier: Apache-2.0
// Call: one eager call of an operator, in five steps: promote, infer, select,
// transform, launch. The generated functions of phi/api, eager's Run and the
// legacy calls are packs around it; it knows no operator and no autograd. The
// static executor takes the same steps at lowering (static_graph/lowering) by
// the same functions of phi/promotion, phi/infermeta and phi/selection.
//
//   absl::StatusOr<DenseTensor> softmax(const DenseTensor& x, int axis) {
//     const TensorBase* const inputs[] = {&x};
//     const AttrRef attrs[] = {axis};
//     DenseTensor out;
//     TensorBase* const outputs[] = {&out};
//     Call call(info_softmax, {inputs, attrs, outputs});
//     SY_RETURN_IF_ERROR(call.Run(kernels_softmax.Get()));
//     return out;
//   }
//
// Nothing is written, and no output changes, before every check has passed. A
// warm call of up to eight tensors takes no memory from the heap but that of
// its outputs' elements, and neither hashes nor compares strings. One that is
// like an earlier one is not even inferred and selected again
// (dispatch_cache.h).
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_H_

#include "absl/base/optimization.h"
#include "framework/base/status.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_table.h"
#include "phi/dispatch/call_state.h"
#include "phi/dispatch/environment.h"

namespace switchyard::phi::dispatch {

// One call, whose steps are made in the order above. It belongs to one thread,
// for the length of a function; the first step that fails ends it, with an
// error that names the operator.
class Call {
 public:
  // All arguments are borrowed until Launch returned. Output tensors are empty,
  // except those that are written in place: they hold the buffer to write (a
  // copy of the input's DenseTensor), and InferMeta's dtype and shape must be
  // theirs. They are dense as a rule; `maker` replaces those of which InferMeta
  // says otherwise, and without it that is a TypeError. With lists, the caller
  // sizes outputs by LayOutOutputs().
  Call(const OpInfo& info, const TensorArgs& args, OutputMaker* maker = nullptr)
      : state_(info, args, maker) {}

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Lets outputs have another layout than strided: for transforms, whose
  // results go to a kernel. All other callers get an error instead.
  void AllowLayouts() { state_.layouts_allowed = true; }

  // Lets Prepare() choose the composite that ends the operator's row, and no
  // kernel (phi/selection/composite.h); for callers that can run it. Where the
  // entry has no kernels, what Prepare() would refuse is the composite's to
  // refuse.
  void AllowComposite() { state_.query.composes = true; }
  // Returns whether Prepare() chose it; then Launch() must not be called.
  bool composes() const { return state_.selection.composed; }

  // Does everything except the launch, under the thread's Environment.
  // Afterwards the inputs are what the kernel asks for and the outputs have
  // metadata and memory (except views and those that the kernel allocates).
  // Errors carry the operator's name.
  absl::Status Prepare(const OpKernels& op_kernels);

  // Runs the kernel; requires that Prepare() succeeded. Does nothing where no
  // output has elements and the kernel has no other effect. Moves the outputs
  // of a fallback back to the call's place.
  absl::Status Launch();

  absl::Status Run(const OpKernels& op_kernels) {
    SY_RETURN_IF_ERROR(Prepare(op_kernels));
    if (ABSL_PREDICT_FALSE(composes())) return absl::OkStatus();
    return Launch();
  }

  // Returns the selected kernel. Requires Prepare().
  const KernelDef& kernel() const { return state_.kernel(); }
  // Returns an input as the kernel gets it: promoted and transformed. Requires
  // Prepare().
  const TensorBase* input(int slot) const { return state_.inputs[slot]; }

 private:
  CallState state_;
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_H_
