// SPDX-License-Identifier: Apache-2.0
// The kernels of argmax and argmin on the CPU, of inputs of any strides. The
// first of equals wins, and the first NaN before all numbers, as in NumPy.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_

#include <algorithm>
#include <array>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/reduction/strided_source.h"

namespace switchyard::phi::kernels::cpu {

// The first of the largest (kLargest) or smallest elements that were seen.
template <bool kLargest, typename T>
class FirstExtreme {
 public:
  // Begins with element 0.
  explicit FirstExtreme(T first) : extreme_(first) {}

  // Looks at the elements from number `position` on, `stride` apart.
  void Look(const T* x, int64_t stride, int64_t position, int64_t count) {
    for (int64_t i = 0; i < count && extreme_ == extreme_; ++i) {
      const T v = x[i * stride];
      if ((kLargest ? v > extreme_ : v < extreme_) || v != v) {
        position_ = position + i;
        extreme_ = v;
      }
    }
  }
  int64_t position() const { return position_; }

 private:
  int64_t position_ = 0;
  T extreme_;
};

// The position in row-major order among all elements of x, which has some.
template <bool kLargest, typename T>
int64_t PositionInAll(const DenseTensor& x) {
  const T* const data = x.data<T>();
  FirstExtreme<kLargest, T> extreme(*data);
  if (IsContiguous(x.shape(), x.strides())) {
    extreme.Look(data, 1, 0, x.numel());
    return extreme.position();
  }
  constexpr int64_t kPiece = 1024;
  T piece[kPiece];
  const StridedSource<T> source(x, data);
  for (int64_t at = 0; at < x.numel(); at += kPiece) {
    const int64_t count = std::min(kPiece, x.numel() - at);
    source.Read(at, count, piece);
    extreme.Look(piece, 1, at, count);
  }
  return extreme.position();
}

// Where the lines of x along `axis` begin, by line in row-major order of the
// other axes.
class LineStarts {
 public:
  LineStarts(const DenseTensor& x, int axis) {
    // Axes that lie one after another in memory become one.
    for (int i = x.rank() - 1; i >= 0; --i) {
      const int64_t extent = x.extent(i), stride = x.strides()[i];
      if (i == axis || extent == 1) continue;
      if (rank_ > 0 && stride == strides_[rank_ - 1] * extents_[rank_ - 1]) {
        extents_[rank_ - 1] *= extent;
        continue;
      }
      extents_[rank_] = extent;
      strides_[rank_++] = stride;
    }
  }
  int64_t operator()(int64_t line) const {
    if (rank_ == 0) return 0;
    int64_t offset = 0;
    for (int i = 0; i < rank_ - 1; ++i) {
      offset += line % extents_[i] * strides_[i];
      line /= extents_[i];
    }
    return offset + line * strides_[rank_ - 1];
  }

 private:
  int rank_ = 0;  // The last axis first.
  std::array<int64_t, kMaxRank> extents_;
  std::array<int64_t, kMaxRank> strides_;
};

template <bool kLargest, typename T>
void FindExtremes(const DenseTensor& x, int64_t axis, bool flatten,
                  DenseTensor* out) {
  if (out->numel() == 0) return;
  const bool narrow = out->dtype() == DataType::kInt32;
  const auto write = [&](int64_t line, int64_t position) {
    if (narrow) {
      out->mutable_data<int32_t>()[line] = static_cast<int32_t>(position);
    } else {
      out->mutable_data<int64_t>()[line] = position;
    }
  };
  if (flatten || x.rank() == 0) {
    return write(0, PositionInAll<kLargest, T>(x));
  }
  const int along = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
  const int64_t extent = x.extent(along), stride = x.strides()[along];
  const LineStarts starts(x, along);
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / extent);
  ParallelFor(0, out->numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* const first = x.data<T>() + starts(line);
      FirstExtreme<kLargest, T> extreme(*first);
      extreme.Look(first, stride, 0, extent);
      write(line, extreme.position());
    }
  });
}

template <typename S>
inline constexpr auto kArgmaxSpec = KernelSpec<S>()
                                        .Input(S::kX, AnyStrides())
                                        .Output(S::kOut, OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgmaxKernel(const CpuContext&, const DenseTensor& x, int64_t axis,
                          bool, bool flatten, DataType, DenseTensor* out) {
  FindExtremes<true, T>(x, axis, flatten, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArgminSpec = KernelSpec<S>()
                                        .Input(S::kX, AnyStrides())
                                        .Output(S::kOut, OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgminKernel(const CpuContext&, const DenseTensor& x, int64_t axis,
                          bool, bool flatten, DataType, DenseTensor* out) {
  FindExtremes<false, T>(x, axis, flatten, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_
