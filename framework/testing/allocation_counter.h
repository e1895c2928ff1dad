// SPDX-License-Identifier: Apache-2.0
// AllocationCounter: how often the calling thread asks the heap for memory in a
// block, and for how much, for tests of paths that must not or not for more.
// Linking it replaces the global operator new. Elements of tensors come from an
// Allocator and don't count (framework/memory/cpu_allocator.h) while that is
// warm.
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
