// SPDX-License-Identifier: Apache-2.0
// Kernels that follow index tensors on the CPU: gather, index_select,
// index_add, scatter, take_along_axis, put_along_axis and one_hot. All inputs
// are contiguous. Every index is checked before anything is written. What is
// added to one element is added in the order of the indices, by one thread.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_INDEXING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_INDEXING_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/simd/axis_slices.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The elements of an int32 or int64 tensor, each in [-extent, extent), as they
// count from the front. RangeError naming `argument` otherwise.
absl::StatusOr<Workspace<int64_t>> CheckedIndices(Allocator& allocator,
                                                  std::string_view argument,
                                                  const DenseTensor& indices,
                                                  int64_t extent);

// Slice i of `out` along lines.extent = extent of x: slice indices[i] of x.
void MoveSlices(const DenseTensor& x, const AxisSlices& lines,
                absl::Span<const int64_t> indices, DenseTensor* out);
// Slice indices[i] of `out`, which holds x already: slice i of updates.
void PutSlices(const DenseTensor& updates, const AxisSlices& lines,
               absl::Span<const int64_t> indices, DenseTensor* out);
// Move single elements: element [o, indices[o, p, i], i] of the one and [o, p,
// i] of the other, `lines` of arr.
void TakeElements(const DenseTensor& arr, const AxisSlices& lines,
                  absl::Span<const int64_t> indices, DenseTensor* out);
void PutElements(const DenseTensor& values, const AxisSlices& lines,
                 absl::Span<const int64_t> indices, DenseTensor* out);
void CopyAll(const DenseTensor& x, DenseTensor* out);

// Sums of float16 and bfloat16 are taken in float and rounded once.
template <typename T>
using WideSum = std::conditional_t<sizeof(T) == 2, float, T>;

// a + b; integers wrap around.
template <typename T>
T WrappingAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

// to[:, indices[p]] += from[:, p] for each p, over `width` columns; rows are
// `stride` apart. Sums of two-byte elements are taken in `sums`.
template <typename T>
void AddColumns(const T* from, int64_t stride, int64_t width, int64_t extent,
                absl::Span<const int64_t> indices, WideSum<T>* sums, T* to) {
  if constexpr (sizeof(T) == 2) {
    for (int64_t r = 0; r < extent; ++r) {
      std::copy_n(to + r * stride, width, sums + r * width);
    }
    for (const int64_t index : indices) {
      WideSum<T>* row = sums + index * width;
      for (int64_t i = 0; i < width; ++i) row[i] += from[i];
      from += stride;
    }
    for (int64_t r = 0; r < extent; ++r) {
      for (int64_t i = 0; i < width; ++i) {
        to[r * stride + i] = T(sums[r * width + i]);
      }
    }
  } else {
    for (const int64_t index : indices) {
      T* row = to + index * stride;
      for (int64_t i = 0; i < width; ++i) row[i] = WrappingAdd(row[i], from[i]);
      from += stride;
    }
  }
}

// out[o, indices[p], i] += from[o, p, i] where `lines` are out's. Cut over o
// and i, so that an element is one thread's.
template <typename T>
absl::Status AddSlices(Allocator& allocator, const T* from,
                       const AxisSlices& lines,
                       absl::Span<const int64_t> indices, T* out) {
  const int64_t count = static_cast<int64_t>(indices.size());
  if (count == 0 || lines.outer * lines.inner == 0) return absl::OkStatus();
  constexpr int64_t kColumns = 256;
  const int64_t parts = (lines.inner + kColumns - 1) / kColumns;
  const int64_t widest = std::min(kColumns, lines.inner);
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (count * widest));
  const int64_t sums = sizeof(T) == 2 ? lines.extent * widest : 0;
  return ParallelForWithWorkspace<WideSum<T>>(
      allocator, lines.outer * parts, grain, sums,
      [&](int64_t begin, int64_t end, WideSum<T>* workspace) {
        for (int64_t t = begin; t < end; ++t) {
          const int64_t column = t % parts * kColumns;
          const int64_t o = t / parts;
          AddColumns(from + o * count * lines.inner + column, lines.inner,
                     std::min(kColumns, lines.inner - column), lines.extent,
                     indices, workspace,
                     out + o * lines.extent * lines.inner + column);
        }
      });
}

template <typename S>
inline constexpr auto kGatherSpec = KernelSpec<S>().Input(S::kIndex,
                                                          OneOf(kIndexDtypes));
template <typename T>
absl::Status GatherKernel(const CpuContext& context, const DenseTensor& x,
                          const DenseTensor& index, int axis,
                          DenseTensor* out) {
  const AxisSlices lines = AxisSlices::Along(x.shape(), axis);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> checked,
      CheckedIndices(context.allocator(), "index", index, lines.extent));
  MoveSlices(x, lines, checked.span(), out);
  return absl::OkStatus();
}

