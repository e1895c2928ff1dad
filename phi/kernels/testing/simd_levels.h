// SPDX-License-Identifier: Apache-2.0
// Running kernels at each instruction set that they are compiled for and that
// this machine has, not at the best alone.
#ifndef SWITCHYARD_PHI_KERNELS_TESTING_SIMD_LEVELS_H_
#define SWITCHYARD_PHI_KERNELS_TESTING_SIMD_LEVELS_H_

#include "absl/functional/function_ref.h"

namespace switchyard::phi::kernels {

// Calls `body(name)` under each level: "SSE4", "AVX2", "AVX3" (AVX-512). The
// choice at run time is the machine's again afterwards.
void ForEachSimdLevel(absl::FunctionRef<void(const char*)> body);

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_TESTING_SIMD_LEVELS_H_
