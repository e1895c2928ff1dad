// SPDX-License-Identifier: Apache-2.0
#include "opencl.h"

#include <stdexcept>

namespace {

void Check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  throw std::runtime_error(std::string("OpenCL: ") + what + " failed (" +
                           std::to_string(error) + ")");
}

std::string BuildLog(const OpenCl& made) {
  size_t size = 0;
  clGetProgramBuildInfo(made.program, made.device, CL_PROGRAM_BUILD_LOG, 0,
                        nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(made.program, made.device, CL_PROGRAM_BUILD_LOG, size,
                        log.data(), nullptr);
  return log;
}

OpenCl* Make() {
  auto* const made = new OpenCl();
  cl_platform_id platform = nullptr;
  cl_uint count = 0;
  Check(clGetPlatformIDs(1, &platform, &count), "finding a platform");
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &made->device, &count),
        "finding a device");
  char name[256] = {};
  clGetDeviceInfo(made->device, CL_DEVICE_NAME, sizeof(name) - 1, name,
                  nullptr);
  made->model = name;
  cl_ulong bytes = 0;
  clGetDeviceInfo(made->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(bytes),
                  &bytes, nullptr);
  made->memory_bytes = static_cast<int64_t>(bytes);
  cl_uint units = 0;
  clGetDeviceInfo(made->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units),
                  &units, nullptr);
  made->compute_units = units;
  cl_device_fp_config config = 0;
  clGetDeviceInfo(made->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config),
                  &config, nullptr);
  made->float64 = config != 0;
  cl_int error = CL_SUCCESS;
  made->context =
      clCreateContext(nullptr, 1, &made->device, nullptr, nullptr, &error);
  Check(error, "making a context");
  const char* source = kKernelSource;
  made->program =
      clCreateProgramWithSource(made->context, 1, &source, nullptr, &error);
  Check(error, "making the program");
  // Divisions and roots as the CPU rounds them, where the device can.
  if (clBuildProgram(made->program, 1, &made->device,
                     "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
                     nullptr, nullptr) != CL_SUCCESS &&
      clBuildProgram(made->program, 1, &made->device, "-cl-std=CL1.2", nullptr,
                     nullptr) != CL_SUCCESS) {
    throw std::runtime_error("OpenCL: the kernels do not compile: " +
                             BuildLog(*made));
  }
  return made;
}

}  // namespace

OpenCl& OpenCl::Get() {
  static OpenCl* const made = Make();
  return *made;
}
