// SPDX-License-Identifier: Apache-2.0
// AllocationCounter: how often the calling thread allocates memory from the
// heap in a block, and how much, for tests of paths that must allocate none or
// no more than that. Linking it replaces the global operator new. Elements of
// tensors come from an Allocator and don't count
// (framework/memory/cpu_allocator.h) while that is warm.
#ifndef SWITCHYARD_FRAMEWORK_TESTING_ALLOCATION_COUNTER_H_
#define SWITCHYARD_FRAMEWORK_TESTING_ALLOCATION_COUNTER_H_

#include <cstdint>

namespace switchyard {

// Counts from its construction on.
class AllocationCounter {
 public:
  AllocationCounter();
  int64_t count() const;
  int64_t bytes() const;

 private:
  int64_t start_;
  int64_t start_bytes_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TESTING_ALLOCATION_COUNTER_H_
