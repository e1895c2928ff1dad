// SPDX-License-Identifier: Apache-2.0
// MemoryMeter: counts and bounds what one part of a program takes of the CPU's
// memory, where cpu_allocator.h counts for the process.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_MEMORY_METER_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_MEMORY_METER_H_

#include <algorithm>
#include <cstdint>

namespace switchyard {

// Counts the bytes that CpuAllocator() gave out and got back on threads that
// have it as their meter (MeterScope), and refuses what would exceed its limit.
// What others gave back counts for nobody. One thread at a time; it need not be
// the same one.
class MemoryMeter {
 public:
  explicit MemoryMeter(int64_t limit = INT64_MAX) : limit_(limit) {}

  // Counts a block and returns true; false, and nothing else, if it would
  // exceed the limit.
  bool Take(int64_t bytes) {
    if (bytes > limit_ - bytes_) return false;
    bytes_ += bytes;
    peak_ = std::max(peak_, bytes_);
    return true;
  }
  void Give(int64_t bytes) { bytes_ -= bytes; }

  int64_t limit() const { return limit_; }
  // Return what is out now, and the most that was. A thread that gave back more
  // than it took has taken 0.
  int64_t bytes() const { return std::max<int64_t>(bytes_, 0); }
  int64_t peak() const { return peak_; }

 private:
  const int64_t limit_;
  int64_t bytes_ = 0;
  int64_t peak_ = 0;
};

// Makes `meter` the calling thread's and returns the one before; null: none.
// Defined by the allocator, which asks it.
MemoryMeter* ExchangeMemoryMeter(MemoryMeter* meter);

// Meters the calling thread for the length of a block. Scopes nest; the
// innermost counts.
class MeterScope {
 public:
  explicit MeterScope(MemoryMeter* meter)
      : before_(ExchangeMemoryMeter(meter)) {}
  ~MeterScope() { ExchangeMemoryMeter(before_); }
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;

 private:
  MemoryMeter* const before_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_MEMORY_METER_H_
