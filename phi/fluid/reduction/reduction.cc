// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of reductions and their gradients on the CPU. Sums
// are double's, and rounded once.
#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/signatures/max.gen.h"
#include "phi/core/signatures/mean.gen.h"
#include "phi/core/signatures/mean_grad.gen.h"
#include "phi/core/signatures/min.gen.h"
#include "phi/core/signatures/sum.gen.h"
#include "phi/core/signatures/sum_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/max.gen.h"
#include "phi/legacy/mean.gen.h"
#include "phi/legacy/mean_grad.gen.h"
#include "phi/legacy/min.gen.h"
#include "phi/legacy/sum.gen.h"
#include "phi/legacy/sum_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Goes through the elements of a tensor in row-major order and says which
// result each goes into, that has the other axes alone.
class ReducedIndex {
 public:
  // `dim`: the axes that are reduced; empty: all.
  ReducedIndex(const Shape& shape, absl::Span<const int64_t> dim)
      : shape_(shape) {
    bool reduced[kMaxRank] = {};
    for (const int64_t axis : dim) {
      reduced[axis < 0 ? axis + shape.rank() : axis] = true;
    }
    int64_t stride = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
      strides_[i] = dim.empty() || reduced[i] ? 0 : stride;
      if (strides_[i] != 0) stride *= shape.extent(i);
    }
  }

  int64_t result() const { return result_; }
  void Next() {
    for (int i = shape_.rank() - 1; i >= 0; --i) {
      result_ += strides_[i];
      if (++index_[i] < shape_.extent(i)) return;
      result_ -= strides_[i] * shape_.extent(i);
      index_[i] = 0;
    }
  }

 private:
  const Shape& shape_;
  int64_t strides_[kMaxRank] = {};
  int64_t index_[kMaxRank] = {};
  int64_t result_ = 0;
};

// The sums of X along `dim`.
template <typename T>
absl::StatusOr<std::vector<double>> SumsOf(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  SY_ASSIGN_OR_RETURN(const auto dim, context.Attr<IntArray>("dim"));
  std::vector<double> sums(context.Output("Out")->numel());
  ReducedIndex at(x.shape(), dim);
  for (int64_t i = 0; i < x.numel(); ++i, at.Next()) {
    sums[at.result()] += double{x.data<T>()[i]};
  }
  return sums;
}

template <typename T>
class ReduceSumKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const auto sums, SumsOf<T>(context));
    T* out = context.Output("Out")->template mutable_data<T>();
    for (const double sum : sums) *out++ = static_cast<T>(sum);
    return absl::OkStatus();
  }
};

// A mean of no elements is NaN.
template <typename T>
class ReduceMeanKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const auto sums, SumsOf<T>(context));
    if (sums.empty()) return absl::OkStatus();
    const double count = static_cast<double>(context.Input("X")->numel()) /
                         static_cast<double>(sums.size());
    T* out = context.Output("Out")->template mutable_data<T>();
    for (const double sum : sums) *out++ = static_cast<T>(sum / count);
    return absl::OkStatus();
  }
};

// The largest or smallest element along `dim`; NaN if there is one.
template <typename T, bool kLargest>
class ReduceExtremeKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const auto dim, context.Attr<IntArray>("dim"));
    std::vector<bool> begun(out->numel());
    T* extremes = out->template mutable_data<T>();
    ReducedIndex at(x.shape(), dim);
    for (int64_t i = 0; i < x.numel(); ++i, at.Next()) {
      const T v = x.data<T>()[i];
      T& extreme = extremes[at.result()];
      const bool better = kLargest ? v > extreme : v < extreme;
      if (!begun[at.result()] || better || v != v) extreme = v;
      begun[at.result()] = true;
    }
    return absl::OkStatus();
  }
};
template <typename T>
using ReduceMaxKernel = ReduceExtremeKernel<T, true>;
template <typename T>
using ReduceMinKernel = ReduceExtremeKernel<T, false>;

// X@GRAD is Out@GRAD, repeated along `dim`, as a part of `kShared` elements.
template <typename T, bool kShared>
class ReduceGradKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    SY_ASSIGN_OR_RETURN(const auto dim, context.Attr<IntArray>("dim"));
    const double count = !kShared || grad.numel() == 0
                             ? 1
                             : static_cast<double>(x_grad->numel()) /
                                   static_cast<double>(grad.numel());
    T* to = x_grad->template mutable_data<T>();
    ReducedIndex at(x_grad->shape(), dim);
    for (int64_t i = 0; i < x_grad->numel(); ++i, at.Next()) {
      to[i] = static_cast<T>(double{grad.data<T>()[at.result()]} / count);
    }
    return absl::OkStatus();
  }
};
template <typename T>
using ReduceSumGradKernel = ReduceGradKernel<T, false>;
template <typename T>
using ReduceMeanGradKernel = ReduceGradKernel<T, true>;

}  // namespace fluid

#define SY_REDUCTION(op, Name, form, spec)                             \
  constexpr auto k##Name##Spec = spec;                                 \
  SY_REGISTER_FLUID_KERNEL(op, cpu, fluid::Reduce##Name##Kernel, form, \
                           k##Name##Spec, float16, bfloat16, float32, float64)

SY_REDUCTION(sum, Sum, legacy_reduce_sum, KernelSpec<SumSignature>());
SY_REDUCTION(mean, Mean, legacy_reduce_mean, KernelSpec<MeanSignature>());
SY_REDUCTION(max, Max, legacy_reduce_max, KernelSpec<MaxSignature>());
SY_REDUCTION(min, Min, legacy_reduce_min, KernelSpec<MinSignature>());
// They read no element of X.
SY_REDUCTION(sum_grad, SumGrad, legacy_reduce_sum_grad,
             KernelSpec<SumGradSignature>().Input(SumGradSignature::kX,
                                                  WithAnyStrides(AnyDtype())));
SY_REDUCTION(mean_grad, MeanGrad, legacy_reduce_mean_grad,
             KernelSpec<MeanGradSignature>().Input(MeanGradSignature::kX,
                                                   WithAnyStrides(AnyDtype())));

}  // namespace switchyard::phi
