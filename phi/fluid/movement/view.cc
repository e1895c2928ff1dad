// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of reshape2, flatten_contiguous_range, squeeze2,
// transpose2 and split on the CPU. As in the original, where an
// output may share its input's memory, it does. XShape is a variable without
// elements, of which old gradients read the shape of X; ours have X itself.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/flatten.gen.h"
#include "phi/core/signatures/reshape.gen.h"
#include "phi/core/signatures/reshape_grad.gen.h"
#include "phi/core/signatures/split.gen.h"
#include "phi/core/signatures/squeeze.gen.h"
#include "phi/core/signatures/transpose.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/flatten.gen.h"
#include "phi/legacy/reshape.gen.h"
#include "phi/legacy/reshape_grad.gen.h"
#include "phi/legacy/split.gen.h"
#include "phi/legacy/squeeze.gen.h"
#include "phi/legacy/transpose.gen.h"

namespace switchyard::phi {
namespace fluid {

// Makes `out`, whose shape is known, the elements of a contiguous X one after
// another.
inline void ShareInOrder(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = {};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    // A product of an empty tensor's extents might not fit int64.
    stride = shape.numel() == 0 ? 1 : stride * shape.extent(i);
  }
  out->SetView(x, shape, strides, x.offset());
}

template <typename T>
class Reshape2Kernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    ShareInOrder(*context.Input("X"), context.Output("Out"));
    return absl::OkStatus();
  }
};

template <typename T>
class Reshape2GradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    ShareInOrder(*context.Input("Out@GRAD"), context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

// squeeze2: axes longer than 1 are the same ones, in their
// order.
template <typename T>
class UnitAxesKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    const Shape shape = out->shape();
    Strides strides = {};
    int own = x.rank() - 1;
    int64_t unit = 1;  // Of an axis of extent 1: what a row-major one has.
    for (int i = shape.rank() - 1; i >= 0; --i) {
      strides[i] = unit;
      if (shape.extent(i) == 1) continue;
      while (x.extent(own) == 1) --own;
      strides[i] = x.strides()[own];
      unit = shape.numel() == 0 ? 1 : strides[i] * shape.extent(i);
      --own;
    }
    out->SetView(x, shape, strides, x.offset());
    return absl::OkStatus();
  }
};

// Axis i of Out is axis axis[i] of X.
template <typename T>
class Transpose2Kernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const auto axes,
                        context.Attr<absl::Span<const int>>("axis"));
    const Shape shape = out->shape();
    Strides strides = {};
    for (int i = 0; i < shape.rank(); ++i) {
      strides[i] = x.strides()[axes[i] < 0 ? axes[i] + x.rank() : axes[i]];
    }
    out->SetView(x, shape, strides, x.offset());
    return absl::OkStatus();
  }
};

// Pieces of X along `axis`, one after another.
template <typename T>
class SplitKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    const int along = axis < 0 ? axis + x.rank() : axis;
    int64_t offset = x.offset();
    const DenseOutputs pieces = context.MultiOutput("Out");
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Shape shape = pieces[i]->shape();
      pieces[i]->SetView(x, shape, x.strides(), offset);
      // The strides of an empty tensor mean nothing.
      if (x.numel() > 0) offset += shape.extent(along) * x.strides()[along];
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

#define SY_MOVEMENT(op, Name, form, spec)                                     \
  constexpr auto k##Name##Spec = spec;                                        \
  SY_REGISTER_FLUID_KERNEL(op, cpu, fluid::Name##Kernel, form, k##Name##Spec, \
                           int32, int64, float32, float64)

SY_MOVEMENT(reshape, Reshape2, legacy_reshape2, KernelSpec<ReshapeSignature>());
SY_MOVEMENT(transpose, Transpose2, legacy_transpose2,
            KernelSpec<TransposeSignature>().AllStrided());
SY_MOVEMENT(split, Split, legacy_split,
            KernelSpec<SplitSignature>().AllStrided());

constexpr auto kReshapeGradSpec = KernelSpec<ReshapeGradSignature>().Input(
    ReshapeGradSignature::kX, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(reshape_grad, cpu, fluid::Reshape2GradKernel,
                         legacy_reshape2_grad, kReshapeGradSpec, float32,
                         float64);
constexpr auto kFlattenSpec = KernelSpec<FlattenSignature>();
SY_REGISTER_FLUID_KERNEL(flatten, cpu, fluid::Reshape2Kernel,
                         legacy_flatten_contiguous_range, kFlattenSpec, int32,
                         int64, float32, float64);
constexpr auto kSqueezeSpec = KernelSpec<SqueezeSignature>().AllStrided();
SY_REGISTER_FLUID_KERNEL(squeeze, cpu, fluid::UnitAxesKernel, legacy_squeeze2,
                         kSqueezeSpec, int32, int64, float32, float64);

}  // namespace switchyard::phi
