// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/sparse/pattern.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/core/allocate_output.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The numbers of an index tensor, as int64.
std::vector<int64_t> NumbersOf(const DenseTensor& index) {
  if (index.dtype() == DataType::kInt32) {
    return std::vector<int64_t>(index.data<int32_t>(),
                                index.data<int32_t>() + index.numel());
  }
  return std::vector<int64_t>(index.data<int64_t>(),
                              index.data<int64_t>() + index.numel());
}

absl::StatusOr<DenseTensor> IndexOf(const CpuContext& context,
                                    const std::vector<int64_t>& numbers,
                                    const Shape& shape) {
  SY_ASSIGN_OR_RETURN(DenseTensor index,
                      NewTensor(context, DataType::kInt64, shape));
  std::copy(numbers.begin(), numbers.end(), index.mutable_data<int64_t>());
  return index;
}

absl::StatusOr<DenseTensor> CopyOf(const CpuContext& context,
                                   const DenseTensor& x) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy,
                      NewTensor(context, x.dtype(), x.shape()));
  std::memcpy(copy.mutable_data<void>(), x.raw_data(), x.byte_size());
  return copy;
}

absl::Status CheckRange(std::string_view argument,
                        absl::Span<const int64_t> numbers, int64_t end) {
  for (const int64_t number : numbers) {
    if (number >= 0 && number < end) continue;
    return RangeError(argument, absl::StrCat("in [0, ", end, ")"),
                      absl::StrCat(number));
  }
  return absl::OkStatus();
}

Shape ShapeOf(absl::Span<const int64_t> extents) {
  Shape shape;
  for (const int64_t extent : extents) shape.push_back(Dim(extent));
  return shape;
}

}  // namespace

absl::StatusOr<DenseTensor> NewTensor(const CpuContext& context, DataType dtype,
                                      const Shape& shape) {
  DenseTensor tensor;
  SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, shape, &tensor));
  return tensor;
}

absl::Status CopyInto(const CpuContext& context, const DenseTensor& x,
                      DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  std::memcpy(out->mutable_data<void>(), x.raw_data(), x.byte_size());
  return absl::OkStatus();
}

absl::Status CopyValues(const CpuContext& context, const DenseTensor& from,
                        const DenseTensor& like, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckValues("out_grad", from, like.shape()));
  return CopyInto(context, from, out);
}

absl::Status CheckValues(std::string_view argument, const DenseTensor& values,
                         const Shape& shape) {
  if (values.shape() == shape) return absl::OkStatus();
  return ArgumentError(argument, absl::StrCat("of values ", ToString(shape)),
                       ToString(values.shape()));
}

absl::StatusOr<Pattern> MakePattern(const SparseCooTensor& x) {
  const Shape& shape = x.shape();
  const int axes = static_cast<int>(x.indices().extent(0));
  const int64_t count = x.indices().extent(1);
  Pattern pattern;
  pattern.block = shape.numel(axes, shape.rank());
  pattern.offsets.assign(static_cast<size_t>(count), 0);
  const int64_t* index = x.indices().data<int64_t>();
  for (int axis = 0; axis < axes; ++axis) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t& offset = pattern.offsets[static_cast<size_t>(i)];
      offset = offset * shape.extent(axis) + *index++;
    }
  }
  for (int64_t& offset : pattern.offsets) offset *= pattern.block;
  return pattern;
}

absl::StatusOr<Pattern> MakePattern(const SparseCsrTensor& x) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  Pattern pattern;
  for (size_t i = 0; i < places.rows.size(); ++i) {
    pattern.offsets.push_back(places.rows[i] * x.extent(1) + places.columns[i]);
  }
  return pattern;
}

absl::StatusOr<Places> FindPlaces(const SparseCooTensor& x) {
  const DenseTensor& indices = x.indices();
  if (x.rank() != 2 || indices.extent(0) != 2) {
    return ArgumentError("x", "a matrix of two sparse axes",
                         absl::StrCat(ToString(x.shape()), " of ",
                                      indices.extent(0), " sparse axes"));
  }
  const int64_t count = indices.extent(1);
  const int64_t* index = indices.data<int64_t>();
  return Places{std::vector<int64_t>(index, index + count),
                std::vector<int64_t>(index + count, index + 2 * count)};
}

absl::StatusOr<Places> FindPlaces(const SparseCsrTensor& x) {
  Places places;
  places.columns = NumbersOf(x.cols());
  const int64_t* crows = x.crows().data<int64_t>();
  for (int64_t row = 0; row < x.extent(0); ++row) {
    places.rows.insert(places.rows.end(),
                       static_cast<size_t>(crows[row + 1] - crows[row]), row);
  }
  return places;
}

