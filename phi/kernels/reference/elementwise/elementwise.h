// SPDX-License-Identifier: Apache-2.0
// The loops of the reference kernels of elementwise operators: in double where
// the dtype is floating, rounded once. What they compute is in formula.h and
// the headers of the families, addressing in elements.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ELEMENTWISE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ELEMENTWISE_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/types/float16.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// double, or a pair of them for complex numbers.
template <typename T>
using WideFloat =
    std::conditional_t<kIsComplex<T>, std::complex<double>, double>;

// The type to compute in: WideFloat for floating and complex dtypes, unsigned
// for integers, which wrap around.
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, WideFloat<T>>;

// The type where the sign of integers matters: bool and integers are
// themselves.
template <typename T>
using Own = std::conditional_t<std::is_integral_v<T>, T, WideFloat<T>>;

// The type where both the sign and every value matter.
template <typename T>
using Signed = std::conditional_t<
    std::is_same_v<T, uint64_t>, uint64_t,
    std::conditional_t<std::is_integral_v<T>, int64_t, double>>;

// The type that kernels of T compute in, and so read their attributes as.
template <typename T>
using Computed = std::conditional_t<
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float,
    std::conditional_t<
        std::is_integral_v<T> && sizeof(T) <= 2, int32_t,
        std::conditional_t<std::is_same_v<T, uint32_t>, int64_t, T>>>;

// out[i] = f(x[i]). V is what f takes: Wide, Own or
// Signed.
template <typename T, typename V, typename F>
absl::Status Unary(const DenseTensor& x, DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const auto v = f(static_cast<V>(At<T>(x, i)));
    out->mutable_data<T>()[i] = static_cast<T>(v);
  }
  return absl::OkStatus();
}

// out[i] = f(x[i]), of another dtype than x, whose C++ type is Out.
template <typename T, typename Out, typename F>
absl::Status Convert(const DenseTensor& x, DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const auto v = f(static_cast<WideFloat<T>>(At<T>(x, i)));
    out->mutable_data<Out>()[i] = static_cast<Out>(v);
  }
  return absl::OkStatus();
}

// out[i] = f(x[i], y[i]), broadcast.
template <typename T, typename V, typename F>
absl::Status Binary(const DenseTensor& x, const DenseTensor& y,
                    DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const V a = static_cast<V>(BroadcastAt<T>(x, out->shape(), i));
    const V b = static_cast<V>(BroadcastAt<T>(y, out->shape(), i));
    out->mutable_data<T>()[i] = static_cast<T>(f(a, b));
  }
  return absl::OkStatus();
}

// out[i] = f(x[i], y[i]), a truth value.
template <typename T, typename F>
absl::Status Compare(const DenseTensor& x, const DenseTensor& y,
                     DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const auto a = static_cast<Own<T>>(BroadcastAt<T>(x, out->shape(), i));
    const auto b = static_cast<Own<T>>(BroadcastAt<T>(y, out->shape(), i));
    out->mutable_data<bool>()[i] = f(a, b);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ELEMENTWISE_H_
