// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/data_movement.h"

#include <cstring>

#include "framework/device/cpu/strided_copy.h"
#include "phi/core/image_layouts.h"
#include "phi/kernels/views/view.h"

namespace switchyard::phi::kernels::cpu {

void MoveAll(const DenseTensor& x, DenseTensor* out) {
  CopyStrided(ElementSize(x.dtype()), x.shape(), x.raw_data(), x.strides(),
              out->mutable_data<char>(), out->strides());
}

absl::Status ConcatLayouts(const LayoutCall& call, int axis,
                           TensorLayouts* layouts) {
  if (layouts->inputs.empty()) return absl::OkStatus();
  constexpr int kChannelAxis = 1;
  const LayoutDescriptor first = layouts->inputs[0];
  const int64_t block = ChannelBlock(first, "NCHW");
  const auto takes = [&](size_t i) {
    return layouts->inputs[i] == first && call.inputs[i]->rank() == 4 &&
           (*call.inputs[i])[kChannelAxis].known() &&
           call.inputs[i]->extent(kChannelAxis) % block == 0;
  };
  bool blocked =
      block > 0 && (axis == kChannelAxis || axis == kChannelAxis - 4);
  for (size_t i = 0; i < call.inputs.size() && blocked; ++i) {
    blocked = takes(i);
  }
  if (blocked) {
    layouts->outputs[0] = first;
  } else {
    TakeStrided(layouts);
  }
  return absl::OkStatus();
}

absl::Status MoveConcat(DenseList x, int axis, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, out->rank()));
  if (out->numel() == 0) return absl::OkStatus();
  const size_t size = ElementSize(out->dtype());
  char* to = out->mutable_data<char>();
  if (!out->layout().strided()) {
    // Axis 1 is that of the blocks, in memory as in the layout.
    const Strides strides =
        ContiguousStrides(*ShapeInMemory(out->layout(), out->shape()));
    for (size_t i = 0; i < x.size(); ++i) {
      const Shape own = *ShapeInMemory(x[i].layout(), x[i].shape());
      if (x[i].raw_data() != to) {
        CopyStrided(size, own, x[i].raw_data(), ContiguousStrides(own), to,
                    strides);
      }
      to += own.extent(axis) * strides[axis] * size;
    }
    return absl::OkStatus();
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].raw_data() != to) {
      CopyStrided(size, x[i].shape(), x[i].raw_data(), x[i].strides(), to,
                  out->strides());
    }
    to += x[i].extent(axis) * out->strides()[axis] * size;
  }
  return absl::OkStatus();
}

absl::Status MoveConcatGrad(const DenseTensor& out_grad, int axis,
                            DenseOutputs x_grad) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, out_grad.rank()));
  // A piece that is not wanted still has its place, but no tensor to tell how
  // long it is: callers want all pieces or know the extents.
  const size_t size = ElementSize(out_grad.dtype());
  const char* from = out_grad.data<char>();
  for (size_t i = 0; i < x_grad.size(); ++i) {
    if (x_grad[i] == nullptr) {
      return absl::InternalError("x_grad: every piece must be wanted");
    }
    if (out_grad.numel() == 0) continue;
    CopyStrided(size, x_grad[i]->shape(), from, out_grad.strides(),
                x_grad[i]->mutable_data<char>(), x_grad[i]->strides());
    from += x_grad[i]->extent(axis) * out_grad.strides()[axis] * size;
  }
  return absl::OkStatus();
}

absl::Status MoveSliceGrad(const DenseTensor& out_grad,
                           absl::Span<const int64_t> axes, IntArray starts,
                           absl::Span<const int64_t> dropped,
                           DenseTensor* input_grad) {
  if (input_grad->numel() == 0) return absl::OkStatus();
  const size_t size = ElementSize(input_grad->dtype());
  char* to = input_grad->mutable_data<char>();
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], input_grad->rank()));
    offset += ClampStart(starts[i], input_grad->extent(axis)) *
              input_grad->strides()[axis];
  }
  SY_ASSIGN_OR_RETURN(const Strides strides,
                      StridesWithout(*input_grad, dropped));
  std::memset(to, 0, input_grad->numel() * size);
  CopyStrided(size, out_grad.shape(), out_grad.raw_data(), out_grad.strides(),
              to + offset * size, strides);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
