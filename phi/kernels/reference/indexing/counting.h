// SPDX-License-Identifier: Apache-2.0
// Reference kernels that count and look up: for each result a loop over all
// elements.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_COUNTING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_COUNTING_H_

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kSearchsortedSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, OneOf(kIndexDtypes));
// Counts the elements that stand before the value.
template <typename T>
absl::Status SearchsortedKernel(const ReferenceContext&,
                                const DenseTensor& sorted_sequence,
                                const DenseTensor& values, bool out_int32,
                                bool right, DenseTensor* out) {
  const int last = sorted_sequence.rank() - 1;
  for (int64_t i = 0; i < values.numel(); ++i) {
    const T value = At<T>(values, i);
    Index index = {};
    if (last > 0) index = Unravel(values.shape(), i);
    int64_t before = 0;
    for (int64_t p = 0; p < sorted_sequence.extent(last); ++p) {
      index[last] = p;
      const T element = At<T>(sorted_sequence, index);
      const bool counts =
          element < value || (right && element == value) || value != value;
      before += counts ? 1 : 0;
    }
    if (out_int32) {
      out->mutable_data<int32_t>()[i] = static_cast<int32_t>(before);
    } else {
      out->mutable_data<int64_t>()[i] = before;
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kHistogramSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kWeight, WithAnyStrides(Fixed(DataType::kFloat32)))
        .Output(S::kOut,
                OneOf(DataTypeSet(DataType::kInt64, DataType::kFloat32)));
template <typename T>
absl::Status HistogramKernel(const ReferenceContext&, const DenseTensor& input,
                             const DenseTensor* weight, int64_t bins,
                             double min, double max, bool density,
                             DenseTensor* out) {
  using End = std::conditional_t<std::is_same_v<T, double>, double, float>;
  double low = static_cast<End>(min), high = static_cast<End>(max);
  if (low == high) {
    for (int64_t i = 0; i < input.numel(); ++i) {
      const auto v = static_cast<double>(At<T>(input, i));
      if (!std::isfinite(v)) {
        return RangeError("input", "of finite elements unless min is below max",
                          "others");
      }
      if (i == 0 || v < low) low = v;
      if (i == 0 || v > high) high = v;
    }
    if (low == high) {
      low -= 1;
      high += 1;
    }
  }
  const double total_bins = static_cast<double>(bins);
  double total = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t b = 0; b < bins; ++b) {
      double count = 0;
      for (int64_t i = 0; i < input.numel(); ++i) {
        const auto v = static_cast<double>(At<T>(input, i));
        if (v != v || v < low || v > high) continue;
        auto place =
            static_cast<int64_t>((v - low) * total_bins / (high - low));
        if (place == bins) --place;
        if (place != b) continue;
        count += weight == nullptr ? 1.0 : double{At<float>(*weight, i)};
      }
      if (pass == 0) {
        total += count;
      } else if (weight == nullptr && !density) {
        out->mutable_data<int64_t>()[b] = static_cast<int64_t>(count);
      } else {
        const double by = density ? total * (high - low) / total_bins : 1.0;
        out->mutable_data<float>()[b] = static_cast<float>(count / by);
      }
    }
  }
  return absl::OkStatus();
}

// The weight of element i, of any dtype that weights have.
inline double WeightAt(const DenseTensor& weights, int64_t i) {
  switch (weights.dtype()) {
    case DataType::kFloat32:
      return At<float>(weights, i);
    case DataType::kFloat64:
      return At<double>(weights, i);
    default:
      return static_cast<double>(IntegerAt(weights, i));
  }
}

template <typename S>
inline constexpr auto kBincountSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kWeights, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(OneOf(DataTypeSet(DataType::kInt64,
                                                         DataType::kFloat32,
                                                         DataType::kFloat64))));
template <typename T>
absl::Status BincountKernel(const ReferenceContext& context,
                            const DenseTensor& x, const DenseTensor* weights,
                            int minlength, DenseTensor* out) {
  int64_t length = minlength;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t v = At<T>(x, i);
    if (v < 0 || v == std::numeric_limits<int64_t>::max()) {
      return RangeError("x", "in [0, 2^63 - 1)", std::to_string(v));
    }
    if (v >= length) length = v + 1;
  }
  DataType dtype = DataType::kInt64;
  if (weights != nullptr) {
    dtype = weights->dtype() == DataType::kFloat32 ? DataType::kFloat32
                                                   : DataType::kFloat64;
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, Shape({length}), out));
  for (int64_t place = 0; place < length; ++place) {
    double sum = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
      if (At<T>(x, i) != place) continue;
      sum += weights == nullptr ? 1.0 : WeightAt(*weights, i);
    }
    if (dtype == DataType::kInt64) {
      out->mutable_data<int64_t>()[place] = static_cast<int64_t>(sum);
    } else if (dtype == DataType::kFloat32) {
      out->mutable_data<float>()[place] = static_cast<float>(sum);
    } else {
      out->mutable_data<double>()[place] = sum;
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kShardIndexSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ShardIndexKernel(const ReferenceContext&, const DenseTensor& input,
                              int index_num, int nshards, int shard_id,
                              int ignore_value, DenseTensor* out) {
  // The least size with which the shards hold all indices.
  int64_t size = index_num / nshards;
  if (size * nshards < index_num) ++size;
  for (int64_t i = 0; i < input.numel(); ++i) {
    const int64_t v = At<T>(input, i);
    if (v < 0 || v >= index_num) {
      return RangeError("input", "in [0, " + std::to_string(index_num) + ")",
                        std::to_string(v));
    }
  }
  for (int64_t i = 0; i < input.numel(); ++i) {
    const int64_t v = int64_t{At<T>(input, i)} - size * shard_id;
    const bool own = v >= 0 && v < size;
    out->mutable_data<T>()[i] = static_cast<T>(own ? v : ignore_value);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEqualAllSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status EqualAllKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& y, DenseTensor* out) {
  bool equal = x.shape() == y.shape();
  for (int64_t i = 0; equal && i < x.numel(); ++i) {
    equal = At<T>(x, i) == At<T>(y, i);
  }
  out->mutable_data<bool>()[0] = equal;
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_COUNTING_H_
