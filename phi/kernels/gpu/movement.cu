// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <type_traits>

#include "phi/kernels/gpu/elements.cuh"
#include "phi/kernels/gpu/movement_launch.h"

namespace switchyard::phi::kernels::gpu {
namespace {

// Where element i of the output is in input 0.
SY_DEVICE int64_t SourceOf(const ElementwiseLaunch& launch, int64_t i) {
  return launch.count <= UINT32_MAX
             ? OffsetOf(launch.extents, launch.strides[0], 0, launch.rank,
                        static_cast<uint32_t>(i))
             : OffsetOf(launch.extents, launch.strides[0], 0, launch.rank,
                        static_cast<uint64_t>(i));
}

template <class Bytes>
struct CopyKernel {
  ElementwiseLaunch launch;
  SY_DEVICE void operator()(int64_t i) const {
    static_cast<Bytes*>(launch.output)[i] =
        static_cast<const Bytes*>(launch.inputs[0])[SourceOf(launch, i)];
  }
};

template <class Bytes>
struct FillKernel {
  Bytes element;
  Bytes* out;
  SY_DEVICE void operator()(int64_t i) const { out[i] = element; }
};

template <class Bytes>
int Fill(const FillElement& element, int64_t count, void* out,
         CUstream_st* stream) {
  FillKernel<Bytes> kernel;
  memcpy(&kernel.element, &element, sizeof(Bytes));
  kernel.out = static_cast<Bytes*>(out);
  return LaunchThreads(count, kernel, stream);
}

template <typename To, typename From>
SY_DEVICE To Converted(From v) {
  if constexpr (std::is_same_v<To, __half>) {
    return __double2half(static_cast<double>(v));
  } else if constexpr (std::is_same_v<To, __nv_bfloat16>) {
    return __double2bfloat16(static_cast<double>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From{0};
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<From>) {
    // 2^digits is exact where the greatest To need not be.
    constexpr int kDigits = std::numeric_limits<To>::digits;
    constexpr From kBound = From{2} * static_cast<From>(To{1} << (kDigits - 1));
    constexpr To kLowest = std::numeric_limits<To>::min();
    constexpr To kHighest = std::numeric_limits<To>::max();
    if (v >= kBound) return kHighest;
    if (v <= static_cast<From>(kLowest)) return kLowest;
    return v == v ? static_cast<To>(v) : To{0};
  } else {
    return static_cast<To>(v);
  }
}

template <typename To, typename From>
struct CastKernel {
  ElementwiseLaunch launch;
  SY_DEVICE void operator()(int64_t i) const {
    static_cast<To*>(launch.output)[i] = Converted<To>(
        LoadElement<From>(launch.inputs[0], launch.dtype, SourceOf(launch, i)));
  }
};

template <typename From>
int CastFrom(const ElementwiseLaunch& launch, DataType dtype,
             CUstream_st* stream) {
  switch (dtype) {
#define SY_TO(enumerator, To) \
  case DataType::enumerator:  \
    return LaunchThreads(launch.count, CastKernel<To, From>{launch}, stream)
    SY_TO(kBool, bool);
    SY_TO(kUInt8, uint8_t);
    SY_TO(kInt8, int8_t);
    SY_TO(kInt16, int16_t);
    SY_TO(kInt32, int32_t);
    SY_TO(kInt64, int64_t);
    SY_TO(kFloat16, __half);
    SY_TO(kBFloat16, __nv_bfloat16);
    SY_TO(kFloat32, float);
    SY_TO(kFloat64, double);
#undef SY_TO
    default:
      return cudaErrorInvalidValue;
  }
}

template <typename T>
struct SgdKernel {
  SgdLaunch launch;
  SY_DEVICE void operator()(int64_t i) const {
    const T rate = *static_cast<const T*>(launch.learning_rate);
    const T step = rate * LoadElement<T>(launch.grad, launch.dtype, i);
    StoreElement<T>(LoadElement<T>(launch.param, launch.dtype, i) - step,
                    launch.dtype, i, launch.out);
  }
};

}  // namespace

int LaunchCopy(const ElementwiseLaunch& launch, CUstream_st* stream) {
  switch (ElementSize(launch.dtype)) {
    case 1:
      return LaunchThreads(launch.count, CopyKernel<uint8_t>{launch}, stream);
    case 2:
      return LaunchThreads(launch.count, CopyKernel<uint16_t>{launch}, stream);
    case 4:
      return LaunchThreads(launch.count, CopyKernel<uint32_t>{launch}, stream);
    case 8:
      return LaunchThreads(launch.count, CopyKernel<uint64_t>{launch}, stream);
    default:
      return LaunchThreads(launch.count, CopyKernel<FillElement>{launch},
                           stream);
  }
}

int LaunchCast(const ElementwiseLaunch& launch, DataType dtype,
               CUstream_st* stream) {
  if (ComputedIn<float>(launch.dtype)) {
    return CastFrom<float>(launch, dtype, stream);
  }
  if (ComputedIn<double>(launch.dtype)) {
    return CastFrom<double>(launch, dtype, stream);
  }
  if (ComputedIn<int64_t>(launch.dtype)) {
    return CastFrom<int64_t>(launch, dtype, stream);
  }
  return CastFrom<int32_t>(launch, dtype, stream);
}

int LaunchFill(const FillElement& element, int64_t size, int64_t count,
               void* out, CUstream_st* stream) {
  switch (size) {
    case 1:
      return Fill<uint8_t>(element, count, out, stream);
    case 2:
      return Fill<uint16_t>(element, count, out, stream);
    case 4:
      return Fill<uint32_t>(element, count, out, stream);
    case 8:
      return Fill<uint64_t>(element, count, out, stream);
    default:
      return Fill<FillElement>(element, count, out, stream);
  }
}

int LaunchSgd(const SgdLaunch& launch, CUstream_st* stream) {
  return ComputedIn<double>(launch.dtype)
             ? LaunchThreads(launch.count, SgdKernel<double>{launch}, stream)
             : LaunchThreads(launch.count, SgdKernel<float>{launch}, stream);
}

}  // namespace switchyard::phi::kernels::gpu
