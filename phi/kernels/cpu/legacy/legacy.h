// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU of operators of old programs: elementwise_add, whose
// `axis` says where the smaller operand's axes stand, and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LEGACY_LEGACY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LEGACY_LEGACY_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/elementwise/elementwise.h"
#include "phi/kernels/cpu/reduction/reduce.h"

namespace switchyard::phi::kernels::cpu {

// An operand with axes of extent 1 after its own, so that these stand at
// `axis` of a tensor of `rank` when the two are broadcast.
inline DenseTensor AlignedAt(const DenseTensor& operand, int axis, int rank) {
  if (axis == -1 || operand.rank() == rank) return operand;
  Shape shape = operand.shape();
  Strides strides = operand.strides();
  while (shape.rank() < rank - axis) {
    strides[shape.rank()] = 0;
    shape.push_back(1);
  }
  DenseTensor view;
  view.SetView(operand, shape, strides, operand.offset());
  return view;
}

// Adds the elements [begin, end) of the two operands, of any dtype that
// elementwise_add has.
void AddRange(const ElementwiseCall& call, int64_t begin, int64_t end);

// Operands of one dtype: of a real and a complex one, which legacy kernels
// promote (phi/legacy/kernels/elementwise_operator.h), none is cast.
template <typename S>
inline constexpr auto kElementwiseAddSpec =
    KernelSpec<S>().AllStrided().KeepsLayout().Input(
        S::kY,
        WithAnyStrides(OneOf(DataTypeSet(DataType::kInt8, DataType::kInt32,
                                         DataType::kInt64, DataType::kFloat32,
                                         DataType::kFloat64))));
template <typename T>
absl::Status ElementwiseAddKernel(const CpuContext&, const DenseTensor& x,
                                  const DenseTensor& y, int axis,
                                  DenseTensor* out) {
  const DenseTensor a = AlignedAt(x, axis, out->rank());
  const DenseTensor b = AlignedAt(y, axis, out->rank());
  ElementwiseArguments arguments;
  arguments.Add(a);
  arguments.Add(b);
  arguments.Add(out);
  return arguments.Run(DataTypeOf<T>::value, &AddRange);
}

// grad = out_grad summed over the axes along which an operand of the shape of
// `grad`, standing at `axis` (-1: at the last ones), was broadcast.
template <typename T>
void SumTo(const DenseTensor& out_grad, int axis, DenseTensor* grad) {
  if (grad == nullptr) return;
  const int missing = out_grad.rank() - grad->rank();
  const int lead = axis == -1 || missing == 0 ? missing : axis;
  const auto plan = ReducePlan::ToShape(out_grad.shape(), grad->shape(), lead);
  Reduce<SumReduction<T>>(plan, out_grad.data<T>(), grad->mutable_data<T>());
}

template <typename S>
inline constexpr auto kElementwiseAddGradSpec =
    KernelSpec<S>()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kY, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ElementwiseAddGradKernel(const CpuContext&, const DenseTensor&,
                                      const DenseTensor&,
                                      const DenseTensor& out_grad, int axis,
                                      DenseTensor* x_grad,
                                      DenseTensor* y_grad) {
  SumTo<T>(out_grad, axis, x_grad);
  SumTo<T>(out_grad, axis, y_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LEGACY_LEGACY_H_
