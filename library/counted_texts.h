// SPDX-License-Identifier: Apache-2.0
// CountedTexts: the bytes of a tensor of texts, which have memory of their own,
// as a session's meter has them.
#ifndef SWITCHYARD_LIBRARY_COUNTED_TEXTS_H_
#define SWITCHYARD_LIBRARY_COUNTED_TEXTS_H_

#include <cstdint>
#include <memory>

#include "framework/base/status.h"
#include "framework/memory/memory_meter.h"
#include "framework/tensor/string_tensor.h"

namespace switchyard::library {

// Counts the texts of one tensor while it lives. The meter outlives it.
class CountedTexts {
 public:
  // ResourceExhausted where the texts exceed what the meter has left.
  static absl::StatusOr<std::shared_ptr<const CountedTexts>> Count(
      const StringTensor& tensor, MemoryMeter* meter);

  ~CountedTexts() { meter_->Give(bytes_); }
  CountedTexts(const CountedTexts&) = delete;
  CountedTexts& operator=(const CountedTexts&) = delete;

 private:
  explicit CountedTexts(MemoryMeter* meter) : meter_(meter) {}

  int64_t bytes_ = 0;
  MemoryMeter* const meter_;
};

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_COUNTED_TEXTS_H_
