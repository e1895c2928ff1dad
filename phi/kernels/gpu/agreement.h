// SPDX-License-Identifier: Apache-2.0
// Tests of kernels of a GPU: what they compute there, beside the reference
// kernels.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_AGREEMENT_H_
#define SWITCHYARD_PHI_KERNELS_GPU_AGREEMENT_H_

#include <string_view>

#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {

// Returns `x` on `place`, moved by the devices' records; an empty tensor, and
// a failure of the test, if it can't be moved.
DenseTensor Moved(const DenseTensor& x, Place place);

// Runs `call` by the kernel of `backend` (gpu, gpudnn) on gpu:0, with the
// inputs moved there, and expects the reference kernel's first output.
void ExpectAgreement(const KernelCase& call, std::string_view backend,
                     Tolerance tolerance);

// Runs the calls of functor_cases.h, own_kernel_cases.h and gpu_cases.h of the
// backend `gpu`.
void ExpectAllOfGpuAgree();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_GPU_AGREEMENT_H_
