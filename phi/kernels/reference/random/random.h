// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the random operators, one element at a time, after the
// convention of framework/random/philox.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_RANDOM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_RANDOM_H_

#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/random/philox.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

inline absl::Status CheckGiven(const DenseTensor* rng) {
  if (rng != nullptr) return absl::OkStatus();
  return ArgumentError("rng", "a tensor", "none");
}

// Rounded from a number in [min, max), and below max where a T is.
template <typename T, typename Number>
T RoundedInto(Number value, Number min, Number max) {
  const T rounded = static_cast<T>(value);
  if (!(rounded >= max)) return rounded;
  T below;
  if constexpr (sizeof(T) == 2) {
    below = NextBelow(rounded);
  } else {
    below = std::nextafter(rounded, std::numeric_limits<T>::lowest());
  }
  return below < static_cast<T>(min) ? rounded : below;
}

template <typename S>
inline constexpr auto kUniformSpec = KernelSpec<S>().AllStrided().Input(
    S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
template <typename T>
absl::Status UniformKernel(const ReferenceContext&, const DenseTensor* rng,
                           absl::Span<const int64_t>, double min, double max,
                           DataType, int64_t stream, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckGiven(rng));
  const PhiloxStream draws(At<int64_t>(*rng, 0), At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < out->numel(); ++i) {
    if constexpr (sizeof(T) == 8) {
      const double u = UniformDouble(draws.Draw64(i));
      const double value = min + (max - min) * u;
      out->mutable_data<T>()[i] = RoundedInto<T>(value, min, max);
    } else {
      const float u = UniformFloat(draws.Draw32(i));
      const float low = static_cast<float>(min);
      const float high = static_cast<float>(max);
      const float value = low + (high - low) * u;
      out->mutable_data<T>()[i] = RoundedInto<T>(value, low, high);
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGaussianSpec = KernelSpec<S>().AllStrided().Input(
    S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
template <typename T>
absl::Status GaussianKernel(const ReferenceContext&, const DenseTensor* rng,
                            absl::Span<const int64_t>, double mean, double std,
                            DataType, int64_t stream, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckGiven(rng));
  const PhiloxStream draws(At<int64_t>(*rng, 0), At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < out->numel(); ++i) {
    double normal;
    if constexpr (sizeof(T) != 8) {
      normal = PhiloxStream::Normals32(draws.Block(i / 4))[i % 4];
    } else {
      normal = PhiloxStream::Normals64(draws.Block(i / 2))[i % 2];
    }
    out->mutable_data<T>()[i] = static_cast<T>(mean + std * normal);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRandintSpec = KernelSpec<S>().AllStrided().Input(
    S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
// low + floor(draw * (high - low) / 2^64), by long multiplication.
template <typename T>
absl::Status RandintKernel(const ReferenceContext&, const DenseTensor* rng,
                           int64_t low, int64_t high, absl::Span<const int64_t>,
                           DataType, int64_t stream, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckGiven(rng));
  const PhiloxStream draws(At<int64_t>(*rng, 0), At<int64_t>(*rng, 1), stream);
  const uint64_t count =
      static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  for (int64_t i = 0; i < out->numel(); ++i) {
    const uint64_t draw = draws.Draw64(i);
    const uint64_t a = draw >> 32, b = draw & 0xffffffffu;
    const uint64_t c = count >> 32, d = count & 0xffffffffu;
    const uint64_t middle = (b * d >> 32) + (a * d & 0xffffffffu) + b * c;
    const uint64_t step = a * c + (a * d >> 32) + (middle >> 32);
    out->mutable_data<T>()[i] =
        static_cast<T>(static_cast<uint64_t>(low) + step);
  }
  return absl::OkStatus();
}

// The factor of a kept element in training and of all elements in the test
// phase.
inline double KeptFactor(double p, bool is_test, std::string_view mode) {
  const bool upscale = mode == "upscale_in_train";
  if (is_test) return upscale ? 1 : 1 - p;
  return upscale && p < 1 ? 1 / (1 - p) : 1;
}

// The uniform number of element i: of 64 bits for double, else of 32.
template <typename T>
double UniformDraw(const PhiloxStream& draws, int64_t i) {
  return sizeof(T) == 8 ? UniformDouble(draws.Draw64(i))
                        : double{UniformFloat(draws.Draw32(i))};
}

template <typename S>
inline constexpr auto kDropoutSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))))
        .Output(S::kMask, Fixed(DataType::kUInt8));
// Element i is kept if its uniform number is not below p.
template <typename T>
absl::Status DropoutKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor* rng, double p, bool is_test,
                           std::string_view mode, int64_t stream,
                           DenseTensor* out, DenseTensor* mask) {
  if (!is_test && rng == nullptr) {
    return ArgumentError("rng", "a tensor in the training phase", "none");
  }
  const double factor = KeptFactor(p, is_test, mode);
  // In the type of the draws.
  const double share = sizeof(T) == 8 ? p : double{static_cast<float>(p)};
  const PhiloxStream draws(is_test ? 0 : At<int64_t>(*rng, 0),
                           is_test ? 0 : At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < x.numel(); ++i) {
    const bool kept = is_test || UniformDraw<T>(draws, i) >= share;
    const double v = At<T>(x, i);
    if (mask != nullptr) mask->mutable_data<uint8_t>()[i] = kept;
    out->mutable_data<T>()[i] = static_cast<T>(kept ? v * factor : 0);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDropoutGradSpec = KernelSpec<S>().AllStrided().Input(
    S::kMask, WithAnyStrides(Fixed(DataType::kUInt8)));
template <typename T>
absl::Status DropoutGradKernel(const ReferenceContext&, const DenseTensor& mask,
                               const DenseTensor& out_grad, double p,
                               bool is_test, std::string_view mode,
                               DenseTensor* x_grad) {
  const double factor = KeptFactor(p, is_test, mode);
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    const bool kept = is_test || At<uint8_t>(mask, i) != 0;
    x_grad->mutable_data<T>()[i] =
        static_cast<T>(kept ? At<T>(out_grad, i) * factor : 0);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRreluSpec = KernelSpec<S>().AllStrided().Input(
    S::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
template <typename T>
absl::Status RreluKernel(const ReferenceContext&, const DenseTensor& x,
                         const DenseTensor* rng, double lower, double upper,
                         bool is_test, int64_t stream, DenseTensor* out,
                         DenseTensor* noise) {
  if (!is_test) SY_RETURN_IF_ERROR(CheckGiven(rng));
  const PhiloxStream draws(is_test ? 0 : At<int64_t>(*rng, 0),
                           is_test ? 0 : At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double one = double(At<T>(x, i));
    const double part = is_test ? 0.5 : UniformDraw<T>(draws, i);
    const double drawn = lower + (upper - lower) * part;
    const double slope = one < 0 ? drawn : 1;
    noise->mutable_data<T>()[i] = static_cast<T>(slope);
    out->mutable_data<T>()[i] = static_cast<T>(one * slope);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_RANDOM_H_
