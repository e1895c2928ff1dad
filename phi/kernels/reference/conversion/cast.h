// SPDX-License-Identifier: Apache-2.0
// Reference kernel of cast: every element through Scalar, whose conversions
// are the operator's: C++'s, but saturating where a floating number leaves an
// integer type, NaN giving 0. Storage types: the nearest of all their numbers.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_CAST_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_CAST_H_

#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/conversion/storage_numbers.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename T>
Scalar ToScalar(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return Scalar(v);
  } else if constexpr (std::is_integral_v<T>) {
    return Scalar(static_cast<int64_t>(v));
  } else if constexpr (kIsComplex<T>) {
    return Scalar(static_cast<std::complex<double>>(v));
  } else {
    return Scalar(static_cast<double>(v));
  }
}

// v as To. A Scalar's integers end with those of int64: the upper half of
// uint64 goes by itself.
template <typename To, typename From>
To Converted(From v) {
  if constexpr (std::is_same_v<From, uint64_t>) {
    constexpr auto kHalf = uint64_t{1} << 63;
    if (v >= kHalf && !std::is_same_v<To, bool>) {
      if constexpr (std::is_integral_v<To>) {
        return static_cast<To>(v);
      } else if constexpr (std::is_same_v<To, float>) {
        return static_cast<float>(v);
      } else if constexpr (std::is_same_v<To, std::complex<float>>) {
        return static_cast<float>(v);
      } else {
        return Scalar(static_cast<double>(v)).to<To>();
      }
    }
  }
  return ToScalar(v).template to<To>();
}

template <typename S>
inline constexpr auto kCastSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status CastKernel(const ReferenceContext&, const DenseTensor& x,
                        DataType dtype, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const auto v = Readable(At<T>(x, i));
    if (IsStorage(dtype)) {
      out->mutable_data<uint8_t>()[i] = StoredCode(dtype, v);
      continue;
    }
    switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size)     \
  case DataType::enumerator:                           \
    out->mutable_data<type>()[i] = Converted<type>(v); \
    break;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
      default:
        return TypeError("dtype", "defined", Name(dtype));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_CAST_H_
