// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/counting.h"

#include <cmath>
#include <string>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// The shape of distinct slices, and how many slices x has.
struct Slices {
  Shape distinct;
  Dim count;
};

absl::StatusOr<Slices> SlicesOf(const TensorSpec& x,
                                absl::Span<const int> axis) {
  if (axis.size() > 1) {
    return ArgumentError("axis", "one axis or none",
                         std::to_string(axis.size()));
  }
  Slices slices;
  if (axis.empty()) {
    SY_ASSIGN_OR_RETURN(slices.count, Product(x.shape.dims()));
    slices.distinct = Shape({Dim::Unknown()});
    return slices;
  }
  SY_ASSIGN_OR_RETURN(const int a,
                      NormalizeAxis("axis", axis[0], x.shape.rank()));
  slices.count = x.shape[a];
  slices.distinct = x.shape;
  slices.distinct[a] = Dim::Unknown();
  return slices;
}

absl::Status CheckCountDtype(DataType dtype) {
  if (dtype == DataType::kInt32 || dtype == DataType::kInt64) {
    return absl::OkStatus();
  }
  return TypeError("dtype", "int32 or int64", Name(dtype));
}

}  // namespace

absl::Status LegacyUniqueInferMeta(const TensorSpec& x,
                                   absl::Span<const int> axis, DataType dtype,
                                   bool /*is_sorted*/, TensorSpec* out,
                                   TensorSpec* indices, TensorSpec* inverse,
                                   TensorSpec* counts) {
  SY_RETURN_IF_ERROR(CheckCountDtype(dtype));
  SY_ASSIGN_OR_RETURN(const Slices slices, SlicesOf(x, axis));
  const Shape list({Dim::Unknown()});
  SY_RETURN_IF_ERROR(SetOutput(indices, dtype, list));
  SY_RETURN_IF_ERROR(SetOutput(inverse, dtype, Shape({slices.count})));
  SY_RETURN_IF_ERROR(SetOutput(counts, dtype, list));
  return SetOutput(out, x.dtype, slices.distinct);
}

absl::Status UniqueConsecutiveInferMeta(const TensorSpec& x,
                                        bool /*return_inverse*/,
                                        bool /*return_counts*/,
                                        absl::Span<const int> axis,
                                        DataType dtype, TensorSpec* out,
                                        TensorSpec* index, TensorSpec* counts) {
  return LegacyUniqueInferMeta(x, axis, dtype, /*is_sorted=*/false, out,
                               /*indices=*/nullptr, index, counts);
}

absl::Status SearchsortedInferMeta(const TensorSpec& sorted_sequence,
                                   const TensorSpec& values, bool out_int32,
                                   bool /*right*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("sorted_sequence", sorted_sequence, 1));
  SY_RETURN_IF_ERROR(CheckDtype("values", values, sorted_sequence.dtype));
  const int rank = sorted_sequence.shape.rank();
  if (rank > 1) {
    Shape expected = sorted_sequence.shape;
    if (values.shape.rank() == rank) {
      expected[rank - 1] = values.shape[rank - 1];
    }
    SY_RETURN_IF_ERROR(CheckShape("values", values, expected));
  }
  return SetOutput(out, out_int32 ? DataType::kInt32 : DataType::kInt64,
                   values.shape);
}

absl::Status HistogramInferMeta(const TensorSpec& input,
                                const TensorSpec* weight, int64_t bins,
                                double min, double max, bool density,
                                TensorSpec* out) {
  if (bins < 1) {
    return ArgumentError("bins", "1 or more", std::to_string(bins));
  }
  if (!std::isfinite(min)) {
    return ArgumentError("min", "finite", ShortestText(min));
  }
  if (!std::isfinite(max) || max < min) {
    return ArgumentError("max", "finite and not below min", ShortestText(max));
  }
  if (weight != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("weight", *weight, DataType::kFloat32));
    SY_RETURN_IF_ERROR(CheckShape("weight", *weight, input.shape));
  }
  const bool counts = weight == nullptr && !density;
  return SetOutput(out, counts ? DataType::kInt64 : DataType::kFloat32,
                   Shape({bins}));
}

absl::Status BincountInferMeta(const TensorSpec& x, const TensorSpec* weights,
                               int minlength, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, 1));
  if (minlength < 0) {
    return ArgumentError("minlength", "0 or more", std::to_string(minlength));
  }
  DataType dtype = DataType::kInt64;
  if (weights != nullptr) {
    SY_RETURN_IF_ERROR(CheckShape("weights", *weights, x.shape));
    if (weights->dtype != DataType::kFloat32 &&
        weights->dtype != DataType::kFloat64 &&
        weights->dtype != DataType::kInt32 &&
        weights->dtype != DataType::kInt64) {
      return TypeError("weights", "int32, int64, float32 or float64",
                       Name(weights->dtype));
    }
    dtype = weights->dtype == DataType::kFloat32 ? DataType::kFloat32
                                                 : DataType::kFloat64;
  }
  return SetOutput(out, dtype, Shape({Dim::Unknown()}));
}

absl::Status ShardIndexInferMeta(const TensorSpec& input, int index_num,
                                 int nshards, int shard_id,
                                 int /*ignore_value*/, TensorSpec* out) {
  if (index_num < 1) {
    return ArgumentError("index_num", "1 or more", std::to_string(index_num));
  }
  if (nshards < 1) {
    return ArgumentError("nshards", "1 or more", std::to_string(nshards));
  }
  if (shard_id < 0 || shard_id >= nshards) {
    return RangeError("shard_id", "in [0, " + std::to_string(nshards) + ")",
                      std::to_string(shard_id));
  }
  return UnchangedInferMeta(input, out);
}

absl::Status EqualAllInferMeta(const TensorSpec& x, const TensorSpec& y,
                               TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  return SetOutput(out, DataType::kBool, Shape());
}

}  // namespace switchyard::phi
