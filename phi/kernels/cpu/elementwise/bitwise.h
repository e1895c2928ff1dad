// SPDX-License-Identifier: Apache-2.0
// The kernels of bitwise_and, bitwise_or, bitwise_xor, bitwise_not and the
// shifts on the CPU. They are no functors, which compute narrow dtypes as wider
// integers: here is one loop a dtype, over the operands of
// phi/kernels/cpu/elementwise/elementwise.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BITWISE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BITWISE_H_

#include <algorithm>
#include <functional>
#include <type_traits>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/elementwise/elementwise.h"

namespace switchyard::phi::kernels::cpu {

// The bits that a number lacks; of bool, the other truth value.
struct BitwiseInversion {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
};

// Whether every bit of a T leaves it when it is moved `count` places.
template <typename T>
bool MovesAll(T count) {
  return static_cast<std::make_unsigned_t<T>>(count) >= sizeof(T) * 8;
}

// x moved `count` places up.
struct LeftShift {
  template <typename T>
  T operator()(T x, T count) const {
    const auto bits = static_cast<std::make_unsigned_t<T>>(x);
    return MovesAll(count) ? T{0} : static_cast<T>(bits << count);
  }
};

// x moved `count` places down; what comes in is x's sign.
struct RightShift {
  template <typename T>
  T operator()(T x, T count) const {
    constexpr T kLast = sizeof(T) * 8 - 1;
    // From the last place on there is but the sign: for unsigned x, 0.
    if (MovesAll(count)) return std::is_signed_v<T> ? T(x >> kLast) : T{0};
    return static_cast<T>(x >> count);
  }
};

template <typename T>
void InvertRange(const ElementwiseCall& call, int64_t begin, int64_t end) {
  const int64_t step = call.strides[0][call.rank - 1];
  ElementwiseCursor<1> cursor(call, begin);
  T* out = static_cast<T*>(call.output) + begin;
  for (int64_t i = begin; i < end;) {
    const int64_t run = std::min(cursor.left(), end - i);
    const T* x = static_cast<const T*>(call.inputs[0]) + cursor.offset(0);
    for (int64_t j = 0; j < run; ++j) out[j] = BitwiseInversion()(x[j * step]);
    out += run;
    i += run;
    cursor.Advance(run);
  }
}

template <typename T, typename F>
void CombineRange(const ElementwiseCall& call, int64_t begin, int64_t end) {
  const int64_t x_step = call.strides[0][call.rank - 1];
  const int64_t y_step = call.strides[1][call.rank - 1];
  ElementwiseCursor<2> cursor(call, begin);
  T* out = static_cast<T*>(call.output) + begin;
  for (int64_t i = begin; i < end;) {
    const int64_t run = std::min(cursor.left(), end - i);
    const T* x = static_cast<const T*>(call.inputs[0]) + cursor.offset(0);
    const T* y = static_cast<const T*>(call.inputs[1]) + cursor.offset(1);
    if (x_step == 1 && y_step == 1) {
      for (int64_t j = 0; j < run; ++j) {
        out[j] = static_cast<T>(F()(x[j], y[j]));
      }
    } else {
      for (int64_t j = 0; j < run; ++j) {
        out[j] = static_cast<T>(F()(x[j * x_step], y[j * y_step]));
      }
    }
    out += run;
    i += run;
    cursor.Advance(run);
  }
}

// out = F(x, y). The loop knows its dtypes, so none is to be widened.
template <typename T, typename F>
absl::Status Combine(const DenseTensor& x, const DenseTensor& y,
                     DenseTensor* out) {
  ElementwiseArguments arguments;
  arguments.Add(x);
  arguments.Add(y);
  arguments.Add(out);
  return arguments.Run(DataType::kUndefined, &CombineRange<T, F>);
}

template <typename S>
inline constexpr auto kBitwiseAndSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseAndKernel(const CpuContext&, const DenseTensor& x,
                              const DenseTensor& y, DenseTensor* out) {
  return Combine<T, std::bit_and<>>(x, y, out);
}

template <typename S>
inline constexpr auto kBitwiseOrSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseOrKernel(const CpuContext&, const DenseTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return Combine<T, std::bit_or<>>(x, y, out);
}

template <typename S>
inline constexpr auto kBitwiseXorSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseXorKernel(const CpuContext&, const DenseTensor& x,
                              const DenseTensor& y, DenseTensor* out) {
  return Combine<T, std::bit_xor<>>(x, y, out);
}

template <typename S>
inline constexpr auto kBitwiseLeftShiftSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseLeftShiftKernel(const CpuContext&, const DenseTensor& x,
                                    const DenseTensor& y, DenseTensor* out) {
  return Combine<T, LeftShift>(x, y, out);
}

template <typename S>
inline constexpr auto kBitwiseRightShiftSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseRightShiftKernel(const CpuContext&, const DenseTensor& x,
                                     const DenseTensor& y, DenseTensor* out) {
  return Combine<T, RightShift>(x, y, out);
}

template <typename S>
inline constexpr auto kBitwiseNotSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BitwiseNotKernel(const CpuContext&, const DenseTensor& x,
                              DenseTensor* out) {
  ElementwiseArguments arguments;
  arguments.Add(x);
  arguments.Add(out);
  return arguments.Run(DataType::kUndefined, &InvertRange<T>);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BITWISE_H_
