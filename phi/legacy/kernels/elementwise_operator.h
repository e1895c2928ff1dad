// SPDX-License-Identifier: Apache-2.0
// ElementwiseOperator: the overrides of legacy operators on two operands, by
// which a real and a complex one are added. OperatorWithKernel
// (phi/legacy/kernels/operator_with_kernel.h) says what overrides are.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_ELEMENTWISE_OPERATOR_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_ELEMENTWISE_OPERATOR_H_

#include "phi/legacy/kernels/op_kernel.h"
#include "phi/legacy/kernels/operator_with_kernel.h"

namespace switchyard::phi::fluid {

// The overrides of an operator whose signature is S. The kernel that a call
// expects is of the dtype of X.
template <typename S>
struct ElementwiseOperator : OperatorWithKernel<S> {
  // A complex kernel has a real operand cast to its own dtype. Another one
  // takes its operands as they are: cast to a real dtype, a complex operand
  // would lose its imaginary part.
  static constexpr ArgDef GetKernelTypeForVar(int /*input*/, KernelType type) {
    return IsComplex(type.dtype) ? KernelTypeOf(type.dtype)
                                 : OneOf(DataTypeSet(type.dtype));
  }
};

// The overrides for calls of which X is real and Y complex: they expect the
// kernel of Y's dtype, though X is what they are found by. Such a kernel has
// the key of X's dtype, and computes in the complex one of that precision.
template <typename S>
struct PromotedElementwiseOperator : OperatorWithKernel<S> {
  static constexpr Expected GetExpectedKernelType(KernelType type) {
    return IsFloating(type.dtype) && RealOf(ComplexOf(type.dtype)) == type.dtype
               ? Expected::Always()
               : Expected::Never();
  }
  // X is cast; Y decides, so it stays.
  static constexpr ArgDef GetKernelTypeForVar(int input, KernelType type) {
    const DataType complex = ComplexOf(type.dtype);
    return input == S::kX ? KernelTypeOf(complex) : OneOf(DataTypeSet(complex));
  }
};

// The overrides of a gradient: of its operands it reads the shapes alone.
template <typename S>
struct ElementwiseGradOperator : OperatorWithKernel<S> {
  static constexpr ArgDef GetKernelTypeForVar(int input, KernelType type) {
    if (input == S::kX || input == S::kY) return WithAnyStrides(AnyDtype());
    return OperatorWithKernel<S>::GetKernelTypeForVar(input, type);
  }
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_ELEMENTWISE_OPERATOR_H_
