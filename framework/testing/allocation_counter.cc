// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/allocation_counter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local int64_t allocations = 0;
thread_local int64_t allocated_bytes = 0;

}  // namespace

// All unaligned forms together: a sanitizer replaces those that we leave out by
// its own, and doesn't like memory that goes from one to the other.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  allocated_bytes += static_cast<int64_t>(size);
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace switchyard {

AllocationCounter::AllocationCounter()
    : start_(allocations), start_bytes_(allocated_bytes) {}

int64_t AllocationCounter::count() const { return allocations - start_; }

int64_t AllocationCounter::bytes() const {
  return allocated_bytes - start_bytes_;
}

}  // namespace switchyard
