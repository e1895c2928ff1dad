// SPDX-License-Identifier: Apache-2.0
// Fault injection into a whole program: every call of CpuAllocator() goes to an
// allocator that refuses when told to, else to the real one. For binaries that
// are linked with FAULT_LINKOPTS (faults.bzl). An allocator to hand to one
// object is framework/memory/faulty_allocator.h.
#ifndef SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_
#define SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_

#include <cstdint>

// For ctypes, too.
extern "C" {

// The next `count` allocations succeed, the one after them is refused, once.
void SyRefuseAllocationAfter(int64_t count);
// Refuses none from now on; whether one was refused since the last call.
bool SyStopRefusing();
// Blocks that the real allocator gave out and has not got back.
int64_t SyLiveBlocks();

}  // extern "C"

#endif  // SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_
