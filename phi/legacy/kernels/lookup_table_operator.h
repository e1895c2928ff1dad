// SPDX-License-Identifier: Apache-2.0
// LookupTableOperator: the overrides of the legacy operator lookup_table.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_LOOKUP_TABLE_OPERATOR_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_LOOKUP_TABLE_OPERATOR_H_

#include "phi/legacy/kernels/op_kernel.h"
#include "phi/legacy/kernels/operator_with_kernel.h"

namespace switchyard::phi::fluid {

// The overrides of lookup_table and its gradient, whose signature is S: their
// kernels read ids where the host can.
template <typename S>
struct LookupTableOperator : OperatorWithKernel<S> {
  // Ids keep their dtype, whatever the table's, and stay where they are: the
  // kernels read them on the host.
  static constexpr ArgDef GetKernelTypeForVar(int input, KernelType type) {
    if (input == S::kIds) return OnHost(KernelTypeOf(DataType::kInt64));
    return OperatorWithKernel<S>::GetKernelTypeForVar(input, type);
  }
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_LOOKUP_TABLE_OPERATOR_H_
