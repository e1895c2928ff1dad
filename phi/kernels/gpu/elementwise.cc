// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi::kernels::gpu {

absl::Status LaunchOn(const GpuContext& context,
                      absl::Span<const DenseTensor* const> inputs,
                      ElementwiseLauncher launcher, DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  if (out->numel() == 0) return absl::OkStatus();
  ElementwiseLaunch launch = {};
  launch.count = out->numel();
  launch.rank = out->rank();
  launch.output = out->mutable_data<void>();
  for (int axis = 0; axis < launch.rank; ++axis) {
    launch.extents[axis] = out->extent(axis);
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    const DenseTensor& x = *inputs[k];
    launch.inputs[k] = x.raw_data();
    const int lead = launch.rank - x.rank();
    for (int axis = 0; axis < x.rank(); ++axis) {
      launch.strides[k][lead + axis] =
          x.extent(axis) == 1 ? 0 : x.strides()[axis];
    }
  }
  return CudaStatus(launcher(launch, context.stream()), "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
