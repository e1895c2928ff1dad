// SPDX-License-Identifier: Apache-2.0
// Counting and looking up on the CPU: searchsorted, histogram, bincount,
// shard_index, equal_all. All inputs are contiguous.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_COUNTING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_COUNTING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/indexing/nonzero.h"

namespace switchyard::phi::kernels::cpu {

// Where each value goes into its row, of `extent` elements.
template <typename T, typename I>
void SearchRows(const DenseTensor& sequence, const DenseTensor& values,
                bool right, DenseTensor* out) {
  const bool one = sequence.rank() == 1;
  const int64_t extent = sequence.extent(sequence.rank() - 1);
  const int64_t width =
      values.rank() == 0 ? 1 : values.extent(values.rank() - 1);
  const T* rows = sequence.data<T>();
  const T* from = values.data<T>();
  I* to = out->mutable_data<I>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    const T* row = one ? rows : rows + i / width * extent;
    const T* end = row + extent;
    const T* place = end;
    if (from[i] == from[i]) {  // NaN goes last.
      place = right ? std::upper_bound(row, end, from[i], OrderedBefore<T>)
                    : std::lower_bound(row, end, from[i], OrderedBefore<T>);
    }
    to[i] = static_cast<I>(place - row);
  }
}

template <typename S>
inline constexpr auto kSearchsortedSpec =
    KernelSpec<S>().Output(S::kOut, OneOf(kIndexDtypes));
template <typename T>
absl::Status SearchsortedKernel(const CpuContext&,
                                const DenseTensor& sorted_sequence,
                                const DenseTensor& values, bool out_int32,
                                bool right, DenseTensor* out) {
  if (!out_int32) {
    SearchRows<T, int64_t>(sorted_sequence, values, right, out);
    return absl::OkStatus();
  }
  const int64_t extent = sorted_sequence.extent(sorted_sequence.rank() - 1);
  if (extent > std::numeric_limits<int32_t>::max()) {
    return ArgumentError("out_int32", "false for a sequence of this extent",
                         "true");
  }
  SearchRows<T, int32_t>(sorted_sequence, values, right, out);
  return absl::OkStatus();
}

// The dtypes of histograms, and of sums of weights.
inline constexpr DataTypeSet kCountDtypes(DataType::kInt64, DataType::kFloat32);
inline constexpr DataTypeSet kSumDtypes(DataType::kInt64, DataType::kFloat32,
                                        DataType::kFloat64);

// The ends of what a histogram counts.
struct HistogramRange {
  double min;
  double max;
};

// The ends are of float64 beside float64 elements only.
template <typename T>
using HistogramEnd =
    std::conditional_t<std::is_same_v<T, double>, double, float>;

// RangeError for elements that are not finite, if the range is theirs.
template <typename T>
absl::StatusOr<HistogramRange> RangeOf(const DenseTensor& input, double min,
                                       double max) {
  // As elements: 0.3f is not above 0.3.
  HistogramRange range = {static_cast<HistogramEnd<T>>(min),
                          static_cast<HistogramEnd<T>>(max)};
  if (range.min == range.max && input.numel() > 0) {
    const T* data = input.data<T>();
    const auto ends = std::minmax_element(data, data + input.numel());
    range = {static_cast<double>(*ends.first),
             static_cast<double>(*ends.second)};
    for (int64_t i = 0; i < input.numel(); ++i) {
      if (std::isfinite(static_cast<double>(data[i]))) continue;
      return RangeError("input", "of finite elements unless min is below max",
                        "others");
    }
  }
  if (range.min == range.max) {
    range.min -= 1;
    range.max += 1;
  }
  return range;
}

// Adds `weight(i)` to the bin of each element i in the range.
template <typename T, typename Weight, typename R>
void CountBins(const DenseTensor& input, const HistogramRange& range,
               int64_t bins, const Weight& weight, R* to) {
  const T* from = input.data<T>();
  const double width = range.max - range.min;
  for (int64_t i = 0; i < input.numel(); ++i) {
    const auto value = static_cast<double>(from[i]);
    if (!(value >= range.min && value <= range.max)) continue;
    const double place =
        (value - range.min) * static_cast<double>(bins) / width;
    const int64_t bin = std::min(static_cast<int64_t>(place), bins - 1);
    to[bin] += weight(i);
  }
}

template <typename S>
inline constexpr auto kHistogramSpec = KernelSpec<S>()
                                           .Input(S::kWeight,
                                                  Fixed(DataType::kFloat32))
                                           .Output(S::kOut,
                                                   OneOf(kCountDtypes));
