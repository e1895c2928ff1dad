// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the random operators, one element at a time, after the
// convention of framework/device/philox.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_H_

#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/philox.h"
#include "framework/types/float16.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

inline absl::Status CheckGiven(const DenseTensor* rng) {
  if (rng != nullptr) return absl::OkStatus();
  return ArgumentError("rng", "a tensor", "none");
}

// Rounded from a number in [min, max), and below max where a T is.
template <typename T, typename Number>
T RoundedInto(Number value, float min, float max) {
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

template <typename T, typename Context>
absl::Status UniformKernel(const Context&, const DenseTensor* rng,
                           absl::Span<const int64_t>, float min, float max,
                           DataType, int64_t stream, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckGiven(rng));
  const PhiloxStream draws(At<int64_t>(*rng, 0), At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < out->numel(); ++i) {
    if constexpr (sizeof(T) == 8) {
      const double u = UniformDouble(draws.Draw64(i));
      const double value = double{min} + (double{max} - double{min}) * u;
      out->mutable_data<T>()[i] = RoundedInto<T>(value, min, max);
    } else {
      const float u = UniformFloat(draws.Draw32(i));
      const float value = min + (max - min) * u;
      out->mutable_data<T>()[i] = RoundedInto<T>(value, min, max);
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status GaussianKernel(const Context&, const DenseTensor* rng,
                            absl::Span<const int64_t>, float mean, float std,
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
    out->mutable_data<T>()[i] =
        static_cast<T>(double{mean} + double{std} * normal);
  }
  return absl::OkStatus();
}

// low + floor(draw * (high - low) / 2^64), by long multiplication.
template <typename T, typename Context>
absl::Status RandintKernel(const Context&, const DenseTensor* rng, int64_t low,
                           int64_t high, absl::Span<const int64_t>, DataType,
                           int64_t stream, DenseTensor* out) {
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

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_RANDOM_H_
