// SPDX-License-Identifier: Apache-2.0
// GpuCase: the calls that the tests of this folder make.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_GPU_CASES_H_
#define SWITCHYARD_PHI_KERNELS_GPU_GPU_CASES_H_

#include <string_view>
#include <vector>

#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {

// A call in float32 and the backend whose kernel is tested with it.
struct GpuCase {
  std::string_view backend;
  KernelCase call;
};

// Returns calls of either way in which the backends gpu and gpudnn compute (a
// functor, cuBLAS, cuDNN), with inputs in the host's memory. Every operator of
// gpu is called by functor_cases.h and own_kernel_cases.h.
std::vector<GpuCase> GpuCases();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_GPU_GPU_CASES_H_
