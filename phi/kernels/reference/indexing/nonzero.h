// SPDX-License-Identifier: Apache-2.0
// Reference kernels whose results are as large as their inputs' elements say.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_NONZERO_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_NONZERO_H_

#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kNonzeroSpec = KernelSpec<S>().AllStrided().Output(
    S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status NonzeroKernel(const ReferenceContext& context,
                           const DenseTensor& x, DenseTensor* out) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (At<T>(x, i) != static_cast<T>(0)) found.push_back(i);
  }
  const Shape shape({static_cast<int64_t>(found.size()), x.rank()});
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, out));
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(x.shape(), found[i / x.rank()]);
    out->mutable_data<int64_t>()[i] = index[i % x.rank()];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRepeatIndicesSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status RepeatIndicesKernel(const ReferenceContext& context,
                                 const DenseTensor&, const DenseTensor& repeats,
                                 int, int64_t output_size, DenseTensor* out) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < repeats.numel(); ++i) {
    const int64_t count = At<T>(repeats, i);
    if (count < 0) {
      return ArgumentError("repeats", "of numbers from 0",
                           std::to_string(count));
    }
    const size_t most = indices.max_size() - indices.size();
    if (static_cast<uint64_t>(count) > most) {
      return SizeError("repeats", "of a sum that fits memory", "a larger one");
    }
    indices.insert(indices.end(), static_cast<size_t>(count), i);
  }
  const auto size = static_cast<int64_t>(indices.size());
  if (output_size != -1 && output_size != size) {
    return ArgumentError("output_size", "-1 or the sum of repeats",
                         std::to_string(output_size));
  }
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt64, Shape({size}), out));
  for (int64_t i = 0; i < size; ++i) {
    out->mutable_data<int64_t>()[i] = indices[i];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaskedSelectSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kMask, WithAnyStrides(Fixed(DataType::kBool)))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status MaskedSelectKernel(const ReferenceContext& context,
                                const DenseTensor& x, const DenseTensor& mask,
                                DenseTensor* out) {
  std::vector<T> chosen;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (At<bool>(mask, i)) chosen.push_back(At<T>(x, i));
  }
  const Shape shape({static_cast<int64_t>(chosen.size())});
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), shape, out));
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = chosen[i];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaskedSelectGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kMask, WithAnyStrides(Fixed(DataType::kBool)));
template <typename T>
absl::Status MaskedSelectGradKernel(const ReferenceContext&,
                                    const DenseTensor& x,
                                    const DenseTensor& mask,
                                    const DenseTensor& out_grad,
                                    DenseTensor* x_grad) {
  int64_t chosen = 0;
  for (int64_t i = 0; i < x.numel(); ++i) chosen += At<bool>(mask, i) ? 1 : 0;
  if (chosen != out_grad.numel()) {
    return ArgumentError("out_grad", "of as many elements as mask chooses",
                         ToString(out_grad.shape()));
  }
  int64_t next = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    T& element = x_grad->mutable_data<T>()[i];
    element = At<bool>(mask, i) ? At<T>(out_grad, next++) : static_cast<T>(0);
  }
  return absl::OkStatus();
}

// Equal elements, and NaNs, are one.
template <typename T>
bool IsSameElement(T a, T b) {
  return a == b || (a != a && b != b);
}

// True if a stands before b among the results: NaN after all others.
template <typename T>
bool StandsBefore(T a, T b) {
  if (a != a) return false;
  return b != b || a < b;
}

template <typename S>
inline constexpr auto kUniqueSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kInverse, Fixed(DataType::kInt64))
        .Output(S::kCounts, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status UniqueKernel(const ReferenceContext& context, const DenseTensor& x,
                          DenseTensor* out, DenseTensor* inverse,
                          DenseTensor* counts) {
  // Insertion: each new element moves to its place.
  std::vector<T> distinct;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const T element = At<T>(x, i);
    size_t place = 0;
    while (place < distinct.size() &&
           StandsBefore<T>(distinct[place], element)) {
      ++place;
    }
    if (place < distinct.size() && IsSameElement<T>(distinct[place], element)) {
      continue;
    }
    distinct.insert(distinct.begin() + static_cast<int64_t>(place), element);
  }
  const Shape shape({static_cast<int64_t>(distinct.size())});
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), shape, out));
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, counts));
  for (size_t k = 0; k < distinct.size(); ++k) {
    out->mutable_data<T>()[k] = distinct[k];
    int64_t& count = counts->mutable_data<int64_t>()[k];
    count = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
      if (!IsSameElement<T>(At<T>(x, i), distinct[k])) continue;
      inverse->mutable_data<int64_t>()[i] = static_cast<int64_t>(k);
      ++count;
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_NONZERO_H_
