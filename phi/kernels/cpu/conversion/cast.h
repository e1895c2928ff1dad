// SPDX-License-Identifier: Apache-2.0
// The kernel of cast on the CPU: rows of elements, of any strides, converted as
// C++ converts them, but saturating where a floating number leaves an integer
// type; NaN gives 0. A complex number gives a real dtype its real part. What a
// storage type has for a number: storage_codes.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_CAST_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_CAST_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/storage_codes.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/float_rows.h"
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"
#include "phi/kernels/cpu/data_movement/strided_rows.h"

namespace switchyard::phi::kernels::cpu {

template <typename T>
inline constexpr bool kNarrowFloat =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <typename To, typename From>
To ConvertElement(From v) {
  if constexpr (kNarrowFloat<From>) {
    return ConvertElement<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From{0};
  } else if constexpr (kIsComplex<To>) {
    using Part = typename To::value_type;
    if constexpr (kIsComplex<From>) {
      return To(static_cast<Part>(v.real()), static_cast<Part>(v.imag()));
    } else {
      return To(ConvertElement<Part>(v));
    }
  } else if constexpr (kIsComplex<From>) {
    return ConvertElement<To>(v.real());
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<From>) {
    // 2^digits is exact where the greatest To need not be.
    constexpr int kDigits = std::numeric_limits<To>::digits;
    constexpr From kBound = From{2} * static_cast<From>(To{1} << (kDigits - 1));
    constexpr To kLowest = std::numeric_limits<To>::min();
    if (v >= kBound) return std::numeric_limits<To>::max();
    if (v <= static_cast<From>(kLowest)) return kLowest;
    return v == v ? static_cast<To>(v) : To{0};
  } else {
    return static_cast<To>(v);
  }
}

// Whether float_rows.h converts adjacent elements.
template <typename To, typename From>
inline constexpr bool kHasConvertRow =
    (std::is_same_v<From, float> && std::is_same_v<To, double>) ||
    (std::is_same_v<From, double> && std::is_same_v<To, float>) ||
    (std::is_same_v<From, int32_t> && std::is_same_v<To, float>);

template <typename To, typename From>
void CastRow(const void* from, int64_t stride, void* to, int64_t count) {
  const From* x = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if constexpr (kHasConvertRow<To, From>) {
    if (stride == 1) return ConvertRow(x, count, out);
  }
  // Between float32 and halves there are instructions.
  if constexpr (kNarrowFloat<From> && std::is_same_v<To, float>) {
    if (stride == 1) return Widen(DataTypeOf<From>::value, x, count, out);
  }
  if constexpr (kNarrowFloat<To> && std::is_same_v<From, float>) {
    if (stride == 1) return Narrow(DataTypeOf<To>::value, x, count, out);
  }
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] = ConvertElement<To>(x[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = ConvertElement<To>(x[i * stride]);
    }
  }
}

template <typename From>
RowFunction CastRowTo(DataType dtype) {
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return &CastRow<type, From>;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      return nullptr;
  }
}

// Gives `out`, of a storage type, the codes of x.
template <typename T>
void StoreCodes(const DenseTensor& x, DenseTensor* out) {
  const DataType dtype = out->dtype();
  const auto store = [dtype](const void* from, int64_t stride, void* to,
                             int64_t count) {
    const T* in = static_cast<const T*>(from);
    uint8_t* codes = static_cast<uint8_t*>(to);
    if constexpr (std::is_integral_v<T>) {
      if (IsStoredInteger(dtype)) {
        for (int64_t i = 0; i < count; ++i) {
          const auto bits = static_cast<uint8_t>(in[i * stride]);
          codes[i] = CodeOfLastBits(dtype, bits);
        }
        return;
      }
    }
    constexpr int64_t kBlock = 256;
    double numbers[kBlock];
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t some = std::min(kBlock, count - begin);
      for (int64_t i = 0; i < some; ++i) {
        const T v = in[(begin + i) * stride];
        if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
          numbers[i] = InLastPlace(v);
        } else {
          numbers[i] = ConvertElement<double>(v);
        }
      }
      CodesOfNumbers(dtype, numbers, some, codes + begin);
    }
  };
  ForEachRow(x, store, out);
}

// x, of a storage type, as any dtype.
absl::Status CastStored(const DenseTensor& x, DataType dtype, DenseTensor* out);

template <typename S>
inline constexpr auto kCastSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status CastKernel(const CpuContext&, const DenseTensor& x, DataType dtype,
                        DenseTensor* out) {
  if constexpr (IsStorage(DataTypeOf<T>::value)) {
    return CastStored(x, dtype, out);
  } else {
    if (IsStorage(dtype)) {
      StoreCodes<T>(x, out);
      return absl::OkStatus();
    }
    const RowFunction row = CastRowTo<T>(dtype);
    if (row == nullptr) return TypeError("dtype", "defined", Name(dtype));
    ForEachRow(x, row, out);
    return absl::OkStatus();
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_CAST_H_
