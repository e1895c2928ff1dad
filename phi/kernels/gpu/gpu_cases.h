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

// Returns a call or more for every operator with a kernel of the backends gpu
// and gpudnn, with inputs in the host's memory.
std::vector<GpuCase> GpuCases();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_GPU_GPU_CASES_H_
