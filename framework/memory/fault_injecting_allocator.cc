// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/fault_injecting_allocator.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace switchyard {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHeader = 64;
// No test needs more; a wrong size shows here and not in the machine.
constexpr size_t kMaxBytes = size_t{1} << 32;

}  // namespace

absl::StatusOr<RefPtr<Buffer>> FaultInjectingAllocator::Allocate(size_t bytes) {
  ++requests_;
  const bool refused = left_.fetch_sub(1) <= 0;
  void* block = nullptr;
  if (refused || bytes > kMaxBytes ||
      posix_memalign(&block, kAlignment, kHeader + bytes) != 0) {
    return absl::ResourceExhaustedError(
        "memory: allocation of " + std::to_string(bytes) +
        " bytes refused by FaultInjectingAllocator");
  }
  ++blocks_;
  char* const data = static_cast<char*>(block) + kHeader;
  std::memset(data, kPattern, bytes);
  return RefPtr<Buffer>::Adopt(new (block)
                                   Buffer(this, data, bytes, Place::Cpu()));
}

void FaultInjectingAllocator::Deallocate(Buffer* buffer) {
  --blocks_;
  buffer->~Buffer();
  std::free(buffer);
}

}  // namespace switchyard
