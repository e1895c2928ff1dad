// SPDX-License-Identifier: Apache-2.0
// Suppression of boxes in their order on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/detection/suppression.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kNmsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status NmsKernel(const CpuContext& context, const DenseTensor& x,
                       double threshold, DenseTensor* out) {
  const int64_t count = x.extent(0);
  SY_ASSIGN_OR_RETURN(const auto kept,
                      Workspace<int64_t>::Make(context.allocator(), count));
  const int64_t size = SuppressInOrder(x.data<T>(), count,
                                       static_cast<T>(threshold), kept.data());
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt64, Shape({size}), out));
  std::copy_n(kept.data(), size, out->mutable_data<int64_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_
