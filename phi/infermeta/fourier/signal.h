// SPDX-License-Identifier: Apache-2.0
// InferMeta of frames of signals. `axis` is -1, where signals are along the
// last axis, or 0, where they are along the first.
#ifndef SWITCHYARD_PHI_INFERMETA_FOURIER_SIGNAL_H_
#define SWITCHYARD_PHI_INFERMETA_FOURIER_SIGNAL_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: the extent of `axis` becomes frame_length and the number of frames, or
// these in the other order where axis is 0.
absl::Status FrameInferMeta(const TensorSpec& x, int frame_length,
                            int hop_length, int axis, TensorSpec* out);

// out: the two axes of frames become one.
absl::Status OverlapAddInferMeta(const TensorSpec& x, int hop_length, int axis,
                                 TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_FOURIER_SIGNAL_H_
