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

// Element i of an array of `dtype`, which is computed in T.
template <typename T>
SY_DEVICE T LoadElement(const void* from, DataType dtype, int64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DataType::kFloat16) {
      return __half2float(static_cast<const __half*>(from)[i]);
    }
    if (dtype == DataType::kBFloat16) {
      return __bfloat162float(static_cast<const __nv_bfloat16*>(from)[i]);
    }
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    switch (dtype) {
      case DataType::kInt16:
        return static_cast<const int16_t*>(from)[i];
      case DataType::kInt8:
        return static_cast<const int8_t*>(from)[i];
      case DataType::kUInt8:
      case DataType::kBool:
        return static_cast<const uint8_t*>(from)[i];
      default:
        break;
    }
  }
  return static_cast<const T*>(from)[i];
}

// Writes it; floats are rounded to nearest even, integers lose their upper
// bits.
template <typename T>
SY_DEVICE void StoreElement(T v, DataType dtype, int64_t i, void* to) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DataType::kFloat16) {
      static_cast<__half*>(to)[i] = __float2half_rn(v);
      return;
    }
    if (dtype == DataType::kBFloat16) {
      static_cast<__nv_bfloat16*>(to)[i] = __float2bfloat16_rn(v);
      return;
    }
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    switch (dtype) {
      case DataType::kInt16:
        static_cast<int16_t*>(to)[i] = static_cast<int16_t>(v);
        return;
      case DataType::kInt8:
        static_cast<int8_t*>(to)[i] = static_cast<int8_t>(v);
        return;
      case DataType::kUInt8:
        static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(v);
        return;
      case DataType::kBool:
        static_cast<uint8_t*>(to)[i] = v != 0;
        return;
      default:
        break;
    }
  }
  static_cast<T*>(to)[i] = v;
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTS_CUH_
