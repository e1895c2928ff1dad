// SPDX-License-Identifier: Apache-2.0
// Reference kernels that make tensors of numbers of their own: full, full_like,
// full_batch_size_like, assign_value, arange, shape.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_CREATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_CREATION_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/lod.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kArangeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ArangeKernel(const ReferenceContext&, const Scalar& start,
                          const Scalar&, const Scalar& step, DataType,
                          DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      __extension__ using Wide = __int128;
      out->mutable_data<T>()[i] =
          static_cast<T>(Wide{start.to<T>()} + Wide{step.to<T>()} * Wide{i});
    } else {
      const double value = start.ToDouble() + step.ToDouble() * double(i);
      out->mutable_data<T>()[i] = static_cast<T>(value);
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kShapeSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ShapeKernel(const ReferenceContext&, const DenseTensor& input,
                         DenseTensor* out) {
  for (int axis = 0; axis < input.rank(); ++axis) {
    out->mutable_data<T>()[axis] = input.shape()[axis].value();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kExtentSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ExtentKernel(const ReferenceContext&, const DenseTensor& input,
                          int axis, DenseTensor* out) {
  const int rank = input.rank();
  *out->mutable_data<T>() = input.shape()[(axis + rank) % rank].value();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFullSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FullKernel(const ReferenceContext&, IntArray, const Scalar& value,
                        DataType, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = value.to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFullLikeSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status FullLikeKernel(const ReferenceContext& context, const DenseTensor&,
                            const Scalar& value, DataType dtype,
                            DenseTensor* out) {
  return FullKernel<T>(context, {}, value, dtype, out);
}

template <typename S>
inline constexpr auto kFullBatchSizeLikeSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kInput, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status FullBatchSizeLikeKernel(const ReferenceContext& context,
                                     const DenseTensor& input,
                                     absl::Span<const int64_t> shape,
                                     const Scalar& value, DataType dtype,
                                     int input_dim_idx, int output_dim_idx,
                                     DenseTensor* out) {
  const int rank = static_cast<int>(shape.size());
  const int from = (input_dim_idx + input.rank()) % input.rank();
  const int to = (output_dim_idx + rank) % rank;
  int64_t batch = input.shape()[from].value();
  if (from == 0 && input.lod() != nullptr) {
    batch = static_cast<int64_t>(SequenceLengths(*input.lod()).back().size());
  }
  Shape filled;
  for (int i = 0; i < rank; ++i) filled.push_back(i == to ? batch : shape[i]);
  SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, filled, out));
  return FullKernel<T>(context, {}, value, dtype, out);
}

template <typename S>
inline constexpr auto kAssignValueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AssignValueKernel(const ReferenceContext&,
                               absl::Span<const int64_t>, DataType,
                               absl::Span<const Scalar> values,
                               DenseTensor* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    out->mutable_data<T>()[i] = values[i].to<T>();
  }
  return absl::OkStatus();
}

// Ends of integers are whole; those of floating elements as they were given.
template <typename T>
double EndOf(const Scalar& end) {
  return std::is_integral_v<T> ? double(end.to<T>()) : end.ToDouble();
}

template <typename S>
inline constexpr auto kLinspaceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LinspaceKernel(const ReferenceContext&, const Scalar& start,
                            const Scalar& stop, int64_t number, DataType,
                            DenseTensor* out) {
  const double from = EndOf<T>(start), to = EndOf<T>(stop);
  const int64_t gaps = number - 1;
  const double step = gaps > 0 ? (to - from) / static_cast<double>(gaps) : 0;
  for (int64_t i = 0; i < number; ++i) {
    double value = from + step * static_cast<double>(i);
    if (gaps > 0 && 2 * i + 1 >= number) {
      value = to - step * static_cast<double>(gaps - i);
    }
    out->mutable_data<T>()[i] = Scalar(value).to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLogspaceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LogspaceKernel(const ReferenceContext&, const Scalar& start,
                            const Scalar& stop, int64_t num, const Scalar& base,
                            DataType, DenseTensor* out) {
  const double from = EndOf<T>(start), to = EndOf<T>(stop);
  for (int64_t i = 0; i < num; ++i) {
    const double share =
        num > 1 ? static_cast<double>(i) / static_cast<double>(num - 1) : 0;
    const double exponent = from + (to - from) * share;
    const double power = std::pow(EndOf<T>(base), exponent);
    out->mutable_data<T>()[i] = Scalar(power).to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEyeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status EyeKernel(const ReferenceContext&, int64_t, int64_t, DataType,
                       DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    out->mutable_data<T>()[i] = index[0] == index[1] ? T(1) : T(0);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_CREATION_H_
