// SPDX-License-Identifier: Apache-2.0
// OwnKernelCase: calls of the operators that the backend `gpu` has kernels of
// its own for: conversions, filling, reductions, products, steps of optimizers.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_OWN_KERNEL_CASES_H_
#define SWITCHYARD_PHI_KERNELS_GPU_OWN_KERNEL_CASES_H_

#include <vector>

#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {

// A call, and how near the GPU's result is to the reference kernel's.
struct OwnKernelCase {
  KernelCase call;
  Tolerance tolerance;
};

// Returns calls in the dtypes that the kernels are registered for, with inputs
// in the host's memory.
std::vector<OwnKernelCase> OwnKernelCases();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_GPU_OWN_KERNEL_CASES_H_
