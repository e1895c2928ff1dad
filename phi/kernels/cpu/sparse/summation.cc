// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/sparse/summation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/kernels/cpu/sparse/pattern.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The elements of a tensor, on the way to those of its sum over an axis.
struct Lines {
  bool whole = false;
  int64_t extent = 1;
  int64_t inner = 1;

  // The row-major position in the sum of the element at `at`.
  int64_t Target(int64_t at) const {
    return whole ? 0 : at / (extent * inner) * inner + at % inner;
  }
};

Lines LinesOf(const Shape& shape, int axis) {
  return {false, shape.extent(axis), shape.numel(axis + 1, shape.rank())};
}

// Fills in positions and targets, given shape and sparse axes of the sum.
void Assign(const Pattern& pattern, const Lines& lines, Summation* sum) {
  const int64_t block = sum->shape.numel(sum->sparse_dim, sum->shape.rank());
  for (const int64_t at : pattern.offsets) {
    for (int64_t k = 0; k < pattern.block; ++k) {
      sum->targets.push_back(lines.Target(at + k));
    }
  }
  if (lines.whole) sum->offsets.push_back(0);
  for (const int64_t target : sum->targets) {
    sum->offsets.push_back(target / block * block);
  }
  std::vector<int64_t>& offsets = sum->offsets;
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  for (int64_t& target : sum->targets) {
    const auto found = std::lower_bound(offsets.begin(), offsets.end(),
                                        target / block * block);
    target = (found - offsets.begin()) * block + target % block;
  }
}

}  // namespace

Shape Summation::ValuesShape() const {
  Shape values({Dim(static_cast<int64_t>(offsets.size()))});
  for (int axis = sparse_dim; axis < shape.rank(); ++axis) {
    values.push_back(shape[axis]);
  }
  return values;
}

absl::StatusOr<Summation> Summarize(const SparseCooTensor& x,
                                    absl::Span<const int64_t> axis,
                                    bool keepdim) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  Summation sum;
  if (axis.empty() || (x.rank() == 1 && !keepdim)) {
    for (int i = 0; i < (keepdim ? x.rank() : 1); ++i) {
      sum.shape.push_back(Dim(1));
    }
    sum.sparse_dim = sum.shape.rank();
    Assign(pattern, Lines{true}, &sum);
    return sum;
  }
  SY_ASSIGN_OR_RETURN(const int dropped,
                      NormalizeAxis("axis", axis[0], x.rank()));
  for (int i = 0; i < x.rank(); ++i) {
    if (i != dropped) {
      sum.shape.push_back(x.shape()[i]);
    } else if (keepdim) {
      sum.shape.push_back(Dim(1));
    }
  }
  const bool fewer = dropped < SparseAxes(x) && !keepdim;
  sum.sparse_dim = std::max(1, SparseAxes(x) - (fewer ? 1 : 0));
  Assign(pattern, LinesOf(x.shape(), dropped), &sum);
  return sum;
}

absl::StatusOr<Summation> Summarize(const SparseCsrTensor& x,
                                    absl::Span<const int64_t> axis,
                                    bool /*keepdim*/) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  Summation sum;
  sum.sparse_dim = 2;
  sum.shape = Shape({axis.empty() ? Dim(1) : x.shape()[0], Dim(1)});
  Assign(pattern, axis.empty() ? Lines{true} : LinesOf(x.shape(), 1), &sum);
  return sum;
}

absl::Status TransposePattern(const CpuContext& context,
                              const SparseCooTensor& x,
                              absl::Span<const int> perm,
                              SparseCooTensor* out) {
  const int64_t axes = x.indices().extent(0);
  const int64_t count = x.indices().extent(1);
  SY_ASSIGN_OR_RETURN(DenseTensor indices, NewTensor(context, DataType::kInt64,
                                                     x.indices().shape()));
  Shape shape;
  int64_t* to = indices.mutable_data<int64_t>();
  for (int i = 0; i < x.rank(); ++i) {
    SY_ASSIGN_OR_RETURN(
        const int axis,
        NormalizeAxis("perm", perm[static_cast<size_t>(i)], x.rank()));
    shape.push_back(x.shape()[axis]);
    if (i < axes && axis < axes) {
      to = std::copy_n(x.indices().data<int64_t>() + axis * count, count, to);
    } else if (i != axis) {
      return ArgumentError(
          "perm",
          absl::StrCat("one that leaves the dense axes of x, from ", axes,
                       " on, in place"),
          absl::StrCat("axis ", axis, " at ", i));
    }
  }
  *out = SparseCooTensor(shape, std::move(indices), x.values());
  return absl::OkStatus();
}

bool Exchanges(absl::Span<const int> perm) {
  return perm[0] == 1 || perm[0] == -1;
}

absl::StatusOr<std::vector<int64_t>> ByColumn(const SparseCsrTensor& x) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  std::vector<int64_t> order(places.columns.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return places.columns[static_cast<size_t>(a)] <
           places.columns[static_cast<size_t>(b)];
  });
  return order;
}

absl::Status TransposedCsr(const CpuContext& context, const SparseCsrTensor& x,
                           absl::Span<const int64_t> by_column,
                           DenseTensor values, SparseCsrTensor* out) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  const Shape shape({x.shape()[1], x.shape()[0]});
  std::vector<int64_t> offsets;
  for (const int64_t i : by_column) {
    const size_t value = static_cast<size_t>(i);
    offsets.push_back(places.columns[value] * x.extent(0) + places.rows[value]);
  }
  return MakeSorted(context, shape, 2, offsets, std::move(values), out);
}

}  // namespace switchyard::phi::kernels::cpu
