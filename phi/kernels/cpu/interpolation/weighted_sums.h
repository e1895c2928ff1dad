// SPDX-License-Identifier: Apache-2.0
// The sums of linear and cubic interpolations on the CPU, axis after axis:
// a row of the result is made of rows of the image that are added up, then of
// that one's elements. Each is one thread's, and so is all that lies together
// of a gradient: the number of threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_WEIGHTED_SUMS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_WEIGHTED_SUMS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"
#include "phi/kernels/cpu/interpolation/resampled_image.h"
#include "phi/kernels/cpu/interpolation/taps.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The type in which elements are added up.
template <typename T>
using WeightedSum =
    std::conditional_t<std::is_same_v<T, double>, double, float>;

// Calls visit(position of a row of the image, weight) for each that row (d, h)
// of the result is made of, with a weight that is not 0.
template <typename C, typename Visit>
void ForEachTapRow(const ResampledImage& image,
                   const std::array<Taps<C>, 3>& taps, int64_t d, int64_t h,
                   const Visit& visit) {
  const Taps<C>&depth = taps[0], &height = taps[1];
  for (int64_t i = d * depth.count; i < (d + 1) * depth.count; ++i) {
    for (int64_t j = h * height.count; j < (h + 1) * height.count; ++j) {
      const C weight = depth.weights[i] * height.weights[j];
      // No part of the sum, also where it is not finite.
      if (weight == 0) continue;
      const int64_t row = depth.from[i] * image.in[1] + height.from[j];
      visit(row * image.in[2] * image.inner, weight);
    }
  }
}

// Writes a row of the result from the row `line` of sums, after which there is
// an element of zeros. Integers are cut, as
// PaddlePaddle does; what rounding keeps just below a whole number is whole.
template <typename T, typename C>
void SumColumns(const Taps<C>& taps, int64_t width, int64_t inner,
                const C* line, T* out) {
  for (int64_t w = 0; w < width; ++w) {
    const int64_t* from = taps.from.data() + w * taps.count;
    const C* weights = taps.weights.data() + w * taps.count;
    for (int64_t c = 0; c < inner; ++c) {
      C sum = line[from[0] * inner + c] * weights[0];
      for (int64_t k = 1; k < taps.count; ++k) {
        sum += line[from[k] * inner + c] * weights[k];
      }
      if constexpr (std::is_integral_v<T>) {
        // Cubic weights overshoot.
        sum = std::clamp<C>(sum + C{1} / 1024, 0, 255);
      }
      out[w * inner + c] = static_cast<T>(sum);
    }
  }
}

// The taps along depth, height and width. Elements of weight 0 are no part of a
// sum, also where they are not finite: along the width they are those after the
// row, whatever inner loops do with them.
template <typename C>
std::array<Taps<C>, 3> TapsOfSums(const ResampledImage& image,
                                  const TapRule& rule) {
  auto taps = MakeTaps<C>(image, rule);
  Taps<C>& width = taps[2];
  for (size_t i = 0; i < width.from.size(); ++i) {
    if (width.weights[i] == 0) width.from[i] = image.in[2];
  }
  return taps;
}

// Writes all of `out`. ResourceExhausted if there is no memory for a row.
template <typename T>
absl::Status WeightedSums(Allocator& allocator, const ResampledImage& image,
                          const TapRule& rule, const T* x, T* out) {
  using C = WeightedSum<T>;
  const auto taps = TapsOfSums<C>(image, rule);
  const int64_t height = image.out[1], rows = image.out[0] * height;
  const int64_t in_row = image.in[2] * image.inner;
  const int64_t out_row = image.out[2] * image.inner;
  return ParallelForWithWorkspace<C>(
      allocator, image.outer * rows,
      ResampledImage::Grain(taps[1].count * (in_row + out_row)),
      in_row + image.inner, [&](int64_t begin, int64_t end, C* line) {
        for (int64_t i = begin; i < end; ++i) {
          const T* from = x + i / rows * image.in_size();
          std::fill_n(line, in_row + image.inner, C{0});
          ForEachTapRow(image, taps, i % rows / height, i % height,
                        [&](int64_t row, C weight) {
                          for (int64_t e = 0; e < in_row; ++e) {
                            line[e] += static_cast<C>(from[row + e]) * weight;
                          }
                        });
          SumColumns(taps[2], image.out[2], image.inner, line,
                     out + i * out_row);
        }
      });
}

// The transpose of WeightedSums(), for float and double.
template <typename T>
absl::Status WeightedSumsGrad(Allocator& allocator, const ResampledImage& image,
                              const TapRule& rule, const T* out_grad,
                              T* x_grad) {
  const auto taps = TapsOfSums<T>(image, rule);
  const Taps<T>& columns = taps[2];
  const int64_t height = image.out[1], rows = image.out[0] * height;
  const int64_t inner = image.inner, in_row = image.in[2] * inner;
  return ParallelForWithWorkspace<T>(
      allocator, image.outer, ResampledImage::Grain(image.out_size()),
      in_row + inner, [&](int64_t begin, int64_t end, T* line) {
        std::fill(x_grad + begin * image.in_size(),
                  x_grad + end * image.in_size(), T{0});
        for (int64_t i = begin * rows; i < end * rows; ++i) {
          const T* grads = out_grad + i * image.out[2] * inner;
          T* to = x_grad + i / rows * image.in_size();
          std::fill_n(line, in_row + inner, T{0});
          for (int64_t w = 0; w < image.out[2] * columns.count; ++w) {
            const T* grad = grads + w / columns.count * inner;
            for (int64_t c = 0; c < inner; ++c) {
              line[columns.from[w] * inner + c] += grad[c] * columns.weights[w];
            }
          }
          ForEachTapRow(image, taps, i % rows / height, i % height,
                        [&](int64_t row, T weight) {
                          for (int64_t e = 0; e < in_row; ++e) {
                            to[row + e] += line[e] * weight;
                          }
                        });
        }
      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_WEIGHTED_SUMS_H_
