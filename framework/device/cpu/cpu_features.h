// SPDX-License-Identifier: Apache-2.0
// The abilities of this CPU that not every x86-64 CPU has and that decide more
// than the code of a kernel: which arithmetic a program may be asked for.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_FEATURES_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_FEATURES_H_

namespace switchyard {

// Returns whether the CPU multiplies bfloat16 with sums in float32, and the
// operating system saves the registers: avx512_bf16 in /proc/cpuinfo. CPUs with
// AMX have it too.
bool HasAvx512Bf16();

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_FEATURES_H_
