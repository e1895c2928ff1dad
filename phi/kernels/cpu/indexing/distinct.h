// SPDX-License-Identifier: Apache-2.0
// Distinct slices, and runs of equal ones, on the CPU. All inputs are
// contiguous; each kernel counts first, then allocates its results.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_DISTINCT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_DISTINCT_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/indexing/nonzero.h"
#include "phi/kernels/cpu/simd/axis_slices.h"

namespace switchyard::phi::kernels::cpu {

// Slices [:, k, :] of a tensor that go together.
struct SliceGroups {
  std::vector<int64_t> group;   // Of each slice.
  std::vector<int64_t> first;   // Of each group, a slice.
  std::vector<int64_t> counts;  // Of each group.

  // Adds slice k to the last group, or to another one.
  void Add(int64_t k, bool another) {
    if (another) {
      first.push_back(k);
      counts.push_back(0);
    }
    ++counts.back();
    group[static_cast<size_t>(k)] = static_cast<int64_t>(first.size()) - 1;
  }
};

// The slices of a tensor in their order: that of the first elements that are
// not equal.
template <typename T>
class OrderedSlices {
 public:
  OrderedSlices(const T* data, const AxisSlices& lines)
      : data_(data), lines_(lines) {}

  bool Before(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < lines_.outer; ++o) {
      for (int64_t i = 0; i < lines_.inner; ++i) {
        const T x = At(o, a, i), y = At(o, b, i);
        if (OrderedBefore(x, y)) return true;
        if (OrderedBefore(y, x)) return false;
      }
    }
    return false;
  }
  bool Equal(int64_t a, int64_t b) const {
    return !Before(a, b) && !Before(b, a);
  }

 private:
  T At(int64_t o, int64_t k, int64_t i) const {
    return data_[(o * lines_.extent + k) * lines_.inner + i];
  }

  const T* data_;
  AxisSlices lines_;
};

// Equal slices, in ascending order or in that of the tensor.
template <typename T>
SliceGroups GroupEqual(const T* data, const AxisSlices& lines, bool sorted) {
  const OrderedSlices<T> slices(data, lines);
  std::vector<int64_t> order(static_cast<size_t>(lines.extent));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return slices.Before(a, b); });
  SliceGroups groups;
  groups.group.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    groups.Add(order[i], i == 0 || slices.Before(order[i - 1], order[i]));
  }
  if (sorted) return groups;
  SliceGroups renumbered;
  renumbered.group.resize(order.size());
  std::vector<int64_t> number(groups.first.size(), -1);
  for (size_t k = 0; k < order.size(); ++k) {
    const auto g = static_cast<size_t>(groups.group[k]);
    if (number[g] < 0) {
      number[g] = static_cast<int64_t>(renumbered.first.size());
      renumbered.first.push_back(groups.first[g]);
      renumbered.counts.push_back(groups.counts[g]);
    }
    renumbered.group[k] = number[g];
  }
  return renumbered;
}

// Runs of equal slices.
template <typename T>
SliceGroups GroupRuns(const T* data, const AxisSlices& lines) {
  const OrderedSlices<T> slices(data, lines);
  SliceGroups groups;
  groups.group.resize(static_cast<size_t>(lines.extent));
  for (int64_t k = 0; k < lines.extent; ++k) {
    groups.Add(k, k == 0 || !slices.Equal(k - 1, k));
  }
  return groups;
}

// The slices of x along the one axis, or its elements.
inline AxisSlices SlicesAlong(const DenseTensor& x,
                              absl::Span<const int> axis) {
  return axis.empty() ? AxisSlices{1, x.numel(), 1}
                      : AxisSlices::Along(x.shape(), axis[0]);
}

// ArgumentError if numbers of slices do not fit into `dtype`.
inline absl::Status CheckNumbersFit(const AxisSlices& lines, DataType dtype) {
  if (dtype == DataType::kInt64 ||
      lines.extent <= std::numeric_limits<int32_t>::max()) {
    return absl::OkStatus();
  }
  return ArgumentError("dtype", "int64 for this many elements", "int32");
}

