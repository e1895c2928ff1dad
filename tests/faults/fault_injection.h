// SPDX-License-Identifier: Apache-2.0
// Fault injection into a whole program, for binaries that are linked with
// FAULT_LINKOPTS (faults.bzl). Two kinds of requests are refused when told to:
// blocks of CpuAllocator(), which has a status for that, and the memory of
// everything else: operator new and NewObjectBlock(), which throw
// std::bad_alloc. An allocator to hand to one object is
// framework/memory/fault_injecting_allocator.h.
#ifndef SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_
#define SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_

#include <cstdint>

// For ctypes, too.
extern "C" {

// The next `count` blocks of CpuAllocator() are given, the one after them is
// refused, once. Over all threads.
void SyRefuseAllocationAfter(int64_t count);
// Refuses each allocation of more than `bytes` bytes; INT64_MAX: none.
void SyRefuseAllocationsOver(int64_t bytes);
// Refuses none in turn from now on; whether one was refused since the last
// call.
bool SyStopRefusing();
// Blocks that the real allocator gave out and has not got back.
int64_t SyLiveBlocks();

// The next `count` requests of this thread for other memory are granted, those
// after them fail: one, or all if `lasting`.
void SyFailNewAfter(int64_t count, bool lasting);
// Fails none from now on; how many failed since SyFailNewAfter.
int64_t SyStopFailingNew();
// How many requests this thread has made since SyFailNewAfter.
int64_t SyNewRequests();
// Returns the number of blocks that operator new gave out and has not got back,
// over all threads.
int64_t SyLiveNews();

}  // extern "C"

#endif  // SWITCHYARD_TESTS_FAULTS_FAULT_INJECTION_H_
