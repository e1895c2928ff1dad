// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/testing/fake_cuda.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "cuda_runtime_api.h"

namespace switchyard {
namespace {

struct FakeStream;

// A point in a stream: after its first `position` tasks.
struct FakeEvent {
  std::shared_ptr<FakeStream> stream;
  uint64_t position = 0;
};

// Work, or where there is none a wait for an event.
struct FakeTask {
  std::function<void()> work;
  FakeEvent awaited;
};

struct FakeStream {
  std::deque<FakeTask> tasks;  // Those that have not run.
  uint64_t given = 0;
  uint64_t done = 0;
};

// Bytes of an allocation, in whole pages.
struct FakeMemory {
  size_t bytes;
  size_t pages;
};

struct FakeDriver {
  std::recursive_mutex mutex;
  int gpus = 1;
  size_t limit = 0;
  size_t used = 0;
  std::map<char*, FakeMemory> memory;
  std::map<void*, std::shared_ptr<FakeStream>> streams;
  std::vector<std::string> calls;
  std::string failing;  // The call that fails after `failing_after` more.
  int failing_code = 0;
  int failing_after = 0;
  int failing_work = 0;
  int broken = 0;  // What every call returns after a failure of work.
  int last = 0;    // cudaGetLastError()'s.
};

// Never destroyed: streams of threads are destroyed late.
FakeDriver& Driver() {
  static auto* const driver = new FakeDriver();
  return *driver;
}

using Lock = std::lock_guard<std::recursive_mutex>;

// Notes a call; returns the code that it is to fail with, or 0.
int Begin(const char* name) {
  FakeDriver& driver = Driver();
  driver.calls.emplace_back(name);
  if (driver.broken != 0) return driver.broken;
  if (driver.failing != name || driver.failing_after-- > 0) return 0;
  driver.failing.clear();
  return driver.last = driver.failing_code;
}

void Protect(int protection) {
  for (const auto& [data, memory] : Driver().memory) {
    mprotect(data, memory.pages, protection);
  }
}

void RunWork(const std::function<void()>& work) {
  FakeDriver& driver = Driver();
  if (driver.failing_work != 0) {
    driver.broken = std::exchange(driver.failing_work, 0);
  }
  if (driver.broken != 0) return;
  Protect(PROT_READ | PROT_WRITE);
  work();
  Protect(PROT_NONE);
}

void RunUntil(FakeStream& stream, uint64_t position) {
  while (stream.done < position) {
    const FakeTask task = std::move(stream.tasks.front());
    stream.tasks.pop_front();
    if (task.work) {
      RunWork(task.work);
    } else if (task.awaited.stream != nullptr) {
      RunUntil(*task.awaited.stream, task.awaited.position);
    }
    ++stream.done;
  }
}

// The handle's stream. CUDA's own, such as the thread's default one, exist from
// the first use.
std::shared_ptr<FakeStream> Find(void* handle) {
  std::shared_ptr<FakeStream>& stream = Driver().streams[handle];
  if (stream == nullptr) stream = std::make_shared<FakeStream>();
  return stream;
}

void Give(void* handle, FakeTask task) {
  const std::shared_ptr<FakeStream> stream = Find(handle);
  stream->tasks.push_back(std::move(task));
  ++stream->given;
}

// Whether [data, data + bytes) lies in one allocation.
bool IsOfDevice(const void* data, size_t bytes) {
  auto* const begin = static_cast<char*>(const_cast<void*>(data));
  const auto& memory = Driver().memory;
  auto after = memory.upper_bound(begin);
  if (after == memory.begin()) return false;
  --after;
  return begin + bytes <= after->first + after->second.bytes;
}

}  // namespace

void FakeCuda::Reset(int gpus, size_t bytes) {
  FakeDriver& driver = Driver();
  const Lock lock(driver.mutex);
  driver.gpus = gpus;
  driver.limit = bytes;
  driver.calls.clear();
  driver.failing.clear();
  driver.failing_work = driver.broken = driver.last = 0;
}

void FakeCuda::FailCall(const std::string& name, int code, int after) {
  FakeDriver& driver = Driver();
  const Lock lock(driver.mutex);
  driver.failing = name;
  driver.failing_code = code;
  driver.failing_after = after;
}

void FakeCuda::FailWork(int code) {
  const Lock lock(Driver().mutex);
  Driver().failing_work = code;
}

std::vector<std::string> FakeCuda::Calls() {
  const Lock lock(Driver().mutex);
  return Driver().calls;
}

size_t FakeCuda::Allocations() {
  const Lock lock(Driver().mutex);
  return Driver().memory.size();
}

bool FakeCuda::Idle() {
  const Lock lock(Driver().mutex);
  for (const auto& [handle, stream] : Driver().streams) {
    if (stream->done < stream->given) return false;
  }
  return true;
}

int FakeCuda::Launch(CUstream_st* stream, std::function<void()> work) {
  const Lock lock(Driver().mutex);
  if (const int code = Begin("cudaLaunchKernel")) return code;
  Give(stream, {std::move(work), {}});
  return cudaSuccess;
}

}  // namespace switchyard

// From here on the functions of the CUDA runtime.