Merged Merge(const Pattern& pattern) {
  const std::vector<int64_t>& offsets = pattern.offsets;
  std::vector<int64_t> order(offsets.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return offsets[static_cast<size_t>(a)] < offsets[static_cast<size_t>(b)];
  });
  Merged merged;
  merged.target.resize(offsets.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t value = static_cast<size_t>(order[i]);
    if (i == 0 ||
        offsets[value] != offsets[static_cast<size_t>(order[i - 1])]) {
      merged.first.push_back(order[i]);
    }
    merged.target[value] = static_cast<int64_t>(merged.first.size()) - 1;
  }
  return merged;
}

Shape MergedShape(const Merged& merged, const Shape& shape) {
  Shape other = shape;
  other[0] = Dim(static_cast<int64_t>(merged.first.size()));
  return other;
}

absl::Status MakeCoo(const CpuContext& context, const DenseTensor& values,
                     const DenseTensor& indices,
                     absl::Span<const int64_t> shape, SparseCooTensor* out) {
  const std::vector<int64_t> numbers = NumbersOf(indices);
  const size_t count = static_cast<size_t>(indices.extent(1));
  for (int64_t axis = 0; axis < indices.extent(0); ++axis) {
    const size_t first = static_cast<size_t>(axis) * count;
    SY_RETURN_IF_ERROR(
        CheckRange(absl::StrCat("indices of axis ", axis),
                   absl::MakeConstSpan(numbers).subspan(first, count),
                   shape[static_cast<size_t>(axis)]));
  }
  SY_ASSIGN_OR_RETURN(DenseTensor index,
                      IndexOf(context, numbers, indices.shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor copy, CopyOf(context, values));
  *out = SparseCooTensor(ShapeOf(shape), std::move(index), std::move(copy));
  return absl::OkStatus();
}

absl::Status MakeCsr(const CpuContext& context, const DenseTensor& values,
                     const DenseTensor& crows, const DenseTensor& cols,
                     absl::Span<const int64_t> shape, SparseCsrTensor* out) {
  const std::vector<int64_t> rows = NumbersOf(crows);
  const std::vector<int64_t> columns = NumbersOf(cols);
  if (rows.front() != 0 || rows.back() != cols.numel() ||
      !std::is_sorted(rows.begin(), rows.end())) {
    return ArgumentError(
        "crows",
        absl::StrCat("ascending from 0 to the ", cols.numel(), " values"),
        absl::StrCat("from ", rows.front(), " to ", rows.back()));
  }
  SY_RETURN_IF_ERROR(CheckRange("cols", columns, shape[1]));
  SY_ASSIGN_OR_RETURN(DenseTensor begins,
                      IndexOf(context, rows, crows.shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor index,
                      IndexOf(context, columns, cols.shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor copy, CopyOf(context, values));
  *out = SparseCsrTensor(ShapeOf(shape), std::move(begins), std::move(index),
                         std::move(copy));
  return absl::OkStatus();
}

absl::Status WithValues(const CpuContext& context, const SparseCooTensor& x,
                        std::string_view argument, const DenseTensor& values,
                        SparseCooTensor* out) {
  SY_RETURN_IF_ERROR(CheckValues(argument, values, x.values().shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor copy, CopyOf(context, values));
  *out = SparseCooTensor(x.shape(), x.indices(), std::move(copy));
  return absl::OkStatus();
}

absl::Status WithValues(const CpuContext& context, const SparseCsrTensor& x,
                        std::string_view argument, const DenseTensor& values,
                        SparseCsrTensor* out) {
  SY_RETURN_IF_ERROR(CheckValues(argument, values, x.values().shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor copy, CopyOf(context, values));
  *out = SparseCsrTensor(x.shape(), x.crows(), x.cols(), std::move(copy));
  return absl::OkStatus();
}

absl::StatusOr<DenseTensor> IndicesOf(const CpuContext& context,
                                      const Shape& shape, int sparse_dim,
                                      absl::Span<const int64_t> offsets) {
  const int64_t block =
      std::max(int64_t{1}, shape.numel(sparse_dim, shape.rank()));
  const int64_t count = static_cast<int64_t>(offsets.size());
  SY_ASSIGN_OR_RETURN(
      DenseTensor indices,
      NewTensor(context, DataType::kInt64, Shape({sparse_dim, count})));
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = offsets[static_cast<size_t>(i)] / block;
    for (int axis = sparse_dim - 1; axis >= 0; --axis) {
      indices.mutable_data<int64_t>()[axis * count + i] =
          at % shape.extent(axis);
      at /= shape.extent(axis);
    }
  }
  return indices;
}

absl::Status TakeCoo(const CpuContext& context, const DenseTensor& x,
                     absl::Span<const int64_t> offsets, int sparse_dim,
                     SparseCooTensor* out) {
  const int64_t block = x.shape().numel(sparse_dim, x.rank());
  SY_ASSIGN_OR_RETURN(DenseTensor indices,
                      IndicesOf(context, x.shape(), sparse_dim, offsets));
  Shape shape({Dim(static_cast<int64_t>(offsets.size()))});
  for (int axis = sparse_dim; axis < x.rank(); ++axis) {
    shape.push_back(x.shape()[axis]);
  }
  SY_ASSIGN_OR_RETURN(DenseTensor values, NewTensor(context, x.dtype(), shape));
  const size_t bytes = static_cast<size_t>(block) * ElementSize(x.dtype());
  char* to = static_cast<char*>(values.mutable_data<void>());
  const char* from = static_cast<const char*>(x.raw_data());
  for (const int64_t at : offsets) {
    std::memcpy(to, from + static_cast<size_t>(at) * ElementSize(x.dtype()),
                bytes);
    to += bytes;
  }
  *out = SparseCooTensor(x.shape(), std::move(indices), std::move(values));
  return absl::OkStatus();
}

absl::Status MakeSorted(const CpuContext& context, const Shape& shape,
                        int sparse_dim, absl::Span<const int64_t> offsets,
                        DenseTensor values, SparseCooTensor* out) {
  SY_ASSIGN_OR_RETURN(DenseTensor indices,
                      IndicesOf(context, shape, sparse_dim, offsets));
  *out = SparseCooTensor(shape, std::move(indices), std::move(values));
  return absl::OkStatus();
}

absl::Status MakeSorted(const CpuContext& context, const Shape& shape,
                        int sparse_dim, absl::Span<const int64_t> offsets,
                        DenseTensor values, SparseCsrTensor* out) {
  SparseCooTensor coo;
  SY_RETURN_IF_ERROR(
      MakeSorted(context, shape, sparse_dim, offsets, std::move(values), &coo));
  return ConvertToCsr(context, coo, out);
}

absl::Status MergedCoo(const CpuContext& context, const SparseCooTensor& x,
                       const Merged& merged, DenseTensor values,
                       SparseCooTensor* out) {
  const int64_t axes = x.indices().extent(0);
  const int64_t before = x.indices().extent(1);
  const int64_t count = static_cast<int64_t>(merged.first.size());
  SY_ASSIGN_OR_RETURN(DenseTensor indices, NewTensor(context, DataType::kInt64,
                                                     Shape({axes, count})));
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t i = 0; i < count; ++i) {
      indices.mutable_data<int64_t>()[axis * count + i] =
          x.indices().data<int64_t>()[axis * before +
                                      merged.first[static_cast<size_t>(i)]];
    }
  }
  *out = SparseCooTensor(x.shape(), std::move(indices), std::move(values));
  return absl::OkStatus();
}

absl::Status ConvertToCsr(const CpuContext& context, const SparseCooTensor& x,
                          SparseCsrTensor* out) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  std::vector<int64_t> crows(static_cast<size_t>(x.extent(0)) + 1, 0);
  for (const int64_t row : places.rows) ++crows[static_cast<size_t>(row) + 1];
  std::partial_sum(crows.begin(), crows.end(), crows.begin());
  SY_ASSIGN_OR_RETURN(
      DenseTensor begins,
      IndexOf(context, crows, Shape({static_cast<int64_t>(crows.size())})));
  const int64_t count = static_cast<int64_t>(places.columns.size());
  SY_ASSIGN_OR_RETURN(DenseTensor cols,
                      IndexOf(context, places.columns, Shape({count})));
  *out = SparseCsrTensor(x.shape(), std::move(begins), std::move(cols),
                         x.values());
  return absl::OkStatus();
}

absl::Status ConvertToCoo(const CpuContext& context, const SparseCsrTensor& x,
                          SparseCooTensor* out) {
  SY_ASSIGN_OR_RETURN(Places places, FindPlaces(x));
  const int64_t count = static_cast<int64_t>(places.rows.size());
  std::vector<int64_t>& both = places.rows;
  both.insert(both.end(), places.columns.begin(), places.columns.end());
  SY_ASSIGN_OR_RETURN(DenseTensor indices,
                      IndexOf(context, both, Shape({2, count})));
  *out = SparseCooTensor(x.shape(), std::move(indices), x.values());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
