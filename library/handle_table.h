// SPDX-License-Identifier: Apache-2.0
// HandleTable: objects by numbers that the host of the library holds.
#ifndef SWITCHYARD_LIBRARY_HANDLE_TABLE_H_
#define SWITCHYARD_LIBRARY_HANDLE_TABLE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "library/call.h"

namespace switchyard::library {

// Keeps objects of one kind by handles. A handle has the kind in its highest 8
// bits, then 32 bits of generation, then 24 of the place in the table and one
// more, so that 0 is none. A place that is given out again has another
// generation: a handle that was freed is known for ever. Thread-safe; an object
// lives as long as a caller that found it needs it.
template <typename T>
class HandleTable {
 public:
  // `name` is that of the handles in errors.
  HandleTable(uint8_t kind, std::string_view name) : kind_(kind), name_(name) {}

  // ResourceExhausted where all places are taken. Throws std::bad_alloc.
  absl::StatusOr<uint64_t> Add(std::shared_ptr<T> object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      if (slots_.size() == kMost) {
        return SizeError("handles of this kind",
                         absl::StrCat("at most ", kMost), "one more");
      }
      // Remove() must not fail.
      free_.reserve(slots_.size() + 1);
      slots_.emplace_back();
      free_.push_back(static_cast<uint32_t>(slots_.size() - 1));
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = std::move(object);
    return uint64_t{kind_} << 56 | uint64_t{slots_[index].generation} << 24 |
           (index + 1);
  }

  absl::StatusOr<std::shared_ptr<T>> Find(uint64_t handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    SY_ASSIGN_OR_RETURN(const uint32_t index, IndexOf(handle));
    return slots_[index].object;
  }

  // Makes the handle one that is known to be freed, and returns its object.
  absl::StatusOr<std::shared_ptr<T>> Remove(uint64_t handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    SY_ASSIGN_OR_RETURN(const uint32_t index, IndexOf(handle));
    Slot& slot = slots_[index];
    // A place whose generations are used up stays empty.
    if (slot.generation++ < std::numeric_limits<uint32_t>::max()) {
      free_.push_back(index);
    }
    return std::exchange(slot.object, nullptr);
  }

 private:
  struct Slot {
    uint32_t generation = 0;
    std::shared_ptr<T> object;
  };
  static constexpr uint32_t kMost = (1u << 24) - 1;

  absl::StatusOr<uint32_t> IndexOf(uint64_t handle) const {
    const uint64_t place = handle & kMost;
    const auto generation = static_cast<uint32_t>(handle >> 24);
    const bool ours = handle >> 56 == kind_ && place != 0;
    if (ours && place <= slots_.size()) {
      const Slot& slot = slots_[place - 1];
      if (slot.object != nullptr && slot.generation == generation) {
        return static_cast<uint32_t>(place - 1);
      }
    }
    const char* got = handle == 0 ? "0"
                      : !ours     ? "one of another kind"
                                  : "one that was freed or never given";
    return WithCode(
        SWITCHYARD_BAD_HANDLE,
        ArgumentError(name_, "a handle that was given and not freed", got));
  }

  const uint8_t kind_;
  const std::string_view name_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_HANDLE_TABLE_H_
