// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/nccl_api.h"

#include <dlfcn.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::collective {
namespace {

// A library that is open, and the first symbol that it lacks.
class Library {
 public:
  explicit Library(const char* name)
      : handle_(dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {}

  bool is_open() const { return handle_ != nullptr; }
  const std::string& missing() const { return missing_; }

  template <typename Pointer>
  void Find(const char* symbol, Pointer* found) {
    *found = reinterpret_cast<Pointer>(dlsym(handle_, symbol));
    if (*found == nullptr && missing_.empty()) missing_ = symbol;
  }

 private:
  void* const handle_;
  std::string missing_;
};

}  // namespace

absl::StatusOr<NcclApi> OpenNccl() {
  Library library("libnccl.so.2");
  if (!library.is_open()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "transport nccl: NCCL could not be opened (", dlerror(),
        "); install the package libnccl2, or choose the transport tcp"));
  }
  NcclApi nccl;
  library.Find("ncclGetVersion", &nccl.GetVersion);
  library.Find("ncclGetUniqueId", &nccl.GetUniqueId);
  library.Find("ncclCommInitRankConfig", &nccl.CommInitRankConfig);
  library.Find("ncclCommGetAsyncError", &nccl.CommGetAsyncError);
  library.Find("ncclCommAbort", &nccl.CommAbort);
  library.Find("ncclSend", &nccl.Send);
  library.Find("ncclRecv", &nccl.Recv);
  library.Find("ncclGroupStart", &nccl.GroupStart);
  library.Find("ncclGroupEnd", &nccl.GroupEnd);
  library.Find("ncclGetErrorString", &nccl.GetErrorString);
  library.Find("ncclGetLastError", &nccl.GetLastError);
  int version = 0;
  if (nccl.GetVersion != nullptr) nccl.GetVersion(&version);
  if (version < kNcclLeastVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("transport nccl: the package libnccl2 must be of version ",
                     "2.18 or later, got version code ", version));
  }
  if (library.missing().empty()) return nccl;
  return absl::FailedPreconditionError(
      absl::StrCat("transport nccl: libnccl.so.2 has no ", library.missing()));
}

absl::StatusOr<CudaApi> OpenCuda() {
  Library library("libcuda.so.1");
  if (!library.is_open()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "transport nccl: the driver of NVIDIA's GPUs could not be opened (",
        dlerror(),
        "); install the package libcuda1, or choose the transport "
        "tcp"));
  }
  CudaApi cuda;
  library.Find("cuInit", &cuda.Init);
  library.Find("cuDeviceGetCount", &cuda.DeviceGetCount);
  library.Find("cuDeviceGet", &cuda.DeviceGet);
  library.Find("cuDevicePrimaryCtxRetain", &cuda.PrimaryCtxRetain);
  library.Find("cuDevicePrimaryCtxRelease_v2", &cuda.PrimaryCtxRelease);
  library.Find("cuCtxPushCurrent_v2", &cuda.CtxPushCurrent);
  library.Find("cuCtxPopCurrent_v2", &cuda.CtxPopCurrent);
  library.Find("cuStreamCreate", &cuda.StreamCreate);
  library.Find("cuStreamDestroy_v2", &cuda.StreamDestroy);
  library.Find("cuStreamSynchronize", &cuda.StreamSynchronize);
  library.Find("cuEventCreate", &cuda.EventCreate);
  library.Find("cuEventDestroy_v2", &cuda.EventDestroy);
  library.Find("cuEventRecord", &cuda.EventRecord);
  library.Find("cuEventQuery", &cuda.EventQuery);
  library.Find("cuMemAllocAsync", &cuda.MemAllocAsync);
  library.Find("cuMemFreeAsync", &cuda.MemFreeAsync);
  library.Find("cuMemcpyHtoDAsync_v2", &cuda.MemcpyHtoDAsync);
  library.Find("cuMemcpyDtoHAsync_v2", &cuda.MemcpyDtoHAsync);
  library.Find("cuPointerGetAttribute", &cuda.PointerGetAttribute);
  library.Find("cuGetErrorString", &cuda.GetErrorString);
  if (library.missing().empty()) return cuda;
  return absl::FailedPreconditionError(
      absl::StrCat("transport nccl: libcuda.so.1 has no ", library.missing(),
                   "; CUDA 11.2 or later is needed"));
}

absl::Status CheckCuda(const CudaApi& cuda, int result) {
  if (result == kCudaSuccess) return absl::OkStatus();
  const char* text = nullptr;
  cuda.GetErrorString(result, &text);
  return absl::AbortedError(absl::StrCat(
      "could not use its GPU (",
      text == nullptr ? absl::StrCat("error ", result) : std::string(text),
      ")"));
}

}  // namespace switchyard::collective
