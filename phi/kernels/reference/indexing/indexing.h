// SPDX-License-Identifier: Apache-2.0
// Reference kernels that follow index tensors, one element at a time. Sums are
// taken in double (of integers in int64) and converted once.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_INDEXING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_INDEXING_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

inline absl::Status CheckIndices(std::string_view argument,
                                 const DenseTensor& indices, int64_t lowest,
                                 int64_t extent) {
  for (int64_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = IntegerAt(indices, i);
    if (index < lowest || index >= extent) {
      return RangeError(
          argument,
          "in [" + std::to_string(lowest) + ", " + std::to_string(extent) + ")",
          std::to_string(index));
    }
  }
  return absl::OkStatus();
}

// Index number i, a negative one counted from the end of `extent`.
inline int64_t Resolved(const DenseTensor& indices, int64_t i, int64_t extent) {
  const int64_t index = IntegerAt(indices, i);
  return index < 0 ? index + extent : index;
}

// out[..., i, ...] = x[..., index[i], ...].
template <typename T>
void Choose(const DenseTensor& x, const DenseTensor& index, int axis,
            DenseTensor* out) {
  if (axis < 0) axis += x.rank();
  const Lines lines(x.shape(), axis);
  const int64_t inner = x.shape().numel(axis + 1, x.rank());
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t position = i / inner % index.numel();
    const int64_t line = i / inner / index.numel() * inner + i % inner;
    out->mutable_data<T>()[i] =
        At<T>(x, lines.at(line, Resolved(index, position, x.extent(axis))));
  }
}

template <typename S>
inline constexpr auto kGatherSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status GatherKernel(const ReferenceContext&, const DenseTensor& x,
                          const DenseTensor& index, int axis,
                          DenseTensor* out) {
  const int64_t extent = x.extent(axis < 0 ? axis + x.rank() : axis);
  SY_RETURN_IF_ERROR(CheckIndices("index", index, -extent, extent));
  Choose<T>(x, index, axis, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kIndexSelectSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status IndexSelectKernel(const ReferenceContext&, const DenseTensor& x,
                               const DenseTensor& index, int axis,
                               DenseTensor* out) {
  const int64_t extent = x.extent(axis < 0 ? axis + x.rank() : axis);
  SY_RETURN_IF_ERROR(CheckIndices("index", index, -extent, extent));
  Choose<T>(x, index, axis, out);
  return absl::OkStatus();
}

template <typename T>
void StoreSums(const std::vector<SumOf<T>>& values, DenseTensor* out) {
  for (size_t i = 0; i < values.size(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(values[i]);
  }
}

template <typename S>
inline constexpr auto kIndexAddSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status IndexAddKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& index,
                            const DenseTensor& add_value, int axis,
                            DenseTensor* out) {
  if (axis < 0) axis += x.rank();
  const int64_t extent = x.extent(axis);
  SY_RETURN_IF_ERROR(CheckIndices("index", index, -extent, extent));
  std::vector<SumOf<T>> sums = Widened<T>(x);
  for (int64_t i = 0; i < add_value.numel(); ++i) {
    Index at = Unravel(add_value.shape(), i);
    at[axis] = Resolved(index, at[axis], extent);
    sums[Ravel(x.shape(), at)] += static_cast<SumOf<T>>(At<T>(add_value, i));
  }
  StoreSums<T>(sums, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kScatterSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status ScatterKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor& index, const DenseTensor& updates,
                           bool overwrite, DenseTensor* out) {
  const int64_t extent = x.extent(0);
  SY_RETURN_IF_ERROR(CheckIndices("index", index, -extent, extent));
  const int64_t width = x.shape().numel(1, x.rank());
  std::vector<SumOf<T>> values = Widened<T>(x);
  for (int64_t i = 0; i < index.numel(); ++i) {
    const int64_t row = Resolved(index, i, extent) * width;
    if (!overwrite) std::fill_n(values.begin() + row, width, SumOf<T>{0});
  }
  for (int64_t i = 0; i < updates.numel(); ++i) {
    const auto update = static_cast<SumOf<T>>(At<T>(updates, i));
    const int64_t row = Resolved(index, i / width, extent);
    SumOf<T>& value = values[row * width + i % width];
    value = overwrite ? update : value + update;
  }
  StoreSums<T>(values, out);
  return absl::OkStatus();
}

// The position in arr that element i of `indices` names.
inline int64_t Named(const DenseTensor& arr, const DenseTensor& indices,
                     int axis, int64_t i) {
  if (arr.rank() == 0) return 0;
  if (axis < 0) axis += arr.rank();
  Index at = Unravel(indices.shape(), i);
  at[axis] = Resolved(indices, i, arr.extent(axis));
  return Ravel(arr.shape(), at);
}

inline absl::Status CheckAlong(const DenseTensor& arr,
                               const DenseTensor& indices, int axis) {
  const int64_t extent =
      arr.rank() == 0 ? 1 : arr.extent(axis < 0 ? axis + arr.rank() : axis);
  return CheckIndices("indices", indices, -extent, extent);
}

template <typename S>
inline constexpr auto kTakeAlongAxisSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndices, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status TakeAlongAxisKernel(const ReferenceContext&,
                                 const DenseTensor& arr,
                                 const DenseTensor& indices, int axis,
                                 DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckAlong(arr, indices, axis));
  for (int64_t i = 0; i < indices.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(arr, Named(arr, indices, axis, i));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPutAlongAxisSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndices, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status PutAlongAxisKernel(const ReferenceContext&, const DenseTensor& arr,
                                const DenseTensor& indices,
                                const DenseTensor& values, int axis,
                                std::string_view reduce, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckAlong(arr, indices, axis));
  std::vector<SumOf<T>> results = Widened<T>(arr);
  for (int64_t i = 0; i < indices.numel(); ++i) {
    SumOf<T>& result = results[Named(arr, indices, axis, i)];
    const auto value = static_cast<SumOf<T>>(At<T>(values, i));
    result = reduce == "add" ? result + value : value;
  }
  StoreSums<T>(results, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kOneHotSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kFloat32));
template <typename T>
absl::Status OneHotKernel(const ReferenceContext&, const DenseTensor& x,
                          int num_classes, bool allow_out_of_range,
                          DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t index = IntegerAt(x, i);
    if (!allow_out_of_range && (index < 0 || index >= num_classes)) {
      return RangeError("x", "in [0, " + std::to_string(num_classes) + ")",
                        std::to_string(index));
    }
  }
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<float>()[i] =
        IntegerAt(x, i / num_classes) == i % num_classes ? 1.0f : 0.0f;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_INDEXING_H_
