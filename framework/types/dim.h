// SPDX-License-Identifier: Apache-2.0
// Dim: the extent of one axis: a known number, unknown, or a symbol that stands
// for the same unknown number wherever it appears. There is no arithmetic on it
// but the checked functions below; -1 exists only in files and in printing.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_DIM_H_
#define SWITCHYARD_FRAMEWORK_TYPES_DIM_H_

#include <cassert>
#include <cstdint>
#include <string>

#include "framework/base/status.h"

namespace switchyard {

class Dim {
 public:
  // Unknown.
  constexpr Dim() = default;
  // Known; `extent` must not be negative.
  constexpr Dim(int64_t extent) : bits_(extent) {}  // NOLINT: implicit
  static constexpr Dim Unknown() { return Dim(); }
  // The symbol number `id`; two Dims of one id are equal at run time.
  static constexpr Dim Symbol(uint32_t id) {
    Dim dim;
    dim.bits_ = -2 - static_cast<int64_t>(id);
    return dim;
  }

  constexpr bool known() const { return bits_ >= 0; }
  constexpr bool symbolic() const { return bits_ <= -2; }
  // The extent; requires known().
  constexpr int64_t value() const {
    assert(known());
    return bits_;
  }
  // The symbol's number; requires symbolic().
  constexpr uint32_t symbol() const {
    assert(symbolic());
    return static_cast<uint32_t>(-2 - bits_);
  }

  // Same number, same symbol, or both unknown: identity of the description,
  // not "equal at run time" (see MayEqual).
  friend constexpr bool operator==(Dim a, Dim b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(Dim a, Dim b) { return a.bits_ != b.bits_; }

 private:
  int64_t bits_ = -1;
};

// False only if both are known and differ.
constexpr bool MayEqual(Dim a, Dim b) {
  return !a.known() || !b.known() || a.value() == b.value();
}

// a * b and a + b: known if both are (0 * anything is 0); SizeError where the
// result leaves int64.
absl::StatusOr<Dim> Multiply(Dim a, Dim b);
absl::StatusOr<Dim> Add(Dim a, Dim b);

// "7", "?" or "s0".
std::string ToString(Dim dim);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_DIM_H_
