// SPDX-License-Identifier: Apache-2.0
// Shape: the extents of a tensor's axes, each a Dim, at most kMaxRank of them,
// held inline. A tensor with data has a known() shape; in the static graph some
// Dims may be unknown. Strides (in elements) go with it in TensorMeta.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_SHAPE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/types/dim.h"

namespace switchyard {

inline constexpr int kMaxRank = 9;

class Shape {
 public:
  // Rank 0: a scalar, one element.
  Shape() = default;
  // At most kMaxRank dims (asserted; text and user input go through Make).
  Shape(std::initializer_list<Dim> dims)
      : Shape(absl::MakeConstSpan(dims.begin(), dims.size())) {}
  explicit Shape(absl::Span<const Dim> dims);

  // From outside input: ArgumentError("shape", ...) for a negative extent or a
  // rank over kMaxRank.
  static absl::StatusOr<Shape> Make(absl::Span<const int64_t> extents);

  int rank() const { return rank_; }
  Dim operator[](int axis) const { return dims_[axis]; }
  Dim& operator[](int axis) { return dims_[axis]; }
  // Extent of one axis; requires it known.
  int64_t extent(int axis) const { return dims_[axis].value(); }
  absl::Span<const Dim> dims() const { return {dims_.data(), rank_}; }

  // Requires rank() < kMaxRank.
  void push_back(Dim dim) { dims_[rank_++] = dim; }
  void resize(int rank) { rank_ = static_cast<size_t>(rank); }

  // True if every Dim is a number.
  bool known() const;

  // The product of the extents, 1 for rank 0. SizeError if it leaves int64;
  // requires known().
  absl::StatusOr<int64_t> NumElements() const;

  // The same for a shape that a tensor already has, so is known to fit.
  int64_t numel() const;

  // The same of the axes [begin, end) alone. In an empty tensor they may be
  // more than int64 holds: then 0.
  int64_t numel(int begin, int end) const;

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  size_t rank_ = 0;
  std::array<Dim, kMaxRank> dims_;
};

// "[2, ?, 3]"; "[]" for a scalar.
std::string ToString(const Shape& shape);

// False only if the ranks differ or some pair of known extents differs.
bool MayEqual(const Shape& a, const Shape& b);

// Elements (not bytes) from one index of an axis to the next.
using Strides = std::array<int64_t, kMaxRank>;

// Row-major strides of a known shape.
Strides ContiguousStrides(const Shape& shape);

// The same into `strides`, 0 behind the last axis; the number of elements.
int64_t LayOutContiguous(const Shape& shape, Strides* strides);

// True if `strides` visit the elements in row-major order without gaps (axes of
// extent 1 and empty tensors put no condition).
bool IsContiguous(const Shape& shape, const Strides& strides);

// "axis" in [-rank, rank) as [0, rank); RangeError otherwise. A scalar counts
// as rank 1 (so axis 0 and -1 are legal on it, as in NumPy's reductions)
// where `scalar_ok`.
absl::StatusOr<int> NormalizeAxis(std::string_view argument, int64_t axis,
                                  int rank, bool scalar_ok = false);

// NumPy broadcasting of two shapes; a Dim is unknown where it can't be told.
// ArgumentError(argument, ...) if two known extents conflict.
absl::StatusOr<Shape> BroadcastShapes(std::string_view argument, const Shape& a,
                                      const Shape& b);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_SHAPE_H_
