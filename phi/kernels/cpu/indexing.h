// SPDX-License-Identifier: Apache-2.0
// Kernels that follow index tensors on the CPU: gather, index_select,
// index_add, scatter, take_along_axis, put_along_axis and one_hot. All inputs
// are contiguous. Every index is checked before anything is written. What is
// added to one element is added in the order of the indices, by one thread.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_H_

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/lines.h"

namespace switchyard::phi::kernels {

// The elements of an int32 or int64 tensor, each in [0, extent); negative ones
// count from the end where `wrap`. RangeError naming `argument` otherwise.
absl::StatusOr<std::vector<int64_t>> CheckedIndices(std::string_view argument,
                                                    const DenseTensor& indices,
                                                    int64_t extent, bool wrap);

// Slice i of `out` along lines.extent = extent of x: slice indices[i] of x.
void MoveSlices(const DenseTensor& x, const LineShape& lines,
                const std::vector<int64_t>& indices, DenseTensor* out);
// Slice indices[i] of `out`, which holds x already: slice i of updates.
void PutSlices(const DenseTensor& updates, const LineShape& lines,
               const std::vector<int64_t>& indices, DenseTensor* out);
// The same with single elements: element [o, indices[o, p, i], i] of the one
// and [o, p, i] of the other, `lines` of arr.
void TakeElements(const DenseTensor& arr, const LineShape& lines,
                  const std::vector<int64_t>& indices, DenseTensor* out);
void PutElements(const DenseTensor& values, const LineShape& lines,
                 const std::vector<int64_t>& indices, DenseTensor* out);
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

// out[o, indices[p], i] += from[o, p, i] where `lines` are out's. Cut over o
// and i, so that an element is one thread's.
template <typename T>
void AddSlices(const T* from, const LineShape& lines,
               const std::vector<int64_t>& indices, T* out) {
  const int64_t count = static_cast<int64_t>(indices.size());
  constexpr int64_t kColumns = 256;
  const int64_t parts = (lines.inner + kColumns - 1) / kColumns;
  const int64_t work =
      std::max<int64_t>(1, count * std::min(kColumns, lines.inner));
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / work);
  ParallelFor(0, lines.outer * parts, grain, [&](int64_t begin, int64_t end) {
    std::vector<WideSum<T>> sums;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % parts * kColumns;
      const int64_t width = std::min(kColumns, lines.inner - column);
      T* to = out + t / parts * lines.extent * lines.inner + column;
      const T* add = from + t / parts * count * lines.inner + column;
      if constexpr (sizeof(T) == 2) {
        sums.resize(lines.extent * width);
        for (int64_t r = 0; r < lines.extent; ++r) {
          std::copy_n(to + r * lines.inner, width, &sums[r * width]);
        }
        for (int64_t p = 0; p < count; ++p) {
          float* row = &sums[indices[p] * width];
          for (int64_t i = 0; i < width; ++i)
            row[i] += add[p * lines.inner + i];
        }
        for (int64_t r = 0; r < lines.extent; ++r) {
          for (int64_t i = 0; i < width; ++i) {
            to[r * lines.inner + i] = T(sums[r * width + i]);
          }
        }
      } else {
        for (int64_t p = 0; p < count; ++p) {
          T* row = to + indices[p] * lines.inner;
          for (int64_t i = 0; i < width; ++i) {
            row[i] = WrappingAdd(row[i], add[p * lines.inner + i]);
          }
        }
      }
    }
  });
}

template <typename T, typename Context>
absl::Status GatherKernel(const Context&, const DenseTensor& x,
                          const DenseTensor& index, int axis,
                          DenseTensor* out) {
  const LineShape lines = LineShape::Along(x.shape(), axis);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                      CheckedIndices("index", index, lines.extent, false));
  MoveSlices(x, lines, indices, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status IndexSelectKernel(const Context&, const DenseTensor& x,
                               const DenseTensor& index, int axis,
                               DenseTensor* out) {
  const LineShape lines = LineShape::Along(x.shape(), axis);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                      CheckedIndices("index", index, lines.extent, true));
  MoveSlices(x, lines, indices, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status IndexAddKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& index,
                            const DenseTensor& add_value, int axis,
                            DenseTensor* out) {
  const LineShape lines = LineShape::Along(x.shape(), axis);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                      CheckedIndices("index", index, lines.extent, true));
  CopyAll(x, out);
  AddSlices(add_value.data<T>(), lines, indices, out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status ScatterKernel(const Context&, const DenseTensor& x,
                           const DenseTensor& index, const DenseTensor& updates,
                           bool overwrite, DenseTensor* out) {
  const LineShape lines = LineShape::Along(x.shape(), 0);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                      CheckedIndices("index", index, lines.extent, false));
  CopyAll(x, out);
  if (overwrite) {
    PutSlices(updates, lines, indices, out);
    return absl::OkStatus();
  }
  T* to = out->mutable_data<T>();
  for (const int64_t row : indices) {
    std::memset(static_cast<void*>(to + row * lines.inner), 0,
                lines.inner * sizeof(T));
  }
  AddSlices(updates.data<T>(), lines, indices, to);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status TakeAlongAxisKernel(const Context&, const DenseTensor& arr,
                                 const DenseTensor& indices, int axis,
                                 DenseTensor* out) {
  const LineShape lines = LineShape::Along(arr.shape(), axis);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      CheckedIndices("indices", indices, lines.extent, true));
  TakeElements(arr, lines, positions, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status PutAlongAxisKernel(const Context&, const DenseTensor& arr,
                                const DenseTensor& indices,
                                const DenseTensor& values, int axis,
                                std::string_view reduce, DenseTensor* out) {
  const LineShape lines = LineShape::Along(arr.shape(), axis);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      CheckedIndices("indices", indices, lines.extent, true));
  CopyAll(arr, out);
  if (reduce == "assign") {
    PutElements(values, lines, positions, out);
    return absl::OkStatus();
  }
  if (positions.empty()) return absl::OkStatus();
  const int64_t count = LineShape::Along(indices.shape(), axis).extent;
  const T* from = values.data<T>();
  T* to = out->mutable_data<T>();
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / count);
  ParallelFor(0, lines.outer * lines.inner, grain,
              [&](int64_t begin, int64_t end) {
                std::vector<WideSum<T>> sums(lines.extent);
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
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status OneHotKernel(const Context&, const DenseTensor& x, int num_classes,
                          DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> indices,
                      CheckedIndices("x", x, num_classes, false));
  float* to = out->mutable_data<float>();
  std::fill_n(to, out->numel(), 0.0f);
  for (size_t i = 0; i < indices.size(); ++i) {
    to[static_cast<int64_t>(i) * num_classes + indices[i]] = 1;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_H_
