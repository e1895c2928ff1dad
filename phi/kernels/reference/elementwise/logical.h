// SPDX-License-Identifier: Apache-2.0
// Reference kernels: logic on truth values.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGICAL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGICAL_H_

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_TRUTH_2(LogicalAnd, a, b, a != 0 && b != 0)
SY_FORMULA_TRUTH_2(LogicalOr, a, b, a != 0 || b != 0)
SY_FORMULA_TRUTH_2(LogicalXor, a, b, (a != 0) != (b != 0))
SY_FORMULA_TRUTH_1(LogicalNot, v, v == 0)

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGICAL_H_
