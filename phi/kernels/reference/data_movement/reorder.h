// SPDX-License-Identifier: Apache-2.0
// The reference kernel of reorder: finds each element by its index in both
// layouts.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REORDER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REORDER_H_

#include <cstring>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/layout_descriptor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The position in memory of the element of x at an index; `in_memory` is x's
// ShapeInMemory().
inline int64_t FindPosition(const DenseTensor& x, const Shape& in_memory,
                            Index index) {
  const LayoutDescriptor layout = x.layout();
  int64_t position = 0;
  if (layout.strided()) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      position += index[axis] * x.strides()[axis];
    }
    return position;
  }
  // The inner blocks take the low digits of an axis' index.
  Index digits = {};
  for (int i = layout.num_blocks() - 1; i >= 0; --i) {
    const LayoutDescriptor::Block block = layout.block(i);
    digits[layout.rank() + i] = index[block.axis] % block.extent;
    index[block.axis] /= block.extent;
  }
  for (int i = 0; i < layout.rank(); ++i) digits[i] = index[layout.axis(i)];
  return Ravel(in_memory, digits);
}

template <typename S>
inline constexpr auto kReorderSpec = KernelSpec<S>()
                                         .Input(S::kX,
                                                WithAnyLayout(AnyStrides()))
                                         .Output(S::kOut,
                                                 WithAnyLayout(ArgDef()));
// To the layout of `out`, which is the one that the attribute names.
template <typename T>
absl::Status ReorderKernel(const ReferenceContext&, const DenseTensor& x,
                           std::string_view, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Shape from, ShapeInMemory(x.layout(), x.shape()));
  SY_ASSIGN_OR_RETURN(const Shape to, ShapeInMemory(out->layout(), x.shape()));
  std::memset(out->mutable_data<T>(), 0, to.numel() * sizeof(T));
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Index index = Unravel(x.shape(), i);
    out->mutable_data<T>()[FindPosition(*out, to, index)] =
        x.data<T>()[FindPosition(x, from, index)];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REORDER_H_
