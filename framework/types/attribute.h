// SPDX-License-Identifier: Apache-2.0
// AttrRef and Attribute: the value of an operator's attribute, borrowed and
// owned. The IR has uniqued attributes of its own (static_graph/ir).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attr_type.h"
#include "framework/types/attr_value.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/post_ops.h"
#include "framework/types/scalar.h"

namespace switchyard {

// Refers to an attribute's value for the length of a call: no copy, no
// allocation. Texts, lists and Scalars outlive it; other values are held
// inside. Converts from each of the C++ types:
//   const AttrRef attrs[] = {axis, "nearest", DataType::kFloat32};
//   attrs[1].Get<std::string_view>();  // "nearest"
class AttrRef {
 public:
  constexpr AttrRef() : AttrRef(false) {}
  constexpr AttrRef(bool v) : type_(AttrType::kBool), int_(v) {}      // NOLINT
  constexpr AttrRef(int v) : type_(AttrType::kInt), int_(v) {}        // NOLINT
  constexpr AttrRef(int64_t v) : type_(AttrType::kInt64), int_(v) {}  // NOLINT
  constexpr AttrRef(float v) : type_(AttrType::kFloat), float_(v) {}  // NOLINT
  constexpr AttrRef(double v)                                         // NOLINT
      : type_(AttrType::kDouble), float_(v) {}
  constexpr AttrRef(const char* v)       // NOLINT
      : AttrRef(std::string_view(v)) {}  // A literal is text, not a bool.
  constexpr AttrRef(std::string_view v)  // NOLINT
      : type_(AttrType::kString), data_(v.data()), size_(v.size()) {}
  template <typename T>
  constexpr AttrRef(absl::Span<const T> v)  // NOLINT
      : type_(kAttrTypeOf<absl::Span<const T>>),
        data_(v.data()),
        size_(v.size()) {}
  constexpr AttrRef(const Scalar& v)  // NOLINT: refers, does not copy
      : type_(AttrType::kScalar), data_(&v), size_(1) {}
  constexpr AttrRef(DataType v)  // NOLINT
      : type_(AttrType::kDataType), int_(static_cast<int64_t>(v)) {}
  constexpr AttrRef(Place v)  // NOLINT
      : type_(AttrType::kPlace),
        int_(static_cast<int64_t>(v.type) << 8 |
             static_cast<uint8_t>(v.index)) {}
  constexpr AttrRef(PostOps v)  // NOLINT
      : type_(AttrType::kPostOps), data_(v.word()) {}

  // An attribute of `type` (an integer, a list of them, a Scalar) with what is
  // known of its elements before the tensors that supply it are read.
  static constexpr AttrRef Supplied(AttrType type,
                                    absl::Span<const AttrValue> values) {
    AttrRef ref;
    ref.type_ = type;
    ref.supplied_ = true;
    ref.data_ = values.data();
    ref.size_ = values.size();
    return ref;
  }

  constexpr AttrType type() const { return type_; }
  // True if tensors supply it: it can be read as AttrValues alone.
  constexpr bool supplied() const { return supplied_; }

  // Returns the value as the C++ type of attr_type.def. T must be the one of
  // type(), which is not checked here; that the parameters of a kernel have
  // these types, the compiler checks (phi/core/kernel_thunk.h).
  // InferMeta reads an attribute that tensors may supply as AttrValues (a
  // list), AttrValue (an integer) or const Scalar* (null if supplied).
  template <typename T>
  T Get() const;

 private:
  AttrType type_;
  bool supplied_ = false;
  union {
    int64_t int_;
    double float_;
    const void* data_;
  };
  size_t size_ = 0;
};

// Owns an attribute's value, as grad nodes and loaded programs must. Equality
// is by type and value. A plain value, false if nothing was said: threads may
// read one together, and copies share nothing.
class Attribute {
 public:
  Attribute() = default;
  // Copies what `ref`, which is not supplied, refers to.
  explicit Attribute(AttrRef ref);

  AttrType type() const { return type_; }
  // Returns a reference into this object, valid while it is neither assigned
  // nor moved.
  AttrRef ref() const;

  friend bool operator==(const Attribute& a, const Attribute& b) {
    return a.type_ == b.type_ && a.value_ == b.value_;
  }

 private:
  AttrType type_ = AttrType::kBool;
  // Lists of bool are bytes, which ref() can point at.
  std::variant<int64_t, double, Scalar, std::string, std::vector<uint8_t>,
               std::vector<int>, std::vector<int64_t>, std::vector<float>,
               std::vector<double>, std::vector<std::string>,
               std::vector<Scalar>, std::vector<DataType>, PostOps>
      value_;
};

// Returns text such as true, -1, 0.5, "nearest", [1, 2], float32, cpu, [relu].
// What is not known of a supplied attribute is written as "s0" or "?".
std::string ToString(AttrRef attr);

template <typename T>
T AttrRef::Get() const {
  using Value = std::remove_cv_t<std::remove_reference_t<T>>;
  if constexpr (std::is_same_v<T, AttrValues>) {
    if (!supplied_) return Get<absl::Span<const int64_t>>();
    return absl::MakeConstSpan(static_cast<const AttrValue*>(data_), size_);
  } else if constexpr (std::is_same_v<T, AttrValue>) {
    return supplied_ ? *static_cast<const AttrValue*>(data_) : AttrValue(int_);
  } else if constexpr (std::is_same_v<T, const Scalar*>) {
    return supplied_ ? nullptr : static_cast<const Scalar*>(data_);
  } else if constexpr (std::is_same_v<Value, Scalar>) {
    return *static_cast<const Scalar*>(data_);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return {static_cast<const char*>(data_), size_};
  } else if constexpr (std::is_same_v<T, bool>) {
    return int_ != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(float_);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<T>(int_);
  } else if constexpr (std::is_same_v<T, Place>) {
    return {static_cast<DeviceType>(int_ >> 8),
            static_cast<int8_t>(int_ & 0xff)};
  } else if constexpr (std::is_same_v<T, PostOps>) {
    return PostOps::OfWord(data_);
  } else {  // A span.
    return T(static_cast<typename T::const_pointer>(data_), size_);
  }
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_
