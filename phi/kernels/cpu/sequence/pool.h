// SPDX-License-Identifier: Apache-2.0
// sequence_pool and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_POOL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Elements that are worth a thread.
inline constexpr int64_t kPoolGrain = 16384;

// Returns what a sum of `length` rows is multiplied by.
template <typename T>
T PoolingFactor(std::string_view pooltype, int64_t length) {
  if (pooltype == "AVERAGE") return T{1} / static_cast<T>(length);
  if (pooltype == "SQRT") return T{1} / std::sqrt(static_cast<T>(length));
  return T{1};
}

// out: [sequences, ...], a row for each sequence of x, pad_value for one
// without rows. max_index: int32 like out, the rows of x that the elements are
// from (-1: none), where pooltype is MAX; else empty. Levels above the last one
// stay.
template <typename T>
class SequencePool {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& x,
                          std::string_view pooltype, float pad_value,
                          DenseTensor* out, DenseTensor* max_index) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
    if (x.extent(0) > std::numeric_limits<int32_t>::max()) {
      return ArgumentError("x", "of less than 2^31 rows", ToString(x.shape()));
    }
    const Offsets& offsets = lod->offsets.back();
    const Shape shape = WithRows(x.shape(), SequenceCount(offsets));
    const bool is_max = pooltype == "MAX";
    SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), shape, out));
    SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kInt32,
                                    is_max ? shape : Shape({0}), max_index));
    int32_t* indices = !is_max || max_index == nullptr
                           ? nullptr
                           : max_index->mutable_data<int32_t>();
    T* pooled = out->mutable_data<T>();
    const int64_t width = RowWidth(x);
    ParallelFor(
        0, SequenceCount(offsets), kPoolGrain / std::max<int64_t>(width, 1),
        [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) {
            T* to = pooled + i * width;
            int32_t* index = indices == nullptr ? nullptr : indices + i * width;
            if (offsets[i] == offsets[i + 1]) {
              std::fill_n(to, width, static_cast<T>(pad_value));
              if (index != nullptr) std::fill_n(index, width, -1);
            } else if (is_max) {
              Maximum(x.data<T>(), offsets[i], offsets[i + 1], width, to,
                      index);
            } else {
              Combine(x.data<T>(), offsets[i], offsets[i + 1], width, pooltype,
                      to);
            }
          }
        });
    if (lod->offsets.size() > 1) {
      LoD above = *lod;
      above.offsets.pop_back();
      SetLod(std::move(above), out);
    }
    return absl::OkStatus();
  }

 private:
  static void Maximum(const T* x, int64_t begin, int64_t end, int64_t width,
                      T* out, int32_t* index) {
    std::copy_n(x + begin * width, width, out);
    if (index != nullptr) std::fill_n(index, width, begin);
    for (int64_t row = begin + 1; row < end; ++row) {
      for (int64_t k = 0; k < width; ++k) {
        if (!(x[row * width + k] > out[k])) continue;
        out[k] = x[row * width + k];
        if (index != nullptr) index[k] = static_cast<int32_t>(row);
      }
    }
  }

  static void Combine(const T* x, int64_t begin, int64_t end, int64_t width,
                      std::string_view pooltype, T* out) {
    if (pooltype == "LAST") begin = end - 1;
    std::copy_n(x + begin * width, width, out);
    if (pooltype == "FIRST") return;
    const T factor = PoolingFactor<T>(pooltype, end - begin);
    for (int64_t row = begin + 1; row < end; ++row) {
      for (int64_t k = 0; k < width; ++k) out[k] += x[row * width + k];
    }
    for (int64_t k = 0; k < width && factor != T{1}; ++k) out[k] *= factor;
  }
};

template <typename S>
inline constexpr auto kSequencePoolSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kMaxIndex, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status SequencePoolKernel(const CpuContext& context, const DenseTensor& x,
                                std::string_view pooltype, float pad_value,
                                DenseTensor* out, DenseTensor* max_index) {
  return SequencePool<T>::Run(context, x, pooltype, pad_value, out, max_index);
}

// x_grad: the gradient of the row of each sequence, shared out among its rows.
template <typename T>
class SequencePoolGrad {
 public:
  static absl::Status Run(const DenseTensor& x, const DenseTensor* max_index,
                          const DenseTensor& out_grad,
                          std::string_view pooltype, DenseTensor* x_grad) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, SequenceCount(offsets)));
    if (x_grad == nullptr) return absl::OkStatus();
    const bool is_max = pooltype == "MAX";
    std::vector<int32_t> index;
    if (is_max) {
      SY_ASSIGN_OR_RETURN(index, CheckedIndices(*max_index, out_grad, offsets));
    }
    const int64_t width = RowWidth(*x_grad);
    T* dx = x_grad->mutable_data<T>();
    std::fill_n(dx, x_grad->numel(), T{0});
    const T* from = out_grad.data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i, from += width) {
      int64_t begin = offsets[i], end = offsets[i + 1];
      if (begin == end) continue;
      if (is_max) {
        for (int64_t k = 0; k < width; ++k) {
          dx[index[i * width + k] * width + k] = from[k];
        }
        continue;
      }
      if (pooltype == "FIRST") end = begin + 1;
      if (pooltype == "LAST") begin = end - 1;
      const T factor = PoolingFactor<T>(pooltype, end - begin);
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t k = 0; k < width; ++k) {
          dx[row * width + k] = from[k] * factor;
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  // A copy of the indices, each a row of its sequence.
  static absl::StatusOr<std::vector<int32_t>> CheckedIndices(
      const DenseTensor& max_index, const DenseTensor& out_grad,
      const Offsets& offsets) {
    if (max_index.shape() != out_grad.shape()) {
      return ArgumentError("max_index",
                           "of shape " + ToString(out_grad.shape()),
                           ToString(max_index.shape()));
    }
    const int64_t width = RowWidth(max_index);
    std::vector<int32_t> rows(max_index.data<int32_t>(),
                              max_index.data<int32_t>() + max_index.numel());
    for (int64_t i = 0; i < max_index.numel(); ++i) {
      const int64_t index = rows[i];
      const int64_t begin = offsets[i / width], end = offsets[i / width + 1];
      if (begin == end || (index >= begin && index < end)) continue;
      return RangeError(
          "max_index",
          "in [" + std::to_string(begin) + ", " + std::to_string(end) + ")",
          std::to_string(index));
    }
    return rows;
  }
};

template <typename S>
inline constexpr auto kSequencePoolGradSpec =
    KernelSpec<S>().Input(S::kMaxIndex, Fixed(DataType::kInt32));
template <typename T>
absl::Status SequencePoolGradKernel(const CpuContext&, const DenseTensor& x,
                                    const DenseTensor* max_index,
                                    const DenseTensor& out_grad,
                                    std::string_view pooltype,
                                    DenseTensor* x_grad) {
  return SequencePoolGrad<T>::Run(x, max_index, out_grad, pooltype, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_POOL_H_
