// SPDX-License-Identifier: Apache-2.0
// NcclApi and CudaApi: the functions of NCCL and of the driver of NVIDIA's GPUs
// that the transport "nccl" calls, with the types of their binary interfaces.
// Both libraries are opened at run time; no header of theirs is needed.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_API_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_API_H_

#include <cstddef>
#include <cstdint>

#include "framework/base/status.h"

namespace switchyard::collective {

// Names the two ends of a communicator to each other.
struct NcclUniqueId {
  char bytes[128];
};

// The settings of a communicator, as of NCCL 2.18; later versions read as many
// bytes as `size` says.
struct NcclConfig {
  // The library chooses.
  static constexpr int kUnset = INT32_MIN;

  size_t size = sizeof(NcclConfig);
  // Says that all fields were set.
  unsigned int magic = 0xcafebeef;
  // The fields are those of this version.
  unsigned int version = 21800;
  // 0: calls return while the library goes on with what they asked for.
  int blocking = kUnset;
  int cluster_size = kUnset;
  // A kernel takes this number of the GPU's multiprocessors.
  int least_blocks = kUnset;
  int most_blocks = kUnset;
  const char* network = nullptr;
  int split_share = kUnset;
  int unused = kUnset;
};

// Results of NCCL's functions: these, and errors.
inline constexpr int kNcclSuccess = 0;
inline constexpr int kNcclInProgress = 7;
// The type of the elements of all messages.
inline constexpr int kNcclUint8 = 1;
// The first version that has all that is called.
inline constexpr int kNcclLeastVersion = 21800;

// A communicator of NCCL.
using NcclComm = void*;

// The functions return a result. A communicator that does not block may return
// kNcclInProgress, and is given nothing more until CommGetAsyncError says
// kNcclSuccess.
struct NcclApi {
  int (*GetVersion)(int* version);
  int (*GetUniqueId)(NcclUniqueId* id);
  int (*CommInitRankConfig)(NcclComm* comm, int size, NcclUniqueId id, int rank,
                            NcclConfig* config);
  int (*CommGetAsyncError)(NcclComm comm, int* result);
  // Ends what the GPU does for it, done or not, and frees it.
  int (*CommAbort)(NcclComm comm);
  // Meet those of the other rank in the order of the calls; in between
  // GroupStart() and GroupEnd() they move at once.
  int (*Send)(const void* data, size_t count, int type, int peer, NcclComm comm,
              void* stream);
  int (*Recv)(void* data, size_t count, int type, int peer, NcclComm comm,
              void* stream);
  int (*GroupStart)();
  int (*GroupEnd)();
  // Texts that stay the library's.
  const char* (*GetErrorString)(int result);
  const char* (*GetLastError)(NcclComm comm);
};

// Results of the driver's functions: these, and errors.
inline constexpr int kCudaSuccess = 0;
inline constexpr int kCudaOutOfMemory = 2;
inline constexpr int kCudaNotReady = 600;
// CU_STREAM_NON_BLOCKING and CU_EVENT_DISABLE_TIMING.
inline constexpr unsigned int kCudaNonBlocking = 1;
inline constexpr unsigned int kCudaDisableTiming = 2;
// CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and its value for a GPU's memory.
inline constexpr int kCudaMemoryType = 2;
inline constexpr unsigned int kCudaDeviceMemory = 2;

// An address of a GPU's memory.
using CudaAddress = unsigned long long;

// The functions return a result. All but the first five need a current context.
struct CudaApi {
  int (*Init)(unsigned int flags);
  int (*DeviceGetCount)(int* count);
  int (*DeviceGet)(int* device, int number);
  int (*PrimaryCtxRetain)(void** context, int device);
  int (*PrimaryCtxRelease)(int device);
  // The current context is the thread's.
  int (*CtxPushCurrent)(void* context);
  int (*CtxPopCurrent)(void** context);
  // A stream does its work in the order in which it was given, while the host
  // goes on.
  int (*StreamCreate)(void** stream, unsigned int flags);
  int (*StreamDestroy)(void* stream);
  int (*StreamSynchronize)(void* stream);
  // An event is done when the stream has done all that it was given before.
  int (*EventCreate)(void** event, unsigned int flags);
  int (*EventDestroy)(void* event);
  int (*EventRecord)(void* event, void* stream);
  int (*EventQuery)(void* event);
  // Memory may be used by what the stream is given afterwards.
  int (*MemAllocAsync)(CudaAddress* address, size_t bytes, void* stream);
  int (*MemFreeAsync)(CudaAddress address, void* stream);
  // May wait for the stream if the host's memory can be swapped.
  int (*MemcpyHtoDAsync)(CudaAddress to, const void* from, size_t bytes,
                         void* stream);
  int (*MemcpyDtoHAsync)(void* to, CudaAddress from, size_t bytes,
                         void* stream);
  // Fails for memory of which the driver knows nothing.
  int (*PointerGetAttribute)(void* value, int attribute, CudaAddress address);
  int (*GetErrorString)(int result, const char** text);
};

// FailedPrecondition, with what to install, without the library or of a
// version that lacks functions.
absl::StatusOr<NcclApi> OpenNccl();
absl::StatusOr<CudaApi> OpenCuda();

// OK, or what the driver says of itself: Aborted, an error of this rank.
absl::Status CheckCuda(const CudaApi& cuda, int result);

// Makes a context the thread's, for a scope.
class CudaScope {
 public:
  CudaScope(const CudaApi& cuda, void* context) : cuda_(cuda) {
    cuda_.CtxPushCurrent(context);
  }
  ~CudaScope() {
    void* popped = nullptr;
    cuda_.CtxPopCurrent(&popped);
  }
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;

 private:
  const CudaApi& cuda_;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_API_H_