using switchyard::Begin;
using switchyard::Driver;
using switchyard::FakeEvent;
using switchyard::Give;
using switchyard::Lock;

// Returns from the caller if its call is to fail.
#define SY_BEGIN(name)             \
  const Lock lock(Driver().mutex); \
  if (const int code = Begin(name)) return static_cast<cudaError_t>(code)

cudaError_t cudaGetDeviceCount(int* count) {
  SY_BEGIN("cudaGetDeviceCount");
  *count = Driver().gpus;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const Lock lock(Driver().mutex);
  if (Driver().broken != 0) return static_cast<cudaError_t>(Driver().broken);
  return static_cast<cudaError_t>(std::exchange(Driver().last, 0));
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return "invalid argument";
  }
}

cudaError_t cudaSetDevice(int index) {
  SY_BEGIN("cudaSetDevice");
  return index >= 0 && index < Driver().gpus ? cudaSuccess
                                             : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  SY_BEGIN("cudaGetDeviceProperties");
  *properties = {};
  std::strcpy(properties->name, "Fake GPU");
  properties->totalGlobalMem = Driver().limit;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  SY_BEGIN("cudaDeviceGetDefaultMemPool");
  *pool = nullptr;
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  SY_BEGIN("cudaMemPoolSetAttribute");
  return cudaSuccess;
}

// The memory is there at once, whatever the stream has before it.
cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  SY_BEGIN("cudaMallocAsync");
  if (bytes > Driver().limit - Driver().used) {
    Driver().last = cudaErrorMemoryAllocation;
    return cudaErrorMemoryAllocation;
  }
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t pages = (bytes + page - 1) / page * page;
  void* const mapped = mmap(nullptr, pages, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED) return cudaErrorMemoryAllocation;
  Driver().memory[static_cast<char*>(mapped)] = {bytes, pages};
  Driver().used += bytes;
  *data = mapped;
  return cudaSuccess;
}

// After the stream's work, and after no other.
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  const Lock lock(Driver().mutex);
  const int code = Begin("cudaFreeAsync");
  RunUntil(*switchyard::Find(stream), switchyard::Find(stream)->given);
  const auto found = Driver().memory.find(static_cast<char*>(data));
  if (found == Driver().memory.end()) return cudaErrorInvalidValue;
  munmap(data, found->second.pages);
  Driver().used -= found->second.bytes;
  Driver().memory.erase(found);
  return static_cast<cudaError_t>(code);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  SY_BEGIN("cudaMemcpyAsync");
  const bool from_device = kind != cudaMemcpyHostToDevice;
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  if (switchyard::IsOfDevice(from, bytes) != from_device ||
      switchyard::IsOfDevice(to, bytes) != to_device) {
    return cudaErrorInvalidValue;
  }
  if (from_device) {
    Give(stream, {[=] { std::memcpy(to, from, bytes); }, {}});
    return cudaSuccess;
  }
  // Pageable memory of the host is read before the call returns.
  const auto* const text = static_cast<const char*>(from);
  std::vector<char> staged(text, text + bytes);
  Give(stream, {[to, staged = std::move(staged)] {
                  std::memcpy(to, staged.data(), staged.size());
                },
                {}});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  SY_BEGIN("cudaStreamCreateWithFlags");
  // A handle is the address of a byte, which nothing else has.
  *stream = reinterpret_cast<cudaStream_t>(new char());
  switchyard::Find(*stream);
  return cudaSuccess;
}

// The work that it was given still runs.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock(Driver().mutex);
  const int code = Begin("cudaStreamDestroy");
  const auto found = Driver().streams.find(stream);
  if (found == Driver().streams.end()) return cudaErrorInvalidValue;
  RunUntil(*found->second, found->second->given);
  Driver().streams.erase(found);
  delete reinterpret_cast<char*>(stream);
  return static_cast<cudaError_t>(code);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  SY_BEGIN("cudaStreamSynchronize");
  RunUntil(*switchyard::Find(stream), switchyard::Find(stream)->given);
  return static_cast<cudaError_t>(Driver().broken);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned) {
  SY_BEGIN("cudaStreamWaitEvent");
  Give(stream, {nullptr, *reinterpret_cast<FakeEvent*>(event)});
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  SY_BEGIN("cudaEventCreateWithFlags");
  *event = reinterpret_cast<cudaEvent_t>(new FakeEvent());
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock(Driver().mutex);
  delete reinterpret_cast<FakeEvent*>(event);
  return static_cast<cudaError_t>(Begin("cudaEventDestroy"));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  SY_BEGIN("cudaEventRecord");
  const auto of = switchyard::Find(stream);
  *reinterpret_cast<FakeEvent*>(event) = {of, of->given};
  return cudaSuccess;
}

// Asking makes nothing happen.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  SY_BEGIN("cudaEventQuery");
  const FakeEvent& point = *reinterpret_cast<FakeEvent*>(event);
  const bool reached =
      point.stream == nullptr || point.stream->done >= point.position;
  return reached ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  SY_BEGIN("cudaEventSynchronize");
  const FakeEvent& point = *reinterpret_cast<FakeEvent*>(event);
  if (point.stream != nullptr) RunUntil(*point.stream, point.position);
  return static_cast<cudaError_t>(Driver().broken);
}
