// SPDX-License-Identifier: Apache-2.0
// AttrValue: one element of an attribute that a tensor may supply. InferMeta
// sees such attributes as AttrValues, for a program may know an element only
// while it runs; kernels get plain numbers. Which attributes these are is said
// by `supplied:` of an operator's entry.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_ATTR_VALUE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_ATTR_VALUE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/types/dim.h"

namespace switchyard {

// A known number, an extent that a symbol stands for, or unknown. A number may
// be negative, which a Dim can't be.
class AttrValue {
 public:
  // Unknown.
  constexpr AttrValue() = default;
  // Known.
  constexpr AttrValue(int64_t value)  // NOLINT: implicit
      : known_(true), value_(value) {}
  // The extent `dim`, known or not.
  static constexpr AttrValue Of(Dim dim) {
    if (dim.known()) return dim.value();
    AttrValue value;
    value.dim_ = dim;
    return value;
  }

  constexpr bool known() const { return known_; }
  // The number; requires known().
  constexpr int64_t value() const {
    assert(known_);
    return value_;
  }
  // The element as an extent; requires that it is not known to be negative.
  constexpr Dim dim() const { return known_ ? Dim(value_) : dim_; }

  friend constexpr bool operator==(AttrValue a, AttrValue b) {
    return a.known_ == b.known_ && a.value_ == b.value_ && a.dim_ == b.dim_;
  }

 private:
  bool known_ = false;
  int64_t value_ = 0;  // If known.
  Dim dim_;            // A symbol or unknown if not.
};

// "-1", "s0" or "?".
std::string ToString(AttrValue value);

// The elements of a list attribute: plain numbers, or AttrValues where a tensor
// supplies some of them. Borrows them.
class AttrValues {
  template <typename List, typename T>
  using EnableIfSpanOf =
      std::enable_if_t<std::is_convertible_v<const List&, absl::Span<const T>>,
                       int>;

 public:
  // These take a span, an array or a vector; the second a list in braces too.
  template <typename List, EnableIfSpanOf<List, AttrValue> = 0>
  constexpr AttrValues(const List& values)  // NOLINT: implicit
      : AttrValues(absl::Span<const AttrValue>(values).data(), nullptr,
                   absl::Span<const AttrValue>(values).size()) {}
  template <typename List, EnableIfSpanOf<List, int64_t> = 0>
  constexpr AttrValues(const List& plain)  // NOLINT: implicit
      : AttrValues(nullptr, absl::Span<const int64_t>(plain).data(),
                   absl::Span<const int64_t>(plain).size()) {}
  constexpr AttrValues(
      std::initializer_list<int64_t> plain)  // NOLINT: implicit
      : AttrValues(nullptr, plain.begin(), plain.size()) {}

  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr AttrValue operator[](size_t i) const {
    return values_ == nullptr ? AttrValue(plain_[i]) : values_[i];
  }
  // True if each element is known.
  bool known() const;

 private:
  constexpr AttrValues(const AttrValue* values, const int64_t* plain,
                       size_t size)
      : values_(values), plain_(plain), size_(size) {}

  const AttrValue* values_;  // Null: plain_.
  const int64_t* plain_;
  size_t size_;
};

// "[2, s0, ?]".
std::string ToString(AttrValues values);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_ATTR_VALUE_H_
