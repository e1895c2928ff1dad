// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_injection.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "framework/memory/cpu_allocator.h"

namespace switchyard {

// The linker's names for functions as they are and as others see them.
Allocator& RealCpuAllocator() asm("__real__ZN10switchyard12CpuAllocatorEv");
Allocator& SeenCpuAllocator() asm("__wrap__ZN10switchyard12CpuAllocatorEv");
void* RealNewObjectBlock(size_t bytes) asm(
    "__real__ZN10switchyard14NewObjectBlockEm");
void* SeenNewObjectBlock(size_t bytes) asm(
    "__wrap__ZN10switchyard14NewObjectBlockEm");

namespace {

std::atomic<int64_t> left{INT64_MAX};
std::atomic<int64_t> most{INT64_MAX};
std::atomic<bool> refused{false};

class RefusingAllocator final : public Allocator {
 public:
  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    const bool too_much = bytes > static_cast<size_t>(most.load());
    if (!too_much && left.fetch_sub(1) != 0) {
      return RealCpuAllocator().Allocate(bytes);
    }
    if (!too_much) refused = true;
    return absl::ResourceExhaustedError("memory: allocation of " +
                                        std::to_string(bytes) +
                                        " bytes must succeed, got refused");
  }
  Place place() const override { return Place::Cpu(); }

 private:
  // Its buffers are the real one's.
  void Deallocate(Buffer*) override {}
};

// Trivial, so that operator new may use it at any time.
struct NewFailures {
  bool armed = false;
  bool lasting = false;
  int64_t granted = 0;  // Still to be.
  int64_t failed = 0;
  int64_t requests = 0;
};
thread_local NewFailures new_failures;

bool Fails() {
  NewFailures& failures = new_failures;
  ++failures.requests;
  if (!failures.armed || failures.granted-- > 0) return false;
  failures.armed = failures.lasting;
  ++failures.failed;
  return true;
}

std::atomic<int64_t> live_news{0};

void* New(size_t bytes, size_t alignment) {
  if (Fails()) return nullptr;
  live_news.fetch_add(1, std::memory_order_relaxed);
  if (bytes == 0) bytes = 1;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes);
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) / alignment * alignment);
}

void* NewOrThrow(size_t bytes, size_t alignment) {
  void* const memory = New(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Delete(void* memory) {
  if (memory != nullptr) live_news.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

Allocator& SeenCpuAllocator() {
  static auto* const allocator = new RefusingAllocator;
  return *allocator;
}

void* SeenNewObjectBlock(size_t bytes) {
  if (Fails()) throw std::bad_alloc();
  return RealNewObjectBlock(bytes);
}

}  // namespace switchyard

void SyRefuseAllocationAfter(int64_t count) { switchyard::left = count; }

void SyRefuseAllocationsOver(int64_t bytes) { switchyard::most = bytes; }

bool SyStopRefusing() {
  switchyard::left = INT64_MAX;
  return switchyard::refused.exchange(false);
}

int64_t SyLiveBlocks() { return switchyard::CurrentCpuMemoryUse().blocks; }

void SyFailNewAfter(int64_t count, bool lasting) {
  switchyard::new_failures = {true, lasting, count, 0, 0};
}

int64_t SyStopFailingNew() {
  switchyard::new_failures.armed = false;
  return switchyard::new_failures.failed;
}

int64_t SyNewRequests() { return switchyard::new_failures.requests; }

int64_t SyLiveNews() {
  return switchyard::live_news.load(std::memory_order_relaxed);
}

// The forms for arrays, and those of delete with a size, call these.
void* operator new(size_t bytes) { return switchyard::NewOrThrow(bytes, 0); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return switchyard::NewOrThrow(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return switchyard::New(bytes, 0);
}
void* operator new(size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return switchyard::New(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { switchyard::Delete(memory); }
void operator delete(void* memory, size_t) noexcept {
  switchyard::Delete(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  switchyard::Delete(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  switchyard::Delete(memory);
}
