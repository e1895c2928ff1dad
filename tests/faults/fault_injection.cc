// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_injection.h"

#include <atomic>
#include <string>

#include "framework/memory/cpu_allocator.h"

namespace switchyard {

// The linker's names for CpuAllocator() as it is and as others see it.
Allocator& RealCpuAllocator() asm("__real__ZN10switchyard12CpuAllocatorEv");
Allocator& SeenCpuAllocator() asm("__wrap__ZN10switchyard12CpuAllocatorEv");

namespace {

std::atomic<int64_t> left{INT64_MAX};
std::atomic<bool> refused{false};

class RefusingAllocator final : public Allocator {
 public:
  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    if (left.fetch_sub(1) != 0) return RealCpuAllocator().Allocate(bytes);
    refused = true;
    return absl::ResourceExhaustedError("memory: allocation of " +
                                        std::to_string(bytes) +
                                        " bytes must succeed, got refused");
  }
  Place place() const override { return Place::Cpu(); }

 private:
  // Its buffers are the real one's.
  void Deallocate(Buffer*) override {}
};

}  // namespace

Allocator& SeenCpuAllocator() {
  static auto* const allocator = new RefusingAllocator;
  return *allocator;
}

}  // namespace switchyard

void SyRefuseAllocationAfter(int64_t count) { switchyard::left = count; }

bool SyStopRefusing() {
  switchyard::left = INT64_MAX;
  return switchyard::refused.exchange(false);
}

int64_t SyLiveBlocks() { return switchyard::CurrentCpuMemoryUse().blocks; }
