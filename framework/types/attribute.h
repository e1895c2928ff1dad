// SPDX-License-Identifier: Apache-2.0
// AttrRef and Attribute: the value of an operator's attribute, borrowed and
// owned. The IR has uniqued attributes of its own (static_graph/ir).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attr_value.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/scalar.h"

namespace switchyard {

// The YAML's attribute types and the C++ types that kernels and InferMeta get.
enum class AttrType : uint8_t {
  kBool,      // bool     -> bool
  kInt,       // int      -> int
  kInt64,     // int64_t  -> int64_t
  kFloat,     // float    -> float
  kDouble,    // double   -> double
  kString,    // str      -> std::string_view
  kInts,      // int[]    -> absl::Span<const int>
  kInt64s,    // int64_t[] and IntArray -> absl::Span<const int64_t>
  kFloats,    // float[]  -> absl::Span<const float>
  kBools,     // bool[]   -> absl::Span<const bool>
  kScalar,    // Scalar   -> const Scalar&
  kDataType,  // DataType -> DataType
  kPlace,     // Place    -> Place
};

// Returns the YAML's word: "int", "float[]", ...
std::string_view Name(AttrType type);

// Refers to an attribute's value for the length of a call: no copy, no
// allocation. Texts, lists and Scalars outlive it; other values are held
// inside. Converts from each of the C++ types:
//   const AttrRef attrs[] = {axis, "nearest", DataType::kFloat32};
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
  constexpr AttrRef(absl::Span<const int> v)  // NOLINT
      : type_(AttrType::kInts), data_(v.data()), size_(v.size()) {}
  constexpr AttrRef(absl::Span<const int64_t> v)  // NOLINT
      : type_(AttrType::kInt64s), data_(v.data()), size_(v.size()) {}
  constexpr AttrRef(absl::Span<const float> v)  // NOLINT
      : type_(AttrType::kFloats), data_(v.data()), size_(v.size()) {}
  constexpr AttrRef(absl::Span<const bool> v)  // NOLINT
      : type_(AttrType::kBools), data_(v.data()), size_(v.size()) {}
  constexpr AttrRef(const Scalar& v)  // NOLINT: refers, does not copy
      : type_(AttrType::kScalar), data_(&v), size_(1) {}
  constexpr AttrRef(DataType v)  // NOLINT
      : type_(AttrType::kDataType), int_(static_cast<int64_t>(v)) {}
  constexpr AttrRef(Place v)  // NOLINT
      : type_(AttrType::kPlace),
        int_(static_cast<int64_t>(v.type) << 8 |
             static_cast<uint8_t>(v.index)) {}

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

  // The value as the C++ type of the table above; T must be the one of type().
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
// is by type and value.
class Attribute {
 public:
  Attribute() = default;
  // Copies what `ref`, which is not supplied, refers to.
  explicit Attribute(AttrRef ref);

  AttrType type() const { return type_; }
  // Returns a reference into this object.
  AttrRef ref() const;

  friend bool operator==(const Attribute& a, const Attribute& b) {
    return a.type_ == b.type_ && a.value_ == b.value_;
  }

 private:
  AttrType type_ = AttrType::kBool;
  std::variant<int64_t, double, Scalar, std::string, std::vector<int>,
               std::vector<int64_t>, std::vector<float>, std::vector<uint8_t>>
      value_;
};

// As the YAML writes it: true, -1, 0.5, "nearest", {1, 2}, float32, cpu. What
// is not known of a supplied attribute is written as "s0" or "?".
std::string ToString(AttrRef attr);

template <>
inline bool AttrRef::Get<bool>() const {
  return int_ != 0;
}
template <>
inline int AttrRef::Get<int>() const {
  return static_cast<int>(int_);
}
template <>
inline int64_t AttrRef::Get<int64_t>() const {
  return int_;
}
template <>
inline float AttrRef::Get<float>() const {
  return static_cast<float>(float_);
}
template <>
inline double AttrRef::Get<double>() const {
  return float_;
}
template <>
inline std::string_view AttrRef::Get<std::string_view>() const {
  return {static_cast<const char*>(data_), size_};
}
template <>
inline absl::Span<const int> AttrRef::Get<absl::Span<const int>>() const {
  return absl::MakeConstSpan(static_cast<const int*>(data_), size_);
}
template <>
inline absl::Span<const int64_t> AttrRef::Get<absl::Span<const int64_t>>()
    const {
  return absl::MakeConstSpan(static_cast<const int64_t*>(data_), size_);
}
template <>
inline absl::Span<const float> AttrRef::Get<absl::Span<const float>>() const {
  return absl::MakeConstSpan(static_cast<const float*>(data_), size_);
}
template <>
inline absl::Span<const bool> AttrRef::Get<absl::Span<const bool>>() const {
  return absl::MakeConstSpan(static_cast<const bool*>(data_), size_);
}
template <>
inline const Scalar& AttrRef::Get<const Scalar&>() const {
  return *static_cast<const Scalar*>(data_);
}
template <>
inline DataType AttrRef::Get<DataType>() const {
  return static_cast<DataType>(int_);
}
template <>
inline Place AttrRef::Get<Place>() const {
  return {static_cast<DeviceType>(int_ >> 8), static_cast<int8_t>(int_ & 0xff)};
}

template <>
inline AttrValues AttrRef::Get<AttrValues>() const {
  if (!supplied_) return Get<absl::Span<const int64_t>>();
  return absl::MakeConstSpan(static_cast<const AttrValue*>(data_), size_);
}
template <>
inline AttrValue AttrRef::Get<AttrValue>() const {
  return supplied_ ? *static_cast<const AttrValue*>(data_) : AttrValue(int_);
}
template <>
inline const Scalar* AttrRef::Get<const Scalar*>() const {
  return supplied_ ? nullptr : static_cast<const Scalar*>(data_);
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_ATTRIBUTE_H_