// Allocates a list of numbers of `dtype` that is wanted, unless null.
inline absl::Status AllocateNumbers(const CpuContext& context, DataType dtype,
                                    int64_t count, DenseTensor* out) {
  if (out == nullptr) return absl::OkStatus();
  return AllocateOutput(context, dtype, Shape({count}), out);
}

inline void StoreNumbers(const std::vector<int64_t>& numbers,
                         DenseTensor* out) {
  if (out == nullptr || numbers.empty()) return;
  if (out->dtype() == DataType::kInt64) {
    std::copy(numbers.begin(), numbers.end(), out->mutable_data<int64_t>());
    return;
  }
  std::transform(numbers.begin(), numbers.end(), out->mutable_data<int32_t>(),
                 [](int64_t v) { return static_cast<int32_t>(v); });
}

// Allocates `out` and fills it with the first slice of each group.
template <typename T>
absl::Status StoreFirst(const CpuContext& context, const DenseTensor& x,
                        absl::Span<const int> axis, const AxisSlices& lines,
                        const SliceGroups& groups, DenseTensor* out) {
  const auto count = static_cast<int64_t>(groups.first.size());
  Shape shape({count});
  if (!axis.empty()) {
    shape = x.shape();
    shape[axis[0] < 0 ? axis[0] + x.rank() : axis[0]] = count;
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), shape, out));
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  if (out->numel() == 0) return absl::OkStatus();
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (const int64_t k : groups.first) {
      to = std::copy_n(from + (o * lines.extent + k) * lines.inner, lines.inner,
                       to);
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLegacyUniqueSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndices, SelfAllocated(OneOf(kIndexDtypes)))
        .Output(S::kInverse, OneOf(kIndexDtypes))
        .Output(S::kCounts, SelfAllocated(OneOf(kIndexDtypes)));
template <typename T>
absl::Status LegacyUniqueKernel(const CpuContext& context, const DenseTensor& x,
                                absl::Span<const int> axis, DataType dtype,
                                bool is_sorted, DenseTensor* out,
                                DenseTensor* indices, DenseTensor* inverse,
                                DenseTensor* counts) {
  const AxisSlices lines = SlicesAlong(x, axis);
  SY_RETURN_IF_ERROR(CheckNumbersFit(lines, dtype));
  SY_ASSIGN_OR_RETURN(const Workspace<T> copy,
                      CopyElements<T>(context.allocator(), x));
  const SliceGroups groups = GroupEqual(copy.data(), lines, is_sorted);
  const auto count = static_cast<int64_t>(groups.first.size());
  SY_RETURN_IF_ERROR(AllocateNumbers(context, dtype, count, indices));
  SY_RETURN_IF_ERROR(AllocateNumbers(context, dtype, count, counts));
  SY_RETURN_IF_ERROR(StoreFirst<T>(context, x, axis, lines, groups, out));
  StoreNumbers(groups.first, indices);
  StoreNumbers(groups.group, inverse);
  StoreNumbers(groups.counts, counts);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kUniqueConsecutiveSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, OneOf(kIndexDtypes))
        .Output(S::kCounts, SelfAllocated(OneOf(kIndexDtypes)));
template <typename T>
absl::Status UniqueConsecutiveKernel(const CpuContext& context,
                                     const DenseTensor& x, bool, bool,
                                     absl::Span<const int> axis, DataType dtype,
                                     DenseTensor* out, DenseTensor* index,
                                     DenseTensor* counts) {
  const AxisSlices lines = SlicesAlong(x, axis);
  SY_RETURN_IF_ERROR(CheckNumbersFit(lines, dtype));
  const SliceGroups groups = GroupRuns(x.data<T>(), lines);
  SY_RETURN_IF_ERROR(AllocateNumbers(
      context, dtype, static_cast<int64_t>(groups.first.size()), counts));
  SY_RETURN_IF_ERROR(StoreFirst<T>(context, x, axis, lines, groups, out));
  StoreNumbers(groups.group, index);
  StoreNumbers(groups.counts, counts);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_DISTINCT_H_
