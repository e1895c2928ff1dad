// SPDX-License-Identifier: Apache-2.0
// The OpenCL context and program that the whole plugin uses.
#ifndef OPENCL_DEVICE_OPENCL_H_
#define OPENCL_DEVICE_OPENCL_H_

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

// The first device of the first platform. Made when it is first asked for, by
// the function that registers; throws std::runtime_error if there is none or
// it can't compile the kernels.
struct OpenCl {
  static OpenCl& Get();

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_program program = nullptr;
  std::string model;
  int64_t memory_bytes = 0;
  int64_t compute_units = 0;
  bool float64 = false;  // Whether it computes with double.
};

// The source of the kernels (kernels.cc).
extern const char* const kKernelSource;

#endif  // OPENCL_DEVICE_OPENCL_H_
