// SPDX-License-Identifier: Apache-2.0
// Reference kernels of distinct slices and runs: each slice is compared with
// those found before it.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_DISTINCT_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_DISTINCT_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/indexing/nonzero.h"

namespace switchyard::phi::kernels::reference {

// The slices of x along the one axis, or its elements, as lists.
template <typename T>
std::vector<std::vector<T>> SlicesOf(const DenseTensor& x,
                                     absl::Span<const int> axis) {
  std::vector<std::vector<T>> slices;
  if (axis.empty()) {
    for (int64_t i = 0; i < x.numel(); ++i) slices.push_back({At<T>(x, i)});
    return slices;
  }
  const int along = (axis[0] + x.rank()) % x.rank();
  slices.resize(static_cast<size_t>(x.extent(along)));
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Index index = Unravel(x.shape(), i);
    slices[static_cast<size_t>(index[along])].push_back(At<T>(x, index));
  }
  return slices;
}

template <typename T>
bool IsSameSlice(const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!IsSameElement<T>(a[i], b[i])) return false;
  }
  return true;
}

template <typename T>
bool SliceStandsBefore(const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (IsSameElement<T>(a[i], b[i])) continue;
    return StandsBefore<T>(a[i], b[i]);
  }
  return false;
}

inline absl::Status StoreList(const ReferenceContext& context, DataType dtype,
                              const std::vector<int64_t>& numbers,
                              bool allocate, DenseTensor* out) {
  if (out == nullptr) return absl::OkStatus();
  if (allocate) {
    const Shape shape({static_cast<int64_t>(numbers.size())});
    SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, shape, out));
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (dtype == DataType::kInt32) {
      out->mutable_data<int32_t>()[i] = static_cast<int32_t>(numbers[i]);
    } else {
      out->mutable_data<int64_t>()[i] = numbers[i];
    }
  }
  return absl::OkStatus();
}

// Stores the slices `chosen` of x.
template <typename T>
absl::Status StoreSlices(const ReferenceContext& context, const DenseTensor& x,
                         absl::Span<const int> axis,
                         const std::vector<int64_t>& chosen, DenseTensor* out) {
  const auto count = static_cast<int64_t>(chosen.size());
  Shape shape({count});
  int along = 0;
  if (!axis.empty()) {
    along = (axis[0] + x.rank()) % x.rank();
    shape = x.shape();
    shape[along] = count;
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), shape, out));
  for (int64_t i = 0; i < out->numel(); ++i) {
    Index index = Unravel(shape, i);
    const int64_t slice = chosen[static_cast<size_t>(index[along])];
    index[along] = slice;
    out->mutable_data<T>()[i] =
        axis.empty() ? At<T>(x, slice) : At<T>(x, index);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLegacyUniqueSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndices, SelfAllocated(OneOf(kIndexDtypes)))
        .Output(S::kInverse, OneOf(kIndexDtypes))
        .Output(S::kCounts, SelfAllocated(OneOf(kIndexDtypes)));
template <typename T>
absl::Status LegacyUniqueKernel(const ReferenceContext& context,
                                const DenseTensor& x,
                                absl::Span<const int> axis, DataType dtype,
                                bool is_sorted, DenseTensor* out,
                                DenseTensor* indices, DenseTensor* inverse,
                                DenseTensor* counts) {
  const std::vector<std::vector<T>> slices = SlicesOf<T>(x, axis);
  std::vector<int64_t> first;  // Of each distinct slice, in order.
  for (size_t k = 0; k < slices.size(); ++k) {
    bool known = false;
    size_t place = first.size();
    for (size_t g = 0; g < first.size(); ++g) {
      const std::vector<T>& other = slices[static_cast<size_t>(first[g])];
      known = known || IsSameSlice<T>(slices[k], other);
      if (is_sorted && place == first.size() &&
          SliceStandsBefore<T>(slices[k], other)) {
        place = g;
      }
    }
    if (known) continue;
    first.insert(first.begin() + static_cast<int64_t>(place),
                 static_cast<int64_t>(k));
  }
  std::vector<int64_t> group(slices.size()), sizes(first.size());
  for (size_t k = 0; k < slices.size(); ++k) {
    for (size_t g = 0; g < first.size(); ++g) {
      if (!IsSameSlice<T>(slices[k], slices[static_cast<size_t>(first[g])])) {
        continue;
      }
      group[k] = static_cast<int64_t>(g);
      ++sizes[g];
    }
  }
  SY_RETURN_IF_ERROR(StoreSlices<T>(context, x, axis, first, out));
  SY_RETURN_IF_ERROR(StoreList(context, dtype, first, true, indices));
  SY_RETURN_IF_ERROR(StoreList(context, dtype, group, false, inverse));
  return StoreList(context, dtype, sizes, true, counts);
}

template <typename S>
inline constexpr auto kUniqueConsecutiveSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, OneOf(kIndexDtypes))
        .Output(S::kCounts, SelfAllocated(OneOf(kIndexDtypes)));
template <typename T>
absl::Status UniqueConsecutiveKernel(const ReferenceContext& context,
                                     const DenseTensor& x, bool, bool,
                                     absl::Span<const int> axis, DataType dtype,
                                     DenseTensor* out, DenseTensor* index,
                                     DenseTensor* counts) {
  const std::vector<std::vector<T>> slices = SlicesOf<T>(x, axis);
  std::vector<int64_t> starts, run(slices.size());
  for (size_t k = 0; k < slices.size(); ++k) {
    if (k == 0 || !IsSameSlice<T>(slices[k - 1], slices[k])) {
      starts.push_back(static_cast<int64_t>(k));
    }
    run[k] = static_cast<int64_t>(starts.size()) - 1;
  }
  std::vector<int64_t> sizes;
  for (size_t g = 0; g < starts.size(); ++g) {
    const int64_t end = g + 1 < starts.size()
                            ? starts[g + 1]
                            : static_cast<int64_t>(slices.size());
    sizes.push_back(end - starts[g]);
  }
  SY_RETURN_IF_ERROR(StoreSlices<T>(context, x, axis, starts, out));
  SY_RETURN_IF_ERROR(StoreList(context, dtype, run, false, index));
  return StoreList(context, dtype, sizes, true, counts);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_DISTINCT_H_
