// SPDX-License-Identifier: Apache-2.0
// The vector work of normalizations on the CPU, on spans of adjacent
// elements. Sums run in an order that the length alone decides (and the
// instruction set). Below, n(x) = (x - mean) * inverse is a normalized element.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_H_

#include <cstdint>

#include "framework/types/float16.h"

namespace switchyard::phi::kernels::cpu {

// The two numbers that normalize an element.
template <typename T>
struct NormStatistics {
  T mean;
  T inverse;  // 1 / sqrt(variance + epsilon)
};

// Sums over a span of g and of g n(x), where g is the gradient of n(x).
template <typename T>
struct NormGradSums {
  T g;
  T gn;
};

// The numbers of a gradient that is linear in dy and in n(x).
template <typename T>
struct NormLine {
  T factor;
  T slope;
  T shift;
};

// An element a channel each, for gradients of rows.
template <typename T>
struct NormColumns {
  const T* means;
  const T* factors;
  const T* levels;
  const T* slopes;
};

// The work as functions for one instruction set, of float or double. `scale`
// and `bias`, an element each of x's, may be null: 1 and 0.
template <typename T>
struct NormSimd {
  // Those of the instruction set that this machine has.
  static const NormSimd& Get();

  T (*sum)(const T* x, int64_t size);
  // The sum of (x - mean)^2.
  T (*squares)(const T* x, int64_t size, T mean);
  // x * factor + shift.
  void (*affine)(const T* x, int64_t size, T factor, T shift, T* out);
  // n(x) * scale + bias.
  void (*normalize)(const T* x, int64_t size, NormStatistics<T> stats,
                    const T* scale, const T* bias, T* out);
  // n(x) * factor + shift.
  void (*affine_normal)(const T* x, int64_t size, NormStatistics<T> stats,
                        T factor, T shift, T* out);
  // dy * factor + n(x) * slope + shift.
  void (*affine_grad)(const T* x, const T* dy, int64_t size,
                      NormStatistics<T> stats, NormLine<T> line, T* dx);
  // With g = dy * scale.
  NormGradSums<T> (*grad_sums)(const T* x, const T* dy, int64_t size,
                               NormStatistics<T> stats, const T* scale);
  // factor * (dy * scale - means.g - n(x) * means.gn).
  void (*grad)(const T* x, const T* dy, int64_t size, NormStatistics<T> stats,
               const T* scale, T factor, NormGradSums<T> means, T* dx);
  // Adds dy n(x) to scale_grad and dy to bias_grad, element by element.
  void (*add_parameter_grads)(const T* x, const T* dy, int64_t size,
                              NormStatistics<T> stats, T* scale_grad,
                              T* bias_grad);

  // The following take rows of `width` adjacent elements, one of each channel.

  // Adds up x, and (x - mean)^2, of each channel to sums[channel].
  void (*add_rows)(const T* x, int64_t rows, int64_t width, T* sums);
  void (*add_row_squares)(const T* x, int64_t rows, int64_t width,
                          const T* means, T* sums);
  // x * factor + shift, by channel.
  void (*affine_rows)(const T* x, int64_t rows, int64_t width, const T* factors,
                      const T* shifts, T* out);
  // Adds up dy and dy * (x - mean) of each channel.
  void (*add_row_grads)(const T* x, const T* dy, int64_t rows, int64_t width,
                        const T* means, T* g, T* products);
  // factor * (dy - level - (x - mean) * slope), by channel.
  void (*grad_rows)(const T* x, const T* dy, int64_t rows, int64_t width,
                    NormColumns<T> columns, T* dx);
};

// The part of it that reads bfloat16 elements where they are; results are those
// of the elements as float.
struct BFloat16NormSimd {
  static const BFloat16NormSimd& Get();

  float (*sum)(const bfloat16* x, int64_t size);
  float (*squares)(const bfloat16* x, int64_t size, float mean);
  void (*affine_normal)(const bfloat16* x, int64_t size,
                        NormStatistics<float> stats, float factor, float shift,
                        float* out);
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_H_
