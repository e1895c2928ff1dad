// SPDX-License-Identifier: Apache-2.0
// The steps that a convolution of oneDNN applies to its sums before it writes
// them.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_STEPS_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_STEPS_H_

#include "framework/tensor/dense_tensor.h"
#include "framework/types/post_ops.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// The steps that a primitive applies to the sums of a convolution before it
// writes them: adds the bias, then the residual, applies a function, multiplies
// by out_scale and adds out_shift. oneDNN may round a function otherwise than
// our own kernels.
struct OnednnEpilogue {
  // Which of the optional arguments there are.
  bool bias = false, residual = false, out_scale = false, out_shift = false;
  PostOp step;
};

// The inputs that an epilogue reads: tensors, or the shapes of a call whose
// layouts are requested. Null where there is none.
template <typename T>
struct OnednnEpilogueInputs {
  const T* bias = nullptr;
  const T* residual = nullptr;
  const T* out_scale = nullptr;
  const T* out_shift = nullptr;
};
using OnednnEpilogueTensors = OnednnEpilogueInputs<DenseTensor>;

// Returns the steps of a call with these inputs and at most one function.
template <typename T>
OnednnEpilogue MakeEpilogue(const OnednnEpilogueInputs<T>& inputs,
                            PostOps post_ops) {
  OnednnEpilogue epilogue;
  epilogue.bias = inputs.bias != nullptr;
  epilogue.residual = inputs.residual != nullptr;
  epilogue.out_scale = inputs.out_scale != nullptr;
  epilogue.out_shift = inputs.out_shift != nullptr;
  // Asked about the layouts of a call before its condition refuses it, it may
  // have several.
  epilogue.step = post_ops.only();
  return epilogue;
}

// Returns whether there is any step.
bool HasSteps(const OnednnEpilogue& epilogue);

// Adds the function to what is done with the sums.
void AppendPostOp(const OnednnEpilogue& epilogue, dnnl::post_ops* ops);

// Adds what tells calls with this epilogue from those with others.
void AppendTo(OnednnKey* key, const OnednnEpilogue& epilogue);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_STEPS_H_
