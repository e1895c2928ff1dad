// SPDX-License-Identifier: Apache-2.0
// Dim: the extent of one axis. There is no arithmetic on it except the checked
// functions below; -1 exists only in files and in printing.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_DIM_H_
#define SWITCHYARD_FRAMEWORK_TYPES_DIM_H_

#include <cassert>
#include <cstdint>
#include <string>

#include "framework/base/status.h"

namespace switchyard {

// The extent of one axis: a known number, unknown, or a symbol that stands for
// the same unknown number wherever it appears. A plain value of eight bytes.
class Dim {
 public:
  // Makes an unknown extent.
  constexpr Dim() = default;
  // Makes a known extent, which must not be negative.
  constexpr Dim(int64_t extent) : bits_(extent) {}  // NOLINT: implicit
  static constexpr Dim Unknown() { return Dim(); }
  // Returns the symbol number `id`; two Dims of one id are equal at run time.
  static constexpr Dim Symbol(uint32_t id) {
    Dim dim;
    dim.bits_ = -2 - static_cast<int64_t>(id);
    return dim;
  }

  constexpr bool known() const { return bits_ >= 0; }
  constexpr bool symbolic() const { return bits_ <= -2; }
  // Returns the extent; requires known().
  constexpr int64_t value() const {
    assert(known());
    return bits_;
  }
  // Returns any Dim as one number, for interfaces that pass such: the extent,
  // -1 if it is unknown, less for a symbol. FromNumber() takes it back.
  constexpr int64_t number() const { return bits_; }
  static constexpr Dim FromNumber(int64_t number) {
    if (number >= 0) return Dim(number);
    return number == -1 ? Unknown()
                        : Symbol(static_cast<uint32_t>(-2 - number));
  }
  // Returns the symbol's number; requires symbolic().
  constexpr uint32_t symbol() const {
    assert(symbolic());
    return static_cast<uint32_t>(-2 - bits_);
  }

  // Returns true for the same number, the same symbol, or two unknown ones: the
  // descriptions are equal, which is not "equal at run time" (see MayEqual).
  friend constexpr bool operator==(Dim a, Dim b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(Dim a, Dim b) { return a.bits_ != b.bits_; }

 private:
  int64_t bits_ = -1;
};

// Returns false only if both are known and differ.
constexpr bool MayEqual(Dim a, Dim b) {
  return !a.known() || !b.known() || a.value() == b.value();
}

// Return a * b and a + b: known if both are (0 * anything is 0). SizeError
// where the result leaves int64.
absl::StatusOr<Dim> Multiply(Dim a, Dim b);
absl::StatusOr<Dim> Add(Dim a, Dim b);

// Returns "7", "?" or "s0".
std::string ToString(Dim dim);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_DIM_H_
