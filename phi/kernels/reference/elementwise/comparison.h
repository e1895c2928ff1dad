// SPDX-License-Identifier: Apache-2.0
// Reference kernels: comparisons.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPARISON_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPARISON_H_

#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_TRUTH_2(Equal, a, b, a == b)
SY_FORMULA_TRUTH_2(NotEqual, a, b, a != b)
SY_FORMULA_TRUTH_2(LessThan, a, b, a < b)
SY_FORMULA_TRUTH_2(LessEqual, a, b, a <= b)
SY_FORMULA_TRUTH_2(GreaterThan, a, b, a > b)
SY_FORMULA_TRUTH_2(GreaterEqual, a, b, a >= b)
SY_FORMULA_TRUTH_1(Isnan, v, v != v)
SY_FORMULA_TRUTH_1(Isinf, v, std::isinf(static_cast<double>(v)))
SY_FORMULA_TRUTH_1(Isfinite, v, std::isfinite(static_cast<double>(v)))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPARISON_H_
