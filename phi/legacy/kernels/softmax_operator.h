// SPDX-License-Identifier: Apache-2.0
// SoftmaxOperator: the overrides of the legacy operator softmax.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_SOFTMAX_OPERATOR_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_SOFTMAX_OPERATOR_H_

#include "phi/core/signatures/softmax.gen.h"
#include "phi/legacy/kernels/operator_with_kernel.h"

namespace switchyard::phi::fluid {

// The overrides of softmax: which library serves a call, by its attributes and
// dtype.
struct SoftmaxOperator : OperatorWithKernel<SoftmaxSignature> {
  // oneDNN's where use_mkldnn says so, of float32 alone, which it has on every
  // CPU; else the plain kernel.
  static constexpr Expected GetExpectedKernelType(KernelType type) {
    if (type.library == Library::kPlain) return Expected::Always();
    return type.dtype == DataType::kFloat32 ? Expected::WhenAsked()
                                            : Expected::Never();
  }
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_SOFTMAX_OPERATOR_H_
