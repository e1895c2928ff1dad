// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi::kernels::gpu {

ElementwiseLaunch LaunchOver(DenseTensor* out, DataType dtype) {
  ElementwiseLaunch launch = {};
  launch.count = out->numel();
  launch.rank = out->rank();
  launch.dtype = dtype;
  launch.output = out->mutable_data<void>();
  for (int axis = 0; axis < launch.rank; ++axis) {
    launch.extents[axis] = out->extent(axis);
  }
  return launch;
}

void AddInput(const DenseTensor& x, int k, ElementwiseLaunch* launch) {
  launch->inputs[k] = x.raw_data();
  const int lead = launch->rank - x.rank();
  for (int axis = 0; axis < x.rank(); ++axis) {
    launch->strides[k][lead + axis] =
        x.extent(axis) == 1 ? 0 : x.strides()[axis];
  }
}

absl::Status ElementwiseArguments::Launch(const GpuContext& context,
                                          DataType dtype,
                                          ElementwiseLauncher launcher) const {
  SY_RETURN_IF_ERROR(context.status());
  if (output_->numel() == 0) return absl::OkStatus();
  ElementwiseLaunch launch = LaunchOver(output_, dtype);
  bool one_row = true;  // Every input as it lies, in the output's order.
  for (int k = 0; k < input_count_; ++k) {
    AddInput(*inputs_[k], k, &launch);
    one_row = one_row && inputs_[k]->contiguous() &&
              inputs_[k]->numel() == launch.count;
  }
  if (one_row) {
    launch.rank = 1;
    launch.extents[0] = launch.count;
    for (int k = 0; k < input_count_; ++k) launch.strides[k][0] = 1;
  }
  return CudaStatus(launcher(launch, attrs_.data(), context.stream()),
                    "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
