// SPDX-License-Identifier: Apache-2.0
// The instruction sets that the vector kernels are compiled for, chosen among
// at run time: SSE4, AVX2 and AVX-512. A .cc defines HWY_TARGET_INCLUDE as its
// own path and includes an `-inl.h` header, which includes this before anything
// of Highway's; the .cc is then compiled once for each. No -m
// flag is needed, and none may be given. What is computed is elsewhere: the
// `-inl.h` headers here and phi/kernels/functors.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SIMD_SIMD_TARGETS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SIMD_SIMD_TARGETS_H_

#if defined(__x86_64__)
// Without it Highway's baseline for plain x86-64 is emulation by loops. Every
// x86-64 CPU since 2008 has SSE4.
#define HWY_BASELINE_TARGETS HWY_SSE4
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif

#include "hwy/foreach_target.h"

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SIMD_SIMD_TARGETS_H_

// Per target: no guard.
#include "hwy/highway.h"
