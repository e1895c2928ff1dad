// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of concat and its gradient on the CPU.
#include <algorithm>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/concat.gen.h"
#include "phi/core/signatures/concat_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/concat.gen.h"
#include "phi/legacy/concat_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The elements of a contiguous tensor as rows, one for each index of the axes
// before `axis`.
struct RowsBefore {
  int64_t count, length;

  RowsBefore(const Shape& shape, int axis) {
    const int along = axis < 0 ? axis + shape.rank() : axis;
    const bool empty = shape.numel() == 0;
    count = empty ? 0 : shape.numel(0, along);
    length = empty ? 0 : shape.numel(along, shape.rank());
  }
};

// Out: the tensors of X one after another along `axis`.
template <typename T>
class ConcatKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    const RowsBefore whole(out->shape(), axis);
    T* begin = out->template mutable_data<T>();
    const DenseList xs = context.MultiInput("X");
    for (size_t k = 0; k < xs.size(); ++k) {
      const DenseTensor& x = xs[k];
      const RowsBefore rows(x.shape(), axis);
      for (int64_t i = 0; i < rows.count; ++i) {
        std::copy_n(x.data<T>() + i * rows.length, rows.length,
                    begin + i * whole.length);
      }
      begin += rows.length;
    }
    return absl::OkStatus();
  }
};

// X@GRAD: the pieces of Out@GRAD along `axis`.
template <typename T>
class ConcatGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    const RowsBefore whole(grad.shape(), axis);
    const DenseList xs = context.MultiInput("X");
    const DenseOutputs x_grads = context.MultiOutput("X@GRAD");
    const T* begin = grad.data<T>();
    for (size_t k = 0; k < xs.size(); ++k) {
      const RowsBefore rows(xs[k].shape(), axis);
      for (int64_t i = 0; i < rows.count && x_grads[k] != nullptr; ++i) {
        std::copy_n(begin + i * whole.length, rows.length,
                    x_grads[k]->template mutable_data<T>() + i * rows.length);
      }
      begin += rows.length;
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kConcatSpec = KernelSpec<ConcatSignature>();
SY_REGISTER_FLUID_KERNEL(concat, cpu, fluid::ConcatKernel, legacy_concat,
                         kConcatSpec, int32, int64, float32, float64);
constexpr auto kConcatGradSpec = KernelSpec<ConcatGradSignature>().Input(
    ConcatGradSignature::kX, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(concat_grad, cpu, fluid::ConcatGradKernel,
                         legacy_concat_grad, kConcatGradSpec, float32, float64);

}  // namespace switchyard::phi
