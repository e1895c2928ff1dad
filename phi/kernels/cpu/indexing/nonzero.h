// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU whose results are as large as their inputs' elements say:
// nonzero, repeat_indices, masked_select and unique. All inputs are contiguous;
// each kernel counts first, then allocates its results and fills them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_NONZERO_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_NONZERO_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/index_copy.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kNonzeroSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status NonzeroKernel(const CpuContext& context, const DenseTensor& x,
                           DenseTensor* out) {
  const T* data = x.data<T>();
  const int64_t count =
      x.numel() - std::count(data, data + x.numel(), static_cast<T>(0));
  const int rank = x.rank();
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt64, Shape({count, rank}), out));
  int64_t* row = out->mutable_data<int64_t>();
  // Another thread may have written x since its elements were counted.
  int64_t left = count;
  std::array<int64_t, kMaxRank> index = {};
  for (int64_t i = 0; i < x.numel() && left > 0; ++i) {
    if (data[i] != static_cast<T>(0)) {
      row = std::copy_n(&index[0], rank, row);
      --left;
    }
    for (int axis = rank - 1; axis >= 0; --axis) {
      if (++index[axis] < x.extent(axis)) break;
      index[axis] = 0;
    }
  }
  std::fill_n(row, left * rank, int64_t{0});
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRepeatIndicesSpec =
    KernelSpec<S>()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status RepeatIndicesKernel(const CpuContext& context, const DenseTensor&,
                                 const DenseTensor& repeats, int /*axis*/,
                                 int64_t output_size, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> counts,
                      CopyIndices(context.allocator(), repeats));
  int64_t size = 0;
  for (const int64_t count : counts.span()) {
    if (count < 0) {
      return ArgumentError("repeats", "of numbers from 0",
                           std::to_string(count));
    }
    constexpr int64_t kMax =
        std::numeric_limits<int64_t>::max() / sizeof(int64_t);
    if (count > kMax - size) {
      return SizeError("repeats", "of a sum that fits memory", "a larger one");
    }
    size += count;
  }
  if (output_size != -1 && output_size != size) {
    return ArgumentError("output_size",
                         "-1 or the sum of repeats, " + std::to_string(size),
                         std::to_string(output_size));
  }
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt64, Shape({size}), out));
  int64_t* to = out->mutable_data<int64_t>();
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    to = std::fill_n(to, counts.data()[i], i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaskedSelectSpec = KernelSpec<S>()
                                              .Input(S::kMask,
                                                     Fixed(DataType::kBool))
                                              .Output(S::kOut,
                                                      SelfAllocated(ArgDef()));
template <typename T>
absl::Status MaskedSelectKernel(const CpuContext& context, const DenseTensor& x,
                                const DenseTensor& mask, DenseTensor* out) {
  const T* from = x.data<T>();
  const bool* chosen = mask.data<bool>();
  const int64_t count = std::count(chosen, chosen + mask.numel(), true);
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), Shape({count}), out));
  T* to = out->mutable_data<T>();
  // Another thread may have written the mask since its elements were counted.
  int64_t left = count;
  for (int64_t i = 0; i < x.numel() && left > 0; ++i) {
    if (!chosen[i]) continue;
    *to++ = from[i];
    --left;
  }
  std::fill_n(to, left, static_cast<T>(0));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaskedSelectGradSpec =
    KernelSpec<S>()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kMask, Fixed(DataType::kBool));
template <typename T>
absl::Status MaskedSelectGradKernel(const CpuContext&, const DenseTensor& x,
                                    const DenseTensor& mask,
                                    const DenseTensor& out_grad,
                                    DenseTensor* x_grad) {
  const bool* chosen = mask.data<bool>();
  if (std::count(chosen, chosen + mask.numel(), true) != out_grad.numel()) {
    return ArgumentError("out_grad", "of as many elements as mask chooses",
                         ToString(out_grad.shape()));
  }
  const T* from = out_grad.data<T>();
  const T* const end = from + out_grad.numel();
  T* to = x_grad->mutable_data<T>();
  // Another thread may have written the mask since its elements were counted.
  for (int64_t i = 0; i < x.numel(); ++i) {
    to[i] = chosen[i] && from != end ? *from++ : static_cast<T>(0);
  }
  return absl::OkStatus();
}

// The order of unique: NaNs last, all of them equal.
template <typename T>
bool OrderedBefore(T a, T b) {
  if constexpr (sizeof(T) == 2 || std::is_floating_point_v<T>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x < y || (y != y && x == x);
  } else {
    return a < b;
  }
}

template <typename S>
inline constexpr auto kUniqueSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kInverse, Fixed(DataType::kInt64))
        .Output(S::kCounts, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status UniqueKernel(const CpuContext& context, const DenseTensor& x,
                          DenseTensor* out, DenseTensor* inverse,
                          DenseTensor* counts) {
  SY_ASSIGN_OR_RETURN(const Workspace<T> copy,
                      CopyElements<T>(context.allocator(), x));
  const T* data = copy.data();
  std::vector<int64_t> order(static_cast<size_t>(x.numel()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [data](int64_t a, int64_t b) {
    return OrderedBefore(data[a], data[b]);
  });
  const auto starts_another = [&](size_t i) {
    return i == 0 || OrderedBefore(data[order[i - 1]], data[order[i]]);
  };
  int64_t distinct = 0;
  for (size_t i = 0; i < order.size(); ++i) distinct += starts_another(i);
  const Shape shape({distinct});
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), shape, out));
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, counts));
  int64_t* count = counts->mutable_data<int64_t>();
  int64_t at = -1;
  for (size_t i = 0; i < order.size(); ++i) {
    if (starts_another(i)) {
      out->mutable_data<T>()[++at] = data[order[i]];
      count[at] = 0;
    }
    ++count[at];
    inverse->mutable_data<int64_t>()[order[i]] = at;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_NONZERO_H_
