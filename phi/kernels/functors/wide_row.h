// SPDX-License-Identifier: Apache-2.0
// Rows of layer_norm and channels of batch_norm whose squares leave the range
// of their type: their statistics are found in a wider one.
#ifndef SWITCHYARD_PHI_KERNELS_FUNCTORS_WIDE_ROW_H_
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_WIDE_ROW_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace switchyard::phi::kernels {

// Whether a sum of squares was infinite, or so small that some may have
// vanished that count beside epsilon.
template <typename T>
bool SquaresLeaveRange(T variance, T epsilon) {
  constexpr T kLeast = std::is_same_v<T, float> ? T(0x1p-100) : T(0x1p-900);
  return !(variance + epsilon >= kLeast &&
           variance <= std::numeric_limits<T>::max());
}

// A row with its mean and variance in the wider type.
template <typename T>
struct WideRow {
  using Wide =
      std::conditional_t<std::is_same_v<T, float>, double, long double>;

  // The row's elements and the parameters, which may be null: 1 and 0.
  const T* x;
  int64_t width;
  const T* scale;
  Wide mean = 0, variance = 0, inverse = 0;

  WideRow(const T* x, int64_t width, const T* scale, double epsilon)
      : x(x), width(width), scale(scale) {
    const Wide count = static_cast<Wide>(width);
    for (int64_t j = 0; j < width; ++j) mean += x[j];
    mean /= count;
    for (int64_t j = 0; j < width; ++j) {
      const Wide off = x[j] - mean;
      variance += off * off;
    }
    variance /= count;
    inverse = 1 / std::sqrt(variance + epsilon);
  }

  Wide Normal(int64_t j) const { return (x[j] - mean) * inverse; }
  Wide Factor(int64_t j) const { return scale == nullptr ? 1 : scale[j]; }

  void Normalize(const T* bias, T* out) const {
    for (int64_t j = 0; j < width; ++j) {
      const Wide shift = bias == nullptr ? 0 : bias[j];
      out[j] = static_cast<T>(Normal(j) * Factor(j) + shift);
    }
  }
  void Grad(const T* dy, T* dx) const {
    Wide g = 0, gn = 0;
    for (int64_t j = 0; j < width; ++j) {
      g += dy[j] * Factor(j);
      gn += dy[j] * Factor(j) * Normal(j);
    }
    g /= static_cast<Wide>(width);
    gn /= static_cast<Wide>(width);
    for (int64_t j = 0; j < width; ++j) {
      dx[j] =
          static_cast<T>(inverse * (dy[j] * Factor(j) - g - Normal(j) * gn));
    }
  }
  // Adds to the sums by scale and by bias.
  void AddParameterGrads(const T* dy, T* by_scale, T* by_bias) const {
    for (int64_t j = 0; j < width; ++j) {
      by_scale[j] += static_cast<T>(dy[j] * Normal(j));
      by_bias[j] += dy[j];
    }
  }
};

// The elements of a channel, which lie in spans, and their statistics.
template <typename T>
struct WideChannel {
  using Wide = typename WideRow<T>::Wide;

  const T* x;  // The first span; the next one begins `step` elements later.
  int64_t spans, step, size;
  Wide mean = 0, variance = 0;

  WideChannel(const T* x, int64_t spans, int64_t step, int64_t size)
      : x(x), spans(spans), step(step), size(size) {
    const Wide count = static_cast<Wide>(spans) * static_cast<Wide>(size);
    ForEach([&](Wide element) { mean += element; });
    mean /= count;
    ForEach(
        [&](Wide element) { variance += (element - mean) * (element - mean); });
    variance /= count;
  }

 private:
  template <typename Fn>
  void ForEach(const Fn& fn) const {
    for (int64_t i = 0; i < spans; ++i) {
      for (int64_t j = 0; j < size; ++j) fn(x[i * step + j]);
    }
  }
};

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_FUNCTORS_WIDE_ROW_H_
