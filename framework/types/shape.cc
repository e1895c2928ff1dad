// SPDX-License-Identifier: Apache-2.0
#include "framework/types/shape.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "framework/base/checked_math.h"

namespace switchyard {
namespace {

// The extent of two axes that broadcast to one; nullopt if they conflict.
std::optional<Dim> BroadcastDims(Dim a, Dim b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (a.known() && b.known()) return std::nullopt;
  // The unknown one is 1 or the known one; both unknown: either may be 1.
  if (a.known()) return a;
  if (b.known()) return b;
  return Dim::Unknown();
}

}  // namespace

Shape::Shape(absl::Span<const Dim> dims) {
  assert(dims.size() <= kMaxRank);
  rank_ = std::min<size_t>(dims.size(), kMaxRank);
  std::copy_n(dims.begin(), rank_, dims_.begin());
}

absl::StatusOr<Shape> Shape::Make(absl::Span<const int64_t> extents) {
  if (extents.size() > kMaxRank) {
    return ArgumentError("shape",
                         "of rank " + std::to_string(kMaxRank) + " at most",
                         "rank " + std::to_string(extents.size()));
  }
  Shape shape;
  for (int64_t extent : extents) {
    if (extent < 0) {
      return ArgumentError("shape", "without negative extents",
                           std::to_string(extent));
    }
    shape.push_back(extent);
  }
  return shape;
}

bool Shape::known() const {
  bool known = true;
  for (size_t i = 0; i < rank_; ++i) known &= dims_[i].known();
  return known;
}

absl::StatusOr<int64_t> Shape::NumElements() const {
  // An empty tensor is empty, however large its other axes are.
  if (std::find(dims_.begin(), dims_.begin() + rank_, Dim(0)) !=
      dims_.begin() + rank_) {
    return 0;
  }
  int64_t count = 1;
  for (Dim dim : dims()) {
    const std::optional<int64_t> product = CheckedMultiply(count, dim.value());
    if (!product.has_value()) {
      return SizeError("shape", "of fewer than 2^63 elements", ToString(*this));
    }
    count = *product;
  }
  return count;
}

int64_t Shape::numel() const {
  // Unsigned: a shape that does not fit must not be undefined behaviour.
  uint64_t count = 1;
  for (Dim dim : dims()) count *= static_cast<uint64_t>(dim.value());
  return static_cast<int64_t>(count);
}

int64_t Shape::numel(int begin, int end) const {
  int64_t count = 1;
  for (int axis = begin; axis < end; ++axis) {
    count = CheckedMultiply(count, extent(axis)).value_or(0);
  }
  return count;
}

bool operator==(const Shape& a, const Shape& b) {
  if (a.rank_ != b.rank_) return false;
  for (size_t i = 0; i < a.rank_; ++i) {
    if (a.dims_[i] != b.dims_[i]) return false;
  }
  return true;
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += ToString(shape[axis]);
  }
  return text + "]";
}

bool MayEqual(const Shape& a, const Shape& b) {
  return std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(),
                    b.dims().end(),
                    [](Dim x, Dim y) { return MayEqual(x, y); });
}

Strides ContiguousStrides(const Shape& shape) {
  Strides strides;
  LayOutContiguous(shape, &strides);
  return strides;
}

int64_t LayOutContiguous(const Shape& shape, Strides* strides) {
  *strides = {};
  // Unsigned: the strides of an empty tensor may leave int64, and mean nothing.
  uint64_t stride = 1;
  bool empty = false;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    (*strides)[axis] = static_cast<int64_t>(stride);
    const uint64_t extent = static_cast<uint64_t>(shape.extent(axis));
    empty |= extent == 0;
    stride *= extent == 0 ? 1 : extent;
  }
  return empty ? 0 : static_cast<int64_t>(stride);
}

int64_t ElementOffset(const Shape& shape, const Strides& strides, int64_t i) {
  int64_t offset = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    offset += i % shape.extent(axis) * strides[axis];
    i /= shape.extent(axis);
  }
  return offset;
}

bool IsContiguous(const Shape& shape, const Strides& strides) {
  uint64_t expected = 1;
  bool contiguous = true;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t extent = shape.extent(axis);
    if (extent == 0) return true;
    if (extent == 1) continue;
    contiguous &= static_cast<uint64_t>(strides[axis]) == expected;
    expected *= static_cast<uint64_t>(extent);
  }
  return contiguous;
}

absl::StatusOr<int> NormalizeAxis(std::string_view argument, int64_t axis,
                                  int rank, bool scalar_ok) {
  if (rank == 0 && !scalar_ok) {
    return RangeError(argument, "an axis of a tensor of rank 1 or more",
                      std::to_string(axis) + " for a scalar");
  }
  const int64_t axes = std::max(rank, 1);
  if (axis < -axes || axis >= axes) {
    const std::string bound = std::to_string(axes);
    return RangeError(argument, "in [-" + bound + ", " + bound + ")",
                      std::to_string(axis));
  }
  return static_cast<int>(axis < 0 ? axis + axes : axis);
}

absl::StatusOr<Shape> BroadcastShapes(std::string_view argument, const Shape& a,
                                      const Shape& b) {
  // Symbols, and unknown extents, too: both are what BroadcastDims makes of two
  // equal ones.
  if (a == b) return a;
  const int rank = std::max(a.rank(), b.rank());
  const int a_lead = rank - a.rank();
  const int b_lead = rank - b.rank();
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    const Dim x = axis < a_lead ? Dim(1) : a[axis - a_lead];
    const Dim y = axis < b_lead ? Dim(1) : b[axis - b_lead];
    const std::optional<Dim> dim = BroadcastDims(x, y);
    if (!dim.has_value()) {
      return ArgumentError(argument, "broadcastable with " + ToString(a),
                           ToString(b));
    }
    result.push_back(*dim);
  }
  return result;
}

}  // namespace switchyard
