// SPDX-License-Identifier: Apache-2.0
// A library in the place of libcuda.so.1, without a GPU, for tests of the
// transport "nccl". A stream is a thread that does its work in order; memory of
// the device is the host's, at addresses that the host can't use. Functions
// fail without a current context, as the driver's, and copies outside of an
// allocation. FAKE_CUDA_FAULT=cuInit=100 lets the function return that code.
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Address = unsigned long long;

constexpr int kInvalidValue = 1, kInvalidContext = 201, kNotReady = 600;
constexpr Address kOfDevice = Address{1} << 62;

thread_local std::vector<void*> contexts;

// Returns the code with which the function is to fail, or 0.
int Fault(const std::string& name) {
  const char* const wanted = std::getenv("FAKE_CUDA_FAULT");
  if (wanted == nullptr) return 0;
  const std::string text = wanted;
  const size_t equals = text.find('=');
  return text.substr(0, equals) == name ? std::stoi(text.substr(equals + 1))
                                        : 0;
}

int Begin(const char* name) {
  return contexts.empty() ? kInvalidContext : Fault(name);
}

class Stream {
 public:
  Stream() : thread_([this] { Run(); }) {}
  ~Stream() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  uint64_t Give(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_all();
    return ++given_;
  }
  uint64_t given() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return given_;
  }
  uint64_t done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return done_;
  }
  void Synchronize() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return done_ == given_; });
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ends_ || !work_.empty(); });
      if (work_.empty()) return;
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  uint64_t given_ = 0, done_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

struct Event {
  Stream* stream = nullptr;
  uint64_t position = 0;
};

// The allocations: their sizes by address.
struct Memory {
  std::mutex mutex;
  std::map<Address, size_t> sizes;
};

Memory& TheMemory() {
  static Memory* const memory = new Memory;
  return *memory;
}

}  // namespace

// Returns the host's address of memory of the device; null if it is not all
// inside of one allocation.
extern "C" void* FakeDeviceMemory(Address address, size_t bytes) {
  Memory& memory = TheMemory();
  const std::lock_guard<std::mutex> lock(memory.mutex);
  auto after = memory.sizes.upper_bound(address);
  if (after == memory.sizes.begin()) return nullptr;
  --after;
  if (address + bytes > after->first + after->second) return nullptr;
  return reinterpret_cast<void*>(address & ~kOfDevice);
}

extern "C" int cuInit(unsigned int) { return Fault("cuInit"); }

extern "C" int cuDeviceGetCount(int* count) {
  *count = 8;
  return 0;
}

extern "C" int cuDeviceGet(int* device, int number) {
  *device = number;
  return 0;
}

extern "C" int cuDevicePrimaryCtxRetain(void** context, int) {
  static char the_context;
  *context = &the_context;
  return Fault("cuDevicePrimaryCtxRetain");
}

extern "C" int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

extern "C" int cuCtxPushCurrent_v2(void* context) {
  contexts.push_back(context);
  return 0;
}

extern "C" int cuCtxPopCurrent_v2(void** context) {
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}

extern "C" int cuStreamCreate(void** stream, unsigned int) {
  if (const int failed = Begin("cuStreamCreate")) return failed;
  *stream = new Stream;
  return 0;
}

extern "C" int cuStreamDestroy_v2(void* stream) {
  if (const int failed = Begin("cuStreamDestroy_v2")) return failed;
  delete static_cast<Stream*>(stream);
  return 0;
}

extern "C" int cuStreamSynchronize(void* stream) {
  if (const int failed = Begin("cuStreamSynchronize")) return failed;
  static_cast<Stream*>(stream)->Synchronize();
  return 0;
}

extern "C" int cuEventCreate(void** event, unsigned int) {
  if (const int failed = Begin("cuEventCreate")) return failed;
  *event = new Event;
  return 0;
}

extern "C" int cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}

extern "C" int cuEventRecord(void* event, void* stream) {
  if (const int failed = Begin("cuEventRecord")) return failed;
  Stream* const own = static_cast<Stream*>(stream);
  *static_cast<Event*>(event) = {own, own->given()};
  return 0;
}

extern "C" int cuEventQuery(void* event) {
  if (const int failed = Begin("cuEventQuery")) return failed;
  const Event& own = *static_cast<Event*>(event);
  if (own.stream == nullptr) return 0;
  return own.stream->done() >= own.position ? 0 : kNotReady;
}

extern "C" int cuMemAllocAsync(Address* address, size_t bytes, void*) {
  if (const int failed = Begin("cuMemAllocAsync")) return failed;
  *address = reinterpret_cast<Address>(std::malloc(bytes)) | kOfDevice;
  Memory& memory = TheMemory();
  const std::lock_guard<std::mutex> lock(memory.mutex);
  memory.sizes[*address] = bytes;
  return 0;
}

extern "C" int cuMemFreeAsync(Address address, void* stream) {
  if (const int failed = Begin("cuMemFreeAsync")) return failed;
  static_cast<Stream*>(stream)->Give([address] {
    Memory& memory = TheMemory();
    const std::lock_guard<std::mutex> lock(memory.mutex);
    if (memory.sizes.erase(address) == 0) std::abort();
    std::free(reinterpret_cast<void*>(address & ~kOfDevice));
  });
  return 0;
}

extern "C" int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes,
                                    void* stream) {
  if (const int failed = Begin("cuMemcpyHtoDAsync_v2")) return failed;
  void* const memory = FakeDeviceMemory(to, bytes);
  if (memory == nullptr) return kInvalidValue;
  static_cast<Stream*>(stream)->Give([=] { std::memcpy(memory, from, bytes); });
  return 0;
}

extern "C" int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes,
                                    void* stream) {
  if (const int failed = Begin("cuMemcpyDtoHAsync_v2")) return failed;
  const void* const memory = FakeDeviceMemory(from, bytes);
  if (memory == nullptr) return kInvalidValue;
  static_cast<Stream*>(stream)->Give([=] { std::memcpy(to, memory, bytes); });
  return 0;
}

extern "C" int cuPointerGetAttribute(void* value, int attribute,
                                     Address address) {
  if (const int failed = Begin("cuPointerGetAttribute")) return failed;
  if (attribute != 2 || FakeDeviceMemory(address, 1) == nullptr) {
    return kInvalidValue;
  }
  *static_cast<unsigned int*>(value) = 2;
  return 0;
}

extern "C" int cuGetErrorString(int result, const char** text) {
  *text = result == 100 ? "no CUDA-capable device is detected" : nullptr;
  return *text == nullptr ? kInvalidValue : 0;
}

extern "C" int cuLaunchHostFunc(void* stream, void (*function)(void*),
                                void* data) {
  if (const int failed = Begin("cuLaunchHostFunc")) return failed;
  static_cast<Stream*>(stream)->Give([=] { function(data); });
  return 0;
}
