// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_pool and its gradient on the CPU.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/sequence_pool.gen.h"
#include "phi/core/signatures/sequence_pool_grad.gen.h"
#include "phi/legacy/forms/sequence_pool.gen.h"
#include "phi/legacy/forms/sequence_pool_grad.gen.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/sequence/offsets.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Elements that are worth a thread.
constexpr int64_t kGrain = 16384;

// Returns what a sum of `length` rows is multiplied by.
template <typename T>
T FactorOf(std::string_view pooltype, int64_t length) {
  if (pooltype == "AVERAGE") return T{1} / static_cast<T>(length);
  if (pooltype == "SQRT") return T{1} / std::sqrt(static_cast<T>(length));
  return T{1};
}

}  // namespace

// Out: [sequences, ...], a row for each sequence of X, pad_value for one
// without rows. MaxIndex: int32 like Out, the rows of X that the elements are
// from (-1: none), where pooltype is MAX; else empty. Levels above the last one
// stay.
template <typename T>
class SequencePoolCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const auto pooltype,
                        context.Attr<std::string_view>("pooltype"));
    SY_ASSIGN_OR_RETURN(const float pad_value,
                        context.Attr<float>("pad_value"));
    if (x.extent(0) > std::numeric_limits<int32_t>::max()) {
      return ArgumentError("x", "of less than 2^31 rows", ToString(x.shape()));
    }
    const Offsets& offsets = lod->offsets.back();
    const Shape shape = WithRows(x.shape(), SequenceCount(offsets));
    const bool is_max = pooltype == "MAX";
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), shape));
    SY_RETURN_IF_ERROR(context.Allocate("MaxIndex", DataType::kInt32,
                                        is_max ? shape : Shape({0})));
    DenseTensor* out = context.Output("Out");
    DenseTensor* max_index = context.Output("MaxIndex");
    int32_t* indices = !is_max || max_index == nullptr
                           ? nullptr
                           : max_index->mutable_data<int32_t>();
    T* pooled = out->template mutable_data<T>();
    const int64_t width = RowWidth(x);
    ParallelFor(0, SequenceCount(offsets), kGrain / std::max<int64_t>(width, 1),
                [&](int64_t first, int64_t last) {
                  for (int64_t i = first; i < last; ++i) {
                    T* to = pooled + i * width;
                    int32_t* index =
                        indices == nullptr ? nullptr : indices + i * width;
                    if (offsets[i] == offsets[i + 1]) {
                      std::fill_n(to, width, static_cast<T>(pad_value));
                      if (index != nullptr) std::fill_n(index, width, -1);
                    } else if (is_max) {
                      Maximum(x.data<T>(), offsets[i], offsets[i + 1], width,
                              to, index);
                    } else {
                      Combine(x.data<T>(), offsets[i], offsets[i + 1], width,
                              pooltype, to);
                    }
                  }
                });
    if (lod->offsets.size() > 1) {
      LoD above = *lod;
      above.offsets.pop_back();
      context.SetLod("Out", std::move(above));
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
    const T factor = FactorOf<T>(pooltype, end - begin);
    for (int64_t row = begin + 1; row < end; ++row) {
      for (int64_t k = 0; k < width; ++k) out[k] += x[row * width + k];
    }
    for (int64_t k = 0; k < width && factor != T{1}; ++k) out[k] *= factor;
  }
};

// X@GRAD: the gradient of the row of each sequence, shared out among its rows.
template <typename T>
class SequencePoolGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const auto pooltype,
                        context.Attr<std::string_view>("pooltype"));
    DenseTensor* x_grad = context.Output("X@GRAD");
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckRows(out_grad, SequenceCount(offsets)));
    if (x_grad == nullptr) return absl::OkStatus();
    const bool is_max = pooltype == "MAX";
    const DenseTensor* max_index = context.Input("MaxIndex");
    std::vector<int32_t> index;
    if (is_max) {
      SY_ASSIGN_OR_RETURN(index, CheckedIndices(*max_index, out_grad, offsets));
    }
    const int64_t width = RowWidth(*x_grad);
    T* dx = x_grad->template mutable_data<T>();
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
      const T factor = FactorOf<T>(pooltype, end - begin);
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

}  // namespace fluid

constexpr auto kSequencePoolSpec =
    KernelSpec<SequencePoolSignature>()
        .Output(SequencePoolSignature::kOut, SelfAllocated(ArgDef()))
        .Output(SequencePoolSignature::kMaxIndex,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt32)));
SY_REGISTER_LEGACY_KERNEL(sequence_pool, cpu, fluid::SequencePoolCpuKernel,
                          legacy_sequence_pool, kSequencePoolSpec, float32,
                          float64);

constexpr auto kSequencePoolGradSpec =
    KernelSpec<SequencePoolGradSignature>().Input(
        SequencePoolGradSignature::kMaxIndex,
        fluid::KernelTypeOf(DataType::kInt32));
SY_REGISTER_LEGACY_KERNEL(sequence_pool_grad, cpu,
                          fluid::SequencePoolGradCpuKernel,
                          legacy_sequence_pool_grad, kSequencePoolGradSpec,
                          float32, float64);

}  // namespace switchyard::phi
