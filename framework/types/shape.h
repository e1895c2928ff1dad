// SPDX-License-Identifier: Apache-2.0
// Shape: the extents of a tensor's axes. Strides (in elements) go with it in
// TensorMeta.
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

// The extents of a tensor's axes, each a Dim, at most kMaxRank of them, held
// inline. A tensor with data has a known() shape; in the static graph some Dims
// may be unknown. A plain value without memory of its own on the heap.
class Shape {
 public:
  // Makes the shape of a scalar: rank 0, one element.
  Shape() = default;
  // Takes at most kMaxRank dims (asserted; text and user input go through
  // Make).
  Shape(std::initializer_list<Dim> dims)
      : Shape(absl::MakeConstSpan(dims.begin(), dims.size())) {}
  explicit Shape(absl::Span<const Dim> dims);

  // Makes a shape from outside input. ArgumentError("shape", ...) for a
  // negative extent or a rank over kMaxRank.
  static absl::StatusOr<Shape> Make(absl::Span<const int64_t> extents);

  int rank() const { return rank_; }
  Dim operator[](int axis) const { return dims_[axis]; }
  Dim& operator[](int axis) { return dims_[axis]; }
  // Returns the extent of one axis, which must be known.
  int64_t extent(int axis) const { return dims_[axis].value(); }
  absl::Span<const Dim> dims() const { return {dims_.data(), rank_}; }

  // Requires rank() < kMaxRank.
  void push_back(Dim dim) { dims_[rank_++] = dim; }
  void resize(int rank) { rank_ = static_cast<size_t>(rank); }

  // Returns true if every Dim is a number.
  bool known() const;

  // Returns the product of the extents, 1 for rank 0. SizeError if it leaves
  // int64; requires known().
  absl::StatusOr<int64_t> NumElements() const;

  // Returns the number of elements of a tensor's shape, which is known to fit
  // int64.
  int64_t numel() const;

  // Returns the product of the extents of the axes [begin, end). In an empty
  // tensor it may be more than int64 holds; then it is 0.
  int64_t numel(int begin, int end) const;

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  size_t rank_ = 0;
  std::array<Dim, kMaxRank> dims_;
};

// Returns "[2, ?, 3]"; "[]" for a scalar.
std::string ToString(const Shape& shape);

// Returns false only if the ranks differ or some pair of known extents differs.
bool MayEqual(const Shape& a, const Shape& b);

// Elements (not bytes) from one index of an axis to the next.
using Strides = std::array<int64_t, kMaxRank>;

// Returns the row-major strides of a known shape.
Strides ContiguousStrides(const Shape& shape);

// Writes row-major strides to `strides`, 0 after the last axis, and returns
// the number of elements.
int64_t LayOutContiguous(const Shape& shape, Strides* strides);

// Returns the offset, in elements, of element `i` in row-major order; requires
// i < numel().
int64_t ElementOffset(const Shape& shape, const Strides& strides, int64_t i);

// Returns true if `strides` visit the elements in row-major order without gaps
// (axes of extent 1 and empty tensors put no condition).
bool IsContiguous(const Shape& shape, const Strides& strides);

// Maps an axis in [-rank, rank) to [0, rank); RangeError otherwise. A scalar
// counts as rank 1 (so axis 0 and -1 are legal on it, as in NumPy's reductions)
// where `scalar_ok`.
absl::StatusOr<int> NormalizeAxis(std::string_view argument, int64_t axis,
                                  int rank, bool scalar_ok = false);

// Returns the NumPy broadcast of two shapes; a Dim is unknown where the extents
// don't decide it. ArgumentError(argument, ...) if two known extents conflict.
absl::StatusOr<Shape> BroadcastShapes(std::string_view argument, const Shape& a,
                                      const Shape& b);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_SHAPE_H_
