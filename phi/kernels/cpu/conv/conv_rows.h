// SPDX-License-Identifier: Apache-2.0
// The inner loops of direct convolution (conv_direct.h): an image is read where
// it lies, tap by tap, a vector of adjacent results at a time. Strides and
// padding are gone before: the image is a padded copy in which every tap is a
// constant offset from the result's position.
//
// Bits: a result is summed over its taps in an order of the filter's, whatever
// it is computed beside. Each function is there for float and double.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace switchyard::phi::kernels::cpu {

// A vector of results, adjacent in a row: `count` of them, ConvLanes() at most.
struct RowVector {
  int64_t image;   // Where the taps' offsets count from.
  int64_t result;  // The first result's position in its plane.
  int64_t count;
};

// out[o][result] = sum over taps t of filter[o][t] * image[vector.image +
// offsets[t]], for every output channel o and every vector. Whole vectors of
// the image are read, whatever `count` is.
template <typename T>
struct ConvRows {
  const T* image;
  absl::Span<const int64_t> offsets;
  absl::Span<const RowVector> vectors;
  int64_t channels;
  T* out;         // [channels][plane]
  int64_t plane;  // Elements from one channel's results to the next.
};

// sums[o][t] += sum over vectors of grad[o][vector.result...] *
// image[vector.image + offsets[t]]. Whole vectors of `grad` are read: its rows
// are padded with zeros.
template <typename T>
struct ConvFilterRows {
  const T* image;
  absl::Span<const int64_t> offsets;
  absl::Span<const RowVector> vectors;
  const T* grad;  // [channels][plane]
  int64_t channels;
  int64_t plane;
};

// One plane by one filter, as in a depthwise convolution, strides and dilations
// being 1: out[y][x] = sum of filter[kh][kw] * image[y + kh][x + kw], over the
// filter's columns, each from above. Whole vectors of the image are read.
template <typename T>
struct ConvPlane {
  const T* image;
  int64_t image_row;  // Elements from one row to the next.
  const T* filter;
  int64_t kernel_height;
  int64_t kernel_width;
  T* out;  // Without gaps.
  int64_t rows;
  int64_t columns;  // Half a vector's at least.
};

template <typename T>
int64_t ConvLanes();

// even[i] = from[2 * i], odd[i] = from[2 * i + 1].
template <typename T>
void SplitPairs(const T* from, int64_t count, T* even, T* odd);

// The filter [channels][taps] as RunConvRows reads it, of the same size.
template <typename T>
void PackConvFilter(const T* filter, int64_t channels, int64_t taps, T* packed);

template <typename T>
void RunConvRows(const ConvRows<T>& rows, const T* packed);

template <typename T>
void AddConvFilterRows(const ConvFilterRows<T>& rows, T* sums);

// Returns whether RunConvPlane knows filters of that height.
constexpr bool IsPlaneKernel(int64_t height) {
  return height == 3 || height == 5 || height == 7;
}

template <typename T>
void RunConvPlane(const ConvPlane<T>& plane);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_H_
