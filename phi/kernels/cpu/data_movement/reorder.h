// SPDX-License-Identifier: Apache-2.0
// reorder on the CPU: elements from one layout to another.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REORDER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REORDER_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Moves the elements of x to `out`, whose layout says where; padding is zeros.
absl::Status MoveReordered(const DenseTensor& x, DenseTensor* out);

template <typename S>
inline constexpr auto kReorderSpec = KernelSpec<S>()
                                         .Input(S::kX,
                                                WithAnyLayout(AnyStrides()))
                                         .Output(S::kOut,
                                                 WithAnyLayout(ArgDef()));
template <typename T>
absl::Status ReorderKernel(const CpuContext&, const DenseTensor& x,
                           std::string_view, DenseTensor* out) {
  return MoveReordered(x, out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REORDER_H_
