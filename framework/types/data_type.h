// SPDX-License-Identifier: Apache-2.0
// DataType: the element type of a tensor. Values for float16 and bfloat16
// arithmetic are in framework/types/float16.h.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_DATA_TYPE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_DATA_TYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace switchyard {

class float16;
class bfloat16;

// The element type of a tensor; it has a name, a size and a C++ type.
enum class DataType : uint8_t {
  kUndefined = 0,
#define SY_DATA_TYPE(enumerator, name, type, size) enumerator,
#define SY_STORAGE_TYPE(enumerator, name, bits) enumerator,
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
  // Text, of StringTensors (framework/tensor/string_tensor.h): no dense tensor
  // has it.
  kString,
};

// The number of the dtypes that are computed with, from kUndefined on.
inline constexpr int kNumComputedTypes = 1
#define SY_DATA_TYPE(enumerator, name, type, size) +1
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    ;

// The number of the dtypes above without kString.
inline constexpr int kNumDataTypes = static_cast<int>(DataType::kString);

// Returns the bytes of one element; 0 for kUndefined and kString.
constexpr size_t ElementSize(DataType dtype) {
  constexpr uint8_t kSizes[] = {
      0,
#define SY_DATA_TYPE(enumerator, name, type, size) size,
#define SY_STORAGE_TYPE(enumerator, name, bits) 1,
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
      0,
  };
  return kSizes[static_cast<int>(dtype)];
}

// Returns whether elements of `dtype` are only made, moved and cast: those of
// fewer than 16 bits that are floating, and of fewer than 8 that are integers.
constexpr bool IsStorage(DataType dtype) {
  return dtype >= static_cast<DataType>(kNumComputedTypes) &&
         dtype < DataType::kString;
}

// Returns how many bits of an element are used: in files, elements of fewer
// than 8 lie in a byte together.
constexpr int ElementBits(DataType dtype) {
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size)
#define SY_STORAGE_TYPE(enumerator, name, bits) \
  case DataType::enumerator:                    \
    return bits;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      return static_cast<int>(8 * ElementSize(dtype));
  }
}

// Returns "float32", ...; "undefined" for kUndefined.
std::string_view Name(DataType dtype);

// Inverts Name(); returns nullopt for any other text.
std::optional<DataType> ParseDataType(std::string_view name);

// Return whether `dtype` is one of the four floating dtypes, of the eight
// integers (bool is none of them), of the four unsigned ones of these, or of
// the two complex dtypes.
constexpr bool IsFloating(DataType dtype) {
  return dtype == DataType::kFloat16 || dtype == DataType::kBFloat16 ||
         dtype == DataType::kFloat32 || dtype == DataType::kFloat64;
}

constexpr bool IsInteger(DataType dtype) {
  return (dtype >= DataType::kUInt8 && dtype <= DataType::kInt64) ||
         (dtype >= DataType::kUInt16 && dtype <= DataType::kUInt64);
}

constexpr bool IsUnsigned(DataType dtype) {
  return IsInteger(dtype) &&
         (dtype == DataType::kUInt8 || dtype >= DataType::kUInt16);
}

constexpr bool IsComplex(DataType dtype) {
  return dtype == DataType::kComplex64 || dtype == DataType::kComplex128;
}

// Returns whether a tensor of `dtype` may have a gradient.
constexpr bool IsDifferentiable(DataType dtype) {
  return IsFloating(dtype) || IsComplex(dtype);
}

// Returns the dtype of the real and the imaginary part of a complex dtype;
// `dtype` itself for the others.
constexpr DataType RealOf(DataType dtype) {
  if (!IsComplex(dtype)) return dtype;
  return dtype == DataType::kComplex64 ? DataType::kFloat32
                                       : DataType::kFloat64;
}

// Returns the complex dtype that holds the numbers of `dtype`: complex128 for
// float64 and itself, complex64 for the others (integers are rounded).
constexpr DataType ComplexOf(DataType dtype) {
  return ElementSize(RealOf(dtype)) == 8 && !IsInteger(dtype)
             ? DataType::kComplex128
             : DataType::kComplex64;
}

// True for std::complex<float> and std::complex<double>.
template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// The type of the parts of a complex type; T itself for the others.
template <typename T>
struct RealTypeOf {
  using type = T;
};
template <typename T>
struct RealTypeOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using RealType = typename RealTypeOf<T>::type;

// An element of a storage type: its code, the upper bits of the byte 0.
template <DataType kDtype>
struct StorageElement {
  uint8_t code = 0;

  friend constexpr bool operator==(StorageElement a, StorageElement b) {
    return a.code == b.code;
  }
};

// DataTypeOf<float>::value is kFloat32.
template <typename T>
struct DataTypeOf;
#define SY_DATA_TYPE(enumerator, name, type, size)          \
  template <>                                               \
  struct DataTypeOf<type> {                                 \
    static constexpr DataType value = DataType::enumerator; \
  };
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE

template <DataType kDtype>
struct DataTypeOf<StorageElement<kDtype>> {
  static constexpr DataType value = kDtype;
};

template <>
struct DataTypeOf<std::string> {
  static constexpr DataType value = DataType::kString;
};

// A set of dtypes as a bit mask, usable in constant data:
//   constexpr DataTypeSet kIndices(DataType::kInt32, DataType::kInt64);
class DataTypeSet {
 public:
  constexpr DataTypeSet() = default;
  template <typename... D>
  constexpr explicit DataTypeSet(DataType first, D... rest)
      : bits_(Bit(first)) {
    ((bits_ |= Bit(rest)), ...);
  }
  // Returns the set of all dtypes that dense tensors have.
  static constexpr DataTypeSet All() {
    DataTypeSet all;
    all.bits_ = (1u << kNumDataTypes) - 2;
    return all;
  }
  constexpr bool contains(DataType dtype) const {
    return (bits_ & Bit(dtype)) != 0;
  }
  constexpr uint32_t bits() const { return bits_; }

 private:
  static constexpr uint32_t Bit(DataType dtype) {
    return 1u << static_cast<int>(dtype);
  }
  uint32_t bits_ = 0;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_DATA_TYPE_H_
