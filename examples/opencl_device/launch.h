// SPDX-License-Identifier: Apache-2.0
// Launch: one kernel of the program, with its arguments, on a queue.
#ifndef OPENCL_DEVICE_LAUNCH_H_
#define OPENCL_DEVICE_LAUNCH_H_

#include <string>

#include "memory.h"
#include "opencl.h"
#include "phi/capi/plugin_cc.h"

// Throws sy::plugin::Error for what OpenCL refuses.
class Launch {
 public:
  Launch(const sy::plugin::Call& call, const char* name)
      : queue_(static_cast<cl_command_queue>(call.stream())), name_(name) {
    cl_int error = CL_SUCCESS;
    kernel_ = clCreateKernel(OpenCl::Get().program, name, &error);
    Check(error);
  }
  ~Launch() {
    if (kernel_ != nullptr) clReleaseKernel(kernel_);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // A tensor's first byte.
  Launch& Tensor(const void* address) {
    return At(Memory::Get().Find(address));
  }
  Launch& At(Span span) {
    Value(span.buffer);
    return Value(static_cast<cl_ulong>(span.offset));
  }
  template <typename T>
  Launch& Value(const T& value) {
    Check(clSetKernelArg(kernel_, next_++, sizeof(value), &value));
    return *this;
  }
  // Gives it to the queue, for width * height * depth results.
  void Run(int64_t width, int64_t height = 1, int64_t depth = 1) {
    const size_t size[] = {static_cast<size_t>(width),
                           static_cast<size_t>(height),
                           static_cast<size_t>(depth)};
    Check(clEnqueueNDRangeKernel(queue_, kernel_, 3, nullptr, size, nullptr, 0,
                                 nullptr, nullptr));
  }

 private:
  void Check(cl_int error) const {
    if (error == CL_SUCCESS) return;
    throw sy::plugin::Error(SY_INTERNAL, std::string("OpenCL kernel ") + name_ +
                                             ": error " +
                                             std::to_string(error));
  }

  cl_command_queue queue_;
  const char* name_;
  cl_kernel kernel_ = nullptr;
  cl_uint next_ = 0;
};

#endif  // OPENCL_DEVICE_LAUNCH_H_