template <typename T>
absl::Status HistogramKernel(const CpuContext&, const DenseTensor& input,
                             const DenseTensor* weight, int64_t bins,
                             double min, double max, bool density,
                             DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const HistogramRange range, RangeOf<T>(input, min, max));
  if (weight == nullptr && !density) {
    int64_t* to = out->mutable_data<int64_t>();
    std::fill_n(to, bins, int64_t{0});
    CountBins<T>(
        input, range, bins, [](int64_t) { return int64_t{1}; }, to);
    return absl::OkStatus();
  }
  float* to = out->mutable_data<float>();
  std::fill_n(to, bins, 0.0f);
  const float* weights = weight == nullptr ? nullptr : weight->data<float>();
  CountBins<T>(
      input, range, bins,
      [=](int64_t i) { return weights == nullptr ? 1.0f : weights[i]; }, to);
  if (!density) return absl::OkStatus();
  double total = 0;
  for (int64_t i = 0; i < bins; ++i) total += double{to[i]};
  const double part = (range.max - range.min) / static_cast<double>(bins);
  for (int64_t i = 0; i < bins; ++i) {
    to[i] = static_cast<float>(double{to[i]} / (total * part));
  }
  return absl::OkStatus();
}

// Adds weight(i) to the place indices[i] of `out`, which is allocated.
template <typename R, typename Weight>
void SumAtIndices(absl::Span<const int64_t> indices, const Weight& weight,
                  DenseTensor* out) {
  R* to = out->mutable_data<R>();
  std::fill_n(to, out->numel(), R{0});
  for (size_t i = 0; i < indices.size(); ++i) to[indices[i]] += weight(i);
}

template <typename W>
void SumWeights(absl::Span<const int64_t> indices, const DenseTensor& weights,
                DenseTensor* out) {
  using R = std::conditional_t<std::is_same_v<W, float>, float, double>;
  const W* values = weights.data<W>();
  SumAtIndices<R>(
      indices, [values](size_t i) { return static_cast<R>(values[i]); }, out);
}

template <typename S>
inline constexpr auto kBincountSpec =
    KernelSpec<S>()
        .Input(S::kWeights, AnyDtype())
        .Output(S::kOut, SelfAllocated(OneOf(kSumDtypes)));
template <typename T>
absl::Status BincountKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor* weights, int minlength,
                            DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> copy,
                      CopyIndices(context.allocator(), x));
  const absl::Span<const int64_t> indices = copy.span();
  int64_t largest = -1;
  for (const int64_t index : indices) {
    if (index < 0 || index == std::numeric_limits<int64_t>::max()) {
      return RangeError("x", "in [0, 2^63 - 1)", std::to_string(index));
    }
    largest = std::max(largest, index);
  }
  const Shape shape({std::max<int64_t>(largest + 1, minlength)});
  if (weights == nullptr) {
    SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, out));
    SumAtIndices<int64_t>(
        indices, [](size_t) { return int64_t{1}; }, out);
    return absl::OkStatus();
  }
  const bool is_float = weights->dtype() == DataType::kFloat32;
  SY_RETURN_IF_ERROR(AllocateOutput(
      context, is_float ? DataType::kFloat32 : DataType::kFloat64, shape, out));
  switch (weights->dtype()) {
    case DataType::kFloat32:
      SumWeights<float>(indices, *weights, out);
      break;
    case DataType::kFloat64:
      SumWeights<double>(indices, *weights, out);
      break;
    case DataType::kInt32:
      SumWeights<int32_t>(indices, *weights, out);
      break;
    default:
      SumWeights<int64_t>(indices, *weights, out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kShardIndexSpec = KernelSpec<S>();
template <typename T>
absl::Status ShardIndexKernel(const CpuContext&, const DenseTensor& input,
                              int index_num, int nshards, int shard_id,
                              int ignore_value, DenseTensor* out) {
  const T* from = input.data<T>();
  for (int64_t i = 0; i < input.numel(); ++i) {
    if (from[i] < 0 || from[i] >= index_num) {
      return RangeError("input", "in [0, " + std::to_string(index_num) + ")",
                        std::to_string(from[i]));
    }
  }
  const int64_t size = (int64_t{index_num} + nshards - 1) / nshards;
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < input.numel(); ++i) {
    const int64_t value = from[i];
    to[i] = static_cast<T>(value / size == shard_id ? value % size
                                                    : int64_t{ignore_value});
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEqualAllSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status EqualAllKernel(const CpuContext&, const DenseTensor& x,
                            const DenseTensor& y, DenseTensor* out) {
  const T* data = x.data<T>();
  *out->mutable_data<bool>() =
      x.shape() == y.shape() && std::equal(data, data + x.numel(), y.data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_COUNTING_H_
