// SPDX-License-Identifier: Apache-2.0
// Elements in memory and the numbers that are computed with: a kernel is
// compiled for float, double, int32_t and int64_t, and finds out at run time
// how wide an element is. float16 and bfloat16 are computed in float, bool and
// the narrow integers in int32_t.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTS_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTS_CUH_

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "framework/types/data_type.h"
#include "phi/kernels/gpu/launch.cuh"

namespace switchyard::phi::kernels::gpu {

// Whether elements of this dtype are computed in T.
template <typename T>
constexpr bool ComputedIn(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat16:
    case DataType::kBFloat16:
    case DataType::kFloat32:
      return std::is_same_v<T, float>;
    case DataType::kFloat64:
      return std::is_same_v<T, double>;
    case DataType::kInt64:
      return std::is_same_v<T, int64_t>;
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kInt8:
    case DataType::kUInt8:
    case DataType::kBool:
      return std::is_same_v<T, int32_t>;
    default:
      return false;
  }
}

// Calls use(S()) with the type S of elements of `dtype`, which are computed in
// T.
template <typename T, class Use>
SY_DEVICE void AsStored(DataType dtype, const Use& use) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DataType::kFloat16) return use(__half());
    if (dtype == DataType::kBFloat16) return use(__nv_bfloat16());
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    switch (dtype) {
      case DataType::kInt16:
        return use(int16_t());
      case DataType::kInt8:
        return use(int8_t());
      case DataType::kUInt8:
        return use(uint8_t());
      case DataType::kBool:
        return use(bool());
      default:
        break;
    }
  }
  use(T());
}

template <typename T, typename S>
SY_DEVICE T FromStored(S v) {
  if constexpr (std::is_same_v<S, __half>) {
    return __half2float(v);
  } else if constexpr (std::is_same_v<S, __nv_bfloat16>) {
    return __bfloat162float(v);
  } else {
    return static_cast<T>(v);
  }
}

// Floats are rounded to nearest even, integers lose their upper bits.
template <typename S, typename T>
SY_DEVICE S ToStored(T v) {
  if constexpr (std::is_same_v<S, __half>) {
    return __float2half_rn(v);
  } else if constexpr (std::is_same_v<S, __nv_bfloat16>) {
    return __float2bfloat16_rn(v);
  } else {
    return static_cast<S>(v);
  }
}

// `width` elements that are read or written by one instruction, or by as few
// as there can be.
template <typename S, int width>
struct alignas(sizeof(S) * width < 16 ? sizeof(S) * width : 16) Pack {
  S of[width];
};

// Reads `width` elements from i of an array of `dtype`; those of more than one
// are aligned as a Pack.
template <int width, typename T>
SY_DEVICE void LoadElements(const void* from, DataType dtype, int64_t i,
                            T* to) {
  AsStored<T>(dtype, [=](auto stored) {
    using S = decltype(stored);
    const auto pack = *reinterpret_cast<const Pack<S, width>*>(
        static_cast<const S*>(from) + i);
    for (int k = 0; k < width; ++k) to[k] = FromStored<T>(pack.of[k]);
  });
}

// Writes them.
template <int width, typename T>
SY_DEVICE void StoreElements(const T* v, DataType dtype, int64_t i, void* to) {
  AsStored<T>(dtype, [=](auto stored) {
    using S = decltype(stored);
    Pack<S, width> pack;
    for (int k = 0; k < width; ++k) pack.of[k] = ToStored<S>(v[k]);
    *reinterpret_cast<Pack<S, width>*>(static_cast<S*>(to) + i) = pack;
  });
}

template <typename T>
SY_DEVICE T LoadElement(const void* from, DataType dtype, int64_t i) {
  T v;
  LoadElements<1>(from, dtype, i, &v);
  return v;
}

template <typename T>
SY_DEVICE void StoreElement(T v, DataType dtype, int64_t i, void* to) {
  StoreElements<1>(&v, dtype, i, to);
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTS_CUH_
