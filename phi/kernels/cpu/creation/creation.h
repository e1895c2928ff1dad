// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU that make tensors of numbers of their own: full,
// full_like, full_batch_size_like, assign_value, arange, shape.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CREATION_CREATION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CREATION_CREATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/creation/fill.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kFullSpec = KernelSpec<S>();
template <typename T>
absl::Status FullKernel(const CpuContext&, IntArray, const Scalar& value,
                        DataType, DenseTensor* out) {
  const T element = value.to<T>();
  FillElements(sizeof(T), &element, out->numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFullLikeSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status FullLikeKernel(const CpuContext&, const DenseTensor&,
                            const Scalar& value, DataType, DenseTensor* out) {
  const T element = value.to<T>();
  FillElements(sizeof(T), &element, out->numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFullBatchSizeLikeSpec =
    KernelSpec<S>()
        .Input(S::kInput, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(ArgDef()));
// The number of sequences is known here alone.
template <typename T>
absl::Status FullBatchSizeLikeKernel(const CpuContext& context,
                                     const DenseTensor& input,
                                     absl::Span<const int64_t> shape,
                                     const Scalar& value, DataType dtype,
                                     int input_dim_idx, int output_dim_idx,
                                     DenseTensor* out) {
  const int from =
      input_dim_idx < 0 ? input_dim_idx + input.rank() : input_dim_idx;
  const int rank = static_cast<int>(shape.size());
  Shape filled;
  for (const int64_t extent : shape)
    filled.push_back(std::max<int64_t>(extent, 0));
  const bool sequences = from == 0 && input.lod() != nullptr;
  filled[output_dim_idx < 0 ? output_dim_idx + rank : output_dim_idx] =
      sequences ? static_cast<int64_t>(input.lod()->offsets.back().size()) - 1
                : input.extent(from);
  SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, filled, out));
  const T element = value.to<T>();
  FillElements(sizeof(T), &element, out->numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAssignValueSpec = KernelSpec<S>();
template <typename T>
absl::Status AssignValueKernel(const CpuContext&, absl::Span<const int64_t>,
                               DataType, absl::Span<const Scalar> values,
                               DenseTensor* out) {
  T* to = out->mutable_data<T>();
  for (const Scalar& value : values) *to++ = value.to<T>();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArangeSpec = KernelSpec<S>();
// Element i is start + i * step, computed for each i on its own: in uint64 for
// integers (their last one fits, sums on the way may wrap), in double for
// floating numbers, which are rounded once.
template <typename T>
absl::Status ArangeKernel(const CpuContext&, const Scalar& start, const Scalar&,
                          const Scalar& step, DataType, DenseTensor* out) {
  using C = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  C first, by;
  if constexpr (std::is_integral_v<T>) {
    first = static_cast<C>(start.to<T>());
    by = static_cast<C>(step.to<T>());
  } else {
    first = start.ToDouble();
    by = step.ToDouble();
  }
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), 1 << 15, [=](int64_t begin, int64_t end) {
    // Only small numbers are converted by vector instructions.
    constexpr int kBlock = 1 << 12;
    for (int64_t block = begin; block < end; block += kBlock) {
      const int count =
          static_cast<int>(std::min<int64_t>(kBlock, end - block));
      const C base = static_cast<C>(block);
      for (int i = 0; i < count; ++i) {
        to[block + i] = static_cast<T>(first + (base + static_cast<C>(i)) * by);
      }
    }
  });
  return absl::OkStatus();
}

// A number that says where a range lies: as it was given where the elements are
// floating ones.
template <typename T>
double RangeEnd(const Scalar& end) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(end.to<T>());
  } else {
    return end.ToDouble();
  }
}

template <typename S>
inline constexpr auto kShapeSpec =
    KernelSpec<S>().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ShapeKernel(const CpuContext&, const DenseTensor& input,
                         DenseTensor* out) {
  for (int axis = 0; axis < input.rank(); ++axis) {
    out->mutable_data<T>()[axis] = input.extent(axis);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kExtentSpec =
    KernelSpec<S>().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ExtentKernel(const CpuContext&, const DenseTensor& input, int axis,
                          DenseTensor* out) {
  const int from_front = axis < 0 ? axis + input.rank() : axis;
  *out->mutable_data<T>() = input.extent(from_front);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLinspaceSpec = KernelSpec<S>();
// From both ends to the middle, so that the last number is `stop`.
template <typename T>
absl::Status LinspaceKernel(const CpuContext&, const Scalar& start,
                            const Scalar& stop, int64_t number, DataType,
                            DenseTensor* out) {
  const double first = RangeEnd<T>(start), last = RangeEnd<T>(stop);
  const double step =
      number > 1 ? (last - first) / static_cast<double>(number - 1) : 0;
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < number; ++i) {
    const bool ahead = i < number / 2 || number == 1;
    const double value =
        ahead ? first + step * static_cast<double>(i)
              : last - step * static_cast<double>(number - 1 - i);
    to[i] = Scalar(value).to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLogspaceSpec = KernelSpec<S>();
template <typename T>
absl::Status LogspaceKernel(const CpuContext&, const Scalar& start,
                            const Scalar& stop, int64_t num, const Scalar& base,
                            DataType, DenseTensor* out) {
  const double first = RangeEnd<T>(start), last = RangeEnd<T>(stop);
  const double root = RangeEnd<T>(base);
  const double step =
      num > 1 ? (last - first) / static_cast<double>(num - 1) : 0;
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < num; ++i) {
    const double ahead = first + step * static_cast<double>(i);
    const double exponent = i + 1 == num && num > 1 ? last : ahead;
    to[i] = Scalar(std::pow(root, exponent)).to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEyeSpec = KernelSpec<S>();
template <typename T>
absl::Status EyeKernel(const CpuContext&, int64_t, int64_t, DataType,
                       DenseTensor* out) {
  const T zero = T{};
  T* to = out->mutable_data<T>();
  FillElements(sizeof(T), &zero, out->numel(), to);
  const int64_t columns = out->extent(1);
  const int64_t count = std::min(out->extent(0), columns);
  for (int64_t i = 0; i < count; ++i) to[i * (columns + 1)] = T(1);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CREATION_CREATION_H_
