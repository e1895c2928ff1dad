// SPDX-License-Identifier: Apache-2.0
// Direct convolution on the CPU: no columns are made. An image, or a band of
// it, is copied into padded planes, split by the strides' phases, so that each
// tap of the filter is a constant offset (conv_rows.h does the sums). It beats
// columns where rows are wide enough to fill vectors; conv_engine.cc chooses.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_DIRECT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_DIRECT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "phi/kernels/cpu/conv/conv_geometry.h"
#include "phi/kernels/cpu/conv/conv_rows.h"

namespace switchyard::phi::kernels::cpu {

// The padded copy of one group of an image: [channels][phases][rows][columns],
// where phase (a, b) has the elements at (y * stride + a, x * stride + b);
// phases that no tap falls on are left out.
class PaddedImage {
 public:
  PaddedImage(const ConvGeometry& g, int64_t lanes);

  // Elements, with a vector's worth after; nothing if that leaves int64.
  std::optional<int64_t> size() const { return size_; }
  // Elements from one row of a phase to the next.
  int64_t columns() const { return columns_; }
  // The rows that results see from row `first_row` of them on. The padding
  // beside rows is written to `fresh` memory only; an earlier Fill left it.
  template <typename T>
  void Fill(const T* image, int64_t first_row, bool fresh, T* padded) const;
  // Returns the offset of each tap (channel, row, column of the filter).
  std::vector<int64_t> Offsets() const;
  // The results' rows cut into vectors; rows of results are `row` apart.
  std::vector<RowVector> Vectors(int64_t row) const;

 private:
  // The part of a row of the image that a phase of columns sees: its columns
  // [first, last) are the row's elements x * stride + shift.
  struct Phase {
    int64_t shift, first, last;
  };
  Phase GetPhase(int64_t b) const;
  // The phases' rows from a row of the image.
  template <typename T>
  void FillRow(const T* row, absl::Span<const Phase> phases, bool fresh,
               T* padded) const;
  int64_t plane() const { return rows_ * columns_; }

  ConvGeometry g_;
  int64_t lanes_;
  int64_t row_phases_;
  int64_t column_phases_;
  int64_t rows_;
  int64_t columns_;
  std::optional<int64_t> size_;
};

// Returns whether a group is one plane, of which RunConvPlane reads rows as
// they are. The packed filter of one output channel is the filter itself.
bool IsPlane(const ConvGeometry& g);

// As in conv_engine.h. The strides of ConvInputGrad's geometry are 1.
template <typename T>
absl::Status DirectForward(Allocator& allocator, const ConvGeometry& g,
                           const T* input, const T* filter, T* out);
template <typename T>
absl::Status DirectInputGrad(Allocator& allocator, const ConvGeometry& g,
                             const T* filter, const T* out_grad, T* input_grad);
// Adds the gradient of images [begin, end) of one group to `sums`.
template <typename T>
absl::Status DirectFilterGrad(Allocator& allocator, const ConvGeometry& g,
                              int64_t group, int64_t begin, int64_t end,
                              const T* input, const T* out_grad, T* sums);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_DIRECT_H_
