// SPDX-License-Identifier: Apache-2.0
// AttrArg: an attribute on its way through a composite, where tensors may
// supply it. A composite that takes an AttrArg passes it on to the operators
// that it calls, known or not; one that takes the plain value computes with it,
// and must know it.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_ATTR_ARG_H_
#define SWITCHYARD_FRAMEWORK_TYPES_ATTR_ARG_H_

#include <exception>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include "framework/types/attribute.h"

namespace switchyard {

// Thrown where a composite asks for the value of an attribute that tensors
// supply; phi/composite/ops.h turns it into a status.
class UnknownAttribute : public std::exception {
 public:
  UnknownAttribute(const char* name, std::string value)
      : name_(name), value_(std::move(value)) {}
  const char* name() const { return name_; }
  const std::string& value() const { return value_; }

 private:
  const char* name_;
  std::string value_;
};

// Refers to an attribute of C++ type T (framework/types/attr_type.def) for the
// length of a call, as AttrRef does. Converts from whatever a T is made of, and
// to a T.
template <typename T>
class AttrArg {
  // A reference must be to a value that is there already.
  template <typename U>
  using EnableIfValue =
      std::enable_if_t<!std::is_same_v<U, AttrRef> &&
                           (std::is_reference_v<T>
                                ? std::is_same_v<U, std::decay_t<T>>
                                : std::is_convertible_v<const U&, T>),
                       int>;

 public:
  // The attribute `name` of an operator.
  AttrArg(AttrRef ref, const char* name)  // NOLINT: implicit in calls
      : ref_(ref), name_(name) {}
  template <typename U, EnableIfValue<U> = 0>
  AttrArg(const U& value)  // NOLINT: implicit
      : ref_(static_cast<T>(value)) {}
  AttrArg(std::initializer_list<int64_t> values)  // NOLINT: implicit
      : ref_(absl::Span<const int64_t>(values.begin(), values.size())) {
    static_assert(std::is_same_v<T, absl::Span<const int64_t>>);
  }

  AttrRef ref() const { return ref_; }
  const char* name() const { return name_; }
  // False where tensors supply it.
  bool known() const { return !ref_.supplied(); }
  // Returns the value; throws UnknownAttribute if it is not known.
  T value() const {
    if (!known()) throw UnknownAttribute(name_, ToString(ref_));
    return ref_.Get<T>();
  }
  operator T() const { return value(); }  // NOLINT: implicit

 private:
  AttrRef ref_;
  const char* name_ = "attribute";
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_ATTR_ARG_H_
