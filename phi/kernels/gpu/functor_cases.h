// SPDX-License-Identifier: Apache-2.0
// FunctorCase: calls of the operators that the backend `gpu` has by functors.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_FUNCTOR_CASES_H_
#define SWITCHYARD_PHI_KERNELS_GPU_FUNCTOR_CASES_H_

#include <vector>

#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {

// A call, and how near the GPU's result is to the reference kernel's.
struct FunctorCase {
  KernelCase call;
  Tolerance tolerance;
};

// Returns calls in every dtype that the kernels are registered for, with
// inputs in the host's memory that broadcast, contiguous and of other strides.
std::vector<FunctorCase> FunctorCases();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_GPU_FUNCTOR_CASES_H_
