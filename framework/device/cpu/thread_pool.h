// SPDX-License-Identifier: Apache-2.0
// RunOnTeam: one job on several threads at once, and the pool of workers that
// it. Work that is cut into chunks is parallel.h's.
//
// All threads that open regions share the process's workers. One that has
// nothing to do spins for some ten microseconds and then sleeps, so that the
// next operator of a program finds it awake and an idle process costs nothing.
//
// The join waits for claimed work only. A worker takes part in a region once it
// has entered it; a region is closed when its opener has nothing left to do,
// and from then on nobody enters. So a worker that another process keeps off
// its core delays no region that it has not entered: the opener does its share.
// Threads that run regions at once never wait for each other, and an opener
// that waits runs nothing else meanwhile.
//
// Workers are never joined: they live to the end of the process and hold
// nothing that must be released. They block all signals. A child of fork() has
// none of them and must not open regions (ParallelFor sees to that).
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_THREAD_POOL_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_THREAD_POOL_H_

#include "absl/functional/function_ref.h"

namespace switchyard {

// Calls job(0) on this thread and, on each of at most `team` - 1 workers that
// come before it returns, job(number) with the worker's own number, at least 1
// and the same from call to call. Returns when all these calls have returned.
// So job(0) must be able to do everything. Workers take on the floating-point
// control word of the calling thread (float_control.h). `job` must not throw.
void RunOnTeam(int team, absl::FunctionRef<void(int)> job);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_THREAD_POOL_H_
