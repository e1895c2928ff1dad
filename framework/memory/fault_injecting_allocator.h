// SPDX-License-Identifier: Apache-2.0
// FaultInjectingAllocator: a CPU allocator for tests.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_FAULT_INJECTING_ALLOCATOR_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_FAULT_INJECTING_ALLOCATOR_H_

#include <atomic>
#include <cstdint>

#include "framework/memory/buffer.h"

namespace switchyard {

// A CPU allocator for tests. It refuses allocations on demand, fills new memory
// with a pattern (so that a read of bytes that were never written shows), gives
// blocks of the exact size (so that AddressSanitizer sees the byte after) and
// counts the blocks that are still out. Thread-safe. The real one is
// cpu_allocator.h.
class FaultInjectingAllocator final : public Allocator {
 public:
  // The value of every byte of a new block.
  static constexpr unsigned char kPattern = 0xa5;

  FaultInjectingAllocator() = default;

  // Lets the next `count` allocations succeed and refuses all later ones.
  // Without this call none is refused.
  void FailAfter(int64_t count) { left_ = count; }
  void NeverFail() { left_ = INT64_MAX; }

  // Return the number of blocks given out and not returned, and of allocations
  // asked for, refused or not.
  int64_t blocks() const { return blocks_; }
  int64_t requests() const { return requests_; }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override;
  Place place() const override { return Place::Cpu(); }

 private:
  void Deallocate(Buffer* buffer) override;

  std::atomic<int64_t> left_{INT64_MAX};
  std::atomic<int64_t> blocks_{0};
  std::atomic<int64_t> requests_{0};
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_FAULT_INJECTING_ALLOCATOR_H_
