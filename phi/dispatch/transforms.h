// SPDX-License-Identifier: Apache-2.0
// The transforms that dispatch inserts before a kernel: calls of the ordinary
// operators cast, copy, contiguous and reorder, which every kernel set
// includes; and after it, where an output becomes strided again. They
// are selected under Policy::WithoutTransforms() and recorded by no
// SelectionRecorder; the line of the call that needs them names them. Which
// ones a call needs is decided in phi/selection/candidate.h.
#ifndef SWITCHYARD_PHI_DISPATCH_TRANSFORMS_H_
#define SWITCHYARD_PHI_DISPATCH_TRANSFORMS_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/selection/transform.h"

namespace switchyard::phi::dispatch {

// Returns `x` after one transform.
absl::StatusOr<DenseTensor> Transformed(const DenseTensor& x,
                                        const selection::Transform& transform);
// Does the same into `out`: an empty tensor, or one with a buffer that is
// written.
absl::Status TransformInto(const DenseTensor& x,
                           const selection::Transform& transform,
                           DenseTensor* out);

// Returns a copy with memory of its own, contiguous, on `place`.
absl::StatusOr<DenseTensor> Copied(const DenseTensor& x, Place place);

// Returns `x` cast to another dtype by a call of its own, under the thread's
// own policy and with a line in its transcript: what promotion does, in both
// executors.
absl::StatusOr<DenseTensor> Promoted(const DenseTensor& x, DataType dtype);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_TRANSFORMS_H_
