// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of slice and its gradient on the CPU. Tensors may
// have given `starts` and `ends` (StartsTensor, EndsTensorList, ...): what
// launches a kernel has read them by then.
#include <algorithm>
#include <array>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/legacy_slice.gen.h"
#include "phi/core/signatures/legacy_slice_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/legacy_slice.gen.h"
#include "phi/legacy/legacy_slice_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The part of Input that a slice takes: along each axis of Out an axis of
// Input, from a position on. The axes `decrease_axis` have one element and are
// none of Out's.
struct Taken {
  std::array<int64_t, kMaxRank> begin = {};  // By the axes of Input.
  std::array<int, kMaxRank> axis = {};       // By the axes of Out.

  static absl::StatusOr<Taken> Of(const ExecutionContext& context,
                                  const Shape& whole) {
    using Axes = absl::Span<const int64_t>;
    SY_ASSIGN_OR_RETURN(const Axes axes, context.Attr<Axes>("axes"));
    SY_ASSIGN_OR_RETURN(const IntArray starts,
                        context.Attr<IntArray>("starts"));
    SY_ASSIGN_OR_RETURN(const Axes decreased,
                        context.Attr<Axes>("decrease_axis"));
    const int rank = whole.rank();
    Taken taken;
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t along = axes[i] < 0 ? axes[i] + rank : axes[i];
      const int64_t extent = whole.extent(static_cast<int>(along));
      const int64_t start = starts[i] < 0 ? starts[i] + extent : starts[i];
      taken.begin[along] = std::min(std::max<int64_t>(start, 0), extent);
    }
    int kept = 0;
    for (int i = 0; i < rank; ++i) {
      const bool drops = std::any_of(
          decreased.begin(), decreased.end(),
          [&](int64_t axis) { return axis == i || axis + rank == i; });
      if (!drops) taken.axis[kept++] = i;
    }
    return taken;
  }
};

// Out: a view of Input.
template <typename T>
class SliceKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("Input");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const Taken taken, Taken::Of(context, x.shape()));
    const Shape shape = out->shape();
    Strides strides = {};
    for (int i = 0; i < shape.rank(); ++i) {
      strides[i] = x.strides()[taken.axis[i]];
    }
    int64_t offset = x.offset();
    // The strides of an empty tensor mean nothing.
    for (int i = 0; i < x.rank() && x.numel() > 0; ++i) {
      offset += taken.begin[i] * x.strides()[i];
    }
    out->SetView(x, shape, strides, offset);
    return absl::OkStatus();
  }
};

// Input@GRAD: Out@GRAD where the slice took its elements, 0 elsewhere.
template <typename T>
class SliceGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("Input@GRAD");
    SY_ASSIGN_OR_RETURN(const Taken taken, Taken::Of(context, x_grad->shape()));
    T* const to = x_grad->template mutable_data<T>();
    std::fill_n(to, x_grad->numel(), T{0});
    const T* const from = grad.data<T>();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      std::array<int64_t, kMaxRank> place = taken.begin;
      int64_t rest = i;
      for (int k = grad.rank() - 1; k >= 0; --k) {
        place[taken.axis[k]] += rest % grad.extent(k);
        rest /= grad.extent(k);
      }
      int64_t at = 0;
      for (int axis = 0; axis < x_grad->rank(); ++axis) {
        at = at * x_grad->extent(axis) + place[axis];
      }
      to[at] = from[i];
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kLegacySliceSpec =
    KernelSpec<LegacySliceSignature>().AllStrided();
SY_REGISTER_FLUID_KERNEL(legacy_slice, cpu, fluid::SliceKernel, legacy_slice,
                         kLegacySliceSpec, int32, int64, float32, float64);
constexpr auto kLegacySliceGradSpec =
    KernelSpec<LegacySliceGradSignature>().Input(
        LegacySliceGradSignature::kInput, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(legacy_slice_grad, cpu, fluid::SliceGradKernel,
                         legacy_slice_grad, kLegacySliceGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
