// SPDX-License-Identifier: Apache-2.0
// FaultyAllocator: a CPU allocator for tests. It refuses allocations when told
// to, fills new memory with a pattern (so that reading what nobody wrote
// shows), gives blocks of the exact size (so that AddressSanitizer sees the
// byte behind) and knows what is still out. The real one is cpu_allocator.h.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_FAULTY_ALLOCATOR_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_FAULTY_ALLOCATOR_H_

#include <atomic>
#include <cstdint>

#include "framework/memory/buffer.h"

namespace switchyard {

class FaultyAllocator final : public Allocator {
 public:
  // Every byte of a new block.
  static constexpr unsigned char kPattern = 0xa5;

  FaultyAllocator() = default;

  // The next `count` allocations succeed, all later ones are refused. Without
  // this call none is.
  void FailAfter(int64_t count) { left_ = count; }
  void NeverFail() { left_ = INT64_MAX; }

  // Blocks given out and not returned; allocations asked for, refused or not.
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

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_FAULTY_ALLOCATOR_H_
