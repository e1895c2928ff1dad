// SPDX-License-Identifier: Apache-2.0
// StridedSource: the elements of a tensor of any strides, read piece by piece.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_STRIDED_SOURCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_STRIDED_SOURCE_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::cpu {

// Reads a tensor in row-major order, as if it were contiguous. It borrows the
// tensor's memory; any number of threads may read.
template <typename T>
class StridedSource {
 public:
  StridedSource(const DenseTensor& x, const T* data) : data_(data) {
    // Axes that lie one after another in memory become one; expanded ones too.
    for (int i = x.rank() - 1; i >= 0; --i) {
      const int64_t extent = x.extent(i), stride = x.strides()[i];
      if (extent == 1) continue;
      if (rank_ > 0 &&
          stride == axes_[rank_ - 1].stride * axes_[rank_ - 1].extent) {
        axes_[rank_ - 1].extent *= extent;
      } else {
        axes_[rank_++] = {extent, stride};
      }
    }
    if (rank_ == 0) axes_[rank_++] = {1, 1};
  }

  // Copies the elements [first, first + count) to `to`.
  void Read(int64_t first, int64_t count, T* to) const {
    std::array<int64_t, kMaxRank> index;
    const T* from = data_;
    for (int i = 0; i < rank_; ++i) {
      index[i] = first % axes_[i].extent;
      first /= axes_[i].extent;
      from += index[i] * axes_[i].stride;
    }
    const Axis& last = axes_[0];
    while (count > 0) {
      const int64_t run = std::min(count, last.extent - index[0]);
      CopyRun(from, last.stride, run, to);
      to += run;
      count -= run;
      from -= index[0] * last.stride;
      index[0] = 0;
      for (int i = 1; i < rank_; ++i) {
        from += axes_[i].stride;
        if (++index[i] < axes_[i].extent) break;
        from -= axes_[i].extent * axes_[i].stride;
        index[i] = 0;
      }
    }
  }

 private:
  struct Axis {
    int64_t extent;
    int64_t stride;  // Elements.
  };

  static void CopyRun(const T* from, int64_t stride, int64_t count, T* to) {
    if (stride == 1) {
      std::copy_n(from, count, to);
    } else if (stride == 0) {
      std::fill_n(to, count, *from);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
    }
  }

  const T* data_;
  std::array<Axis, kMaxRank> axes_;  // The last one first.
  int rank_ = 0;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_STRIDED_SOURCE_H_
