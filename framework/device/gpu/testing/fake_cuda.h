// SPDX-License-Identifier: Apache-2.0
// FakeCuda: the functions of the CUDA runtime and of cuBLAS that this project
// calls, over memory of the host, for tests without a GPU. A test that has
// fake_cuda.cc and fake_cublas.cc among its sources links them in place of the
// libraries.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_GPU_TESTING_FAKE_CUDA_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_GPU_TESTING_FAKE_CUDA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct CUstream_st;

namespace switchyard {

// The one fake driver of the process; `index` of a GPU is from 0.
//
// It is as late as a driver may be: a stream's work runs when someone waits for
// it, in the order of the stream and after the events that it waits for. Memory
// of the device can be touched by such work alone; a read or write by the host
// ends the test with a fault. A copy must lie inside one allocation.
class FakeCuda {
 public:
  // Sets the number of GPUs and the bytes that each can allocate; forgets
  // faults to come, a failure that has been, and the calls. What is allocated
  // and what streams have been given stays.
  static void Reset(int gpus = 1, size_t bytes = size_t{1} << 30);

  // Lets the call of this name after the next `after` of them return `code`
  // and do nothing.
  static void FailCall(const std::string& name, int code, int after = 0);
  // Lets the work that a stream runs next fail with `code`: it is not done, and
  // as with CUDA every later call that can fail returns the same code.
  static void FailWork(int code);

  // Returns the names of the calls since Reset(), in order.
  static std::vector<std::string> Calls();
  // Returns the number of allocations that were not freed.
  static size_t Allocations();
  // Returns true if all work that was given to streams has run.
  static bool Idle();

  // Gives a kernel's work to a stream, as `<<<>>>` does; returns CUDA's code.
  static int Launch(CUstream_st* stream, std::function<void()> work);
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_GPU_TESTING_FAKE_CUDA_H_
