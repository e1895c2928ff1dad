// SPDX-License-Identifier: Apache-2.0
// A backend of this workspace: one constant, and one kernel for relu that is
// asked before Switchyard's own. To be linked is all that it takes.
#include <algorithm>

#include "framework/device/backend.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/relu.gen.h"

namespace switchyard::phi {

extern const BackendInfo backend_fast;
// Ranked above `onednn` (200) and `cpu` (100).
constexpr BackendInfo backend_fast = {"fast", &device_cpu, 250,
                                      /*by_default=*/true,
                                      &CpuContext::kContexts};

namespace kernels::fast {

// Small items of a batch are left to the others.
template <typename S>
inline constexpr auto kReluSpec =
    KernelSpec<S>().When(ItemElementsAtLeast(S::kX, 4));

template <typename T>
absl::Status ReluKernel(const CpuContext& context, const DenseTensor& x,
                        DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.Allocate(out));
  const T* from = x.data<T>();
  // NaN stays NaN.
  std::transform(from, from + x.numel(), out->mutable_data<T>(),
                 [](T value) { return value < 0 ? T(0) : value; });
  return absl::OkStatus();
}

}  // namespace kernels::fast

SY_REGISTER_KERNEL(relu, Relu, fast, CpuContext, float32);

}  // namespace switchyard::phi
