// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.h"

#include <cstdint>

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

namespace {

bool Aligned(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

bool InFours(const ElementwiseLaunch& launch, int inputs) {
  const int last = launch.rank - 1;
  if (last < 0 || !Aligned(launch.output)) return false;
  if (last > 0 && launch.extents[last] % 4 != 0) return false;
  for (int k = 0; k < inputs; ++k) {
    if (launch.strides[k][last] == 0) continue;
    if (launch.strides[k][last] != 1 || !Aligned(launch.inputs[k])) {
      return false;
    }
    for (int axis = 0; axis < last; ++axis) {
      if (launch.strides[k][axis] % 4 != 0) return false;
    }
  }
  return true;
}

}  // namespace

absl::Status ElementwiseArguments::Launch(const GpuContext& context,
                                          DataType dtype,
                                          ElementwiseLauncher launcher) const {
  SY_RETURN_IF_ERROR(context.status());
  if (output_->numel() == 0) return absl::OkStatus();
  ElementwiseLaunch launch = LaunchOver(output_, dtype);
  // Every input as it lies, in the output's order, or one number.
  bool one_row = true;
  for (int k = 0; k < input_count_; ++k) {
    AddInput(*inputs_[k], k, &launch);
    const int64_t count = inputs_[k]->numel();
    one_row = one_row && (count == 1 ||
                          (inputs_[k]->contiguous() && count == launch.count));
  }
  if (one_row) {
    launch.rank = 1;
    launch.extents[0] = launch.count;
    for (int k = 0; k < input_count_; ++k) {
      launch.strides[k][0] = inputs_[k]->numel() == 1 ? 0 : 1;
    }
  }
  launch.in_fours = InFours(launch, input_count_);
  return CudaStatus(launcher(launch, attrs_.data(), context.stream()),
                    "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