// GatherKernel under the name of an operator whose index has one axis.
template <typename S>
inline constexpr auto kIndexSelectSpec =
    KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename T>
absl::Status IndexSelectKernel(const CpuContext& context, const DenseTensor& x,
                               const DenseTensor& index, int axis,
                               DenseTensor* out) {
  return GatherKernel<T>(context, x, index, axis, out);
}

template <typename S>
inline constexpr auto kIndexAddSpec =
    KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename T>
absl::Status IndexAddKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& index,
                            const DenseTensor& add_value, int axis,
                            DenseTensor* out) {
  const AxisSlices lines = AxisSlices::Along(x.shape(), axis);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> checked,
      CheckedIndices(context.allocator(), "index", index, lines.extent));
  CopyAll(x, out);
  return AddSlices(context.allocator(), add_value.data<T>(), lines,
                   checked.span(), out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kScatterSpec = KernelSpec<S>().Input(S::kIndex,
                                                           OneOf(kIndexDtypes));
template <typename T>
absl::Status ScatterKernel(const CpuContext& context, const DenseTensor& x,
                           const DenseTensor& index, const DenseTensor& updates,
                           bool overwrite, DenseTensor* out) {
  const AxisSlices lines = AxisSlices::Along(x.shape(), 0);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> checked,
      CheckedIndices(context.allocator(), "index", index, lines.extent));
  CopyAll(x, out);
  if (overwrite) {
    PutSlices(updates, lines, checked.span(), out);
    return absl::OkStatus();
  }
  T* to = out->mutable_data<T>();
  for (const int64_t row : checked.span()) {
    std::memset(static_cast<void*>(to + row * lines.inner), 0,
                lines.inner * sizeof(T));
  }
  return AddSlices(context.allocator(), updates.data<T>(), lines,
                   checked.span(), to);
}

template <typename S>
inline constexpr auto kTakeAlongAxisSpec =
    KernelSpec<S>().Input(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status TakeAlongAxisKernel(const CpuContext& context,
                                 const DenseTensor& arr,
                                 const DenseTensor& indices, int axis,
                                 DenseTensor* out) {
  const AxisSlices lines = AxisSlices::Along(arr.shape(), axis);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> checked,
      CheckedIndices(context.allocator(), "indices", indices, lines.extent));
  TakeElements(arr, lines, checked.span(), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPutAlongAxisSpec =
    KernelSpec<S>().Input(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status PutAlongAxisKernel(const CpuContext& context,
                                const DenseTensor& arr,
                                const DenseTensor& indices,
                                const DenseTensor& values, int axis,
                                std::string_view reduce, DenseTensor* out) {
  const AxisSlices lines = AxisSlices::Along(arr.shape(), axis);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> checked,
      CheckedIndices(context.allocator(), "indices", indices, lines.extent));
  const absl::Span<const int64_t> positions = checked.span();
  CopyAll(arr, out);
  if (reduce == "assign") {
    PutElements(values, lines, positions, out);
    return absl::OkStatus();
  }
  if (positions.empty()) return absl::OkStatus();
  const int64_t count = AxisSlices::Along(indices.shape(), axis).extent;
  const T* from = values.data<T>();
  T* to = out->mutable_data<T>();
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / count);
  return ParallelForWithWorkspace<WideSum<T>>(
      context.allocator(), lines.outer * lines.inner, grain, lines.extent,
      [&](int64_t begin, int64_t end, WideSum<T>* sums) {
        for (int64_t line = begin; line < end; ++line) {
          const int64_t o = line / lines.inner, i = line % lines.inner;
          T* first = to + o * lines.extent * lines.inner + i;
          for (int64_t p = 0; p < lines.extent; ++p) {
            sums[p] = first[p * lines.inner];
          }
          for (int64_t p = 0; p < count; ++p) {
            const int64_t at = (o * count + p) * lines.inner + i;
            WideSum<T>& sum = sums[positions[at]];
            sum = WrappingAdd<WideSum<T>>(sum, from[at]);
          }
          for (int64_t p = 0; p < lines.extent; ++p) {
            first[p * lines.inner] = static_cast<T>(sums[p]);
          }
        }
      });
}

template <typename S>
inline constexpr auto kOneHotSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kFloat32));
template <typename T>
absl::Status OneHotKernel(const CpuContext& context, const DenseTensor& x,
                          int num_classes, bool allow_out_of_range,
                          DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> classes,
      allow_out_of_range
          ? CopyIndices(context.allocator(), x)
          : CopyIndicesIn(context.allocator(), "x", x, 0, num_classes));
  float* to = out->mutable_data<float>();
  std::fill_n(to, out->numel(), 0.0f);
  for (const int64_t own : classes.span()) {
    if (own >= 0 && own < num_classes) to[own] = 1;
    to += num_classes;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_INDEXING_H_
