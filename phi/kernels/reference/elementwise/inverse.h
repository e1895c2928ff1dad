// SPDX-License-Identifier: Apache-2.0
// Reference kernels: inverses of the trigonometric and hyperbolic functions.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INVERSE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INVERSE_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Acos, Wide, v, std::acos(v))
SY_FORMULA_1(Asin, Wide, v, std::asin(v))
SY_FORMULA_1(Atan, Wide, v, std::atan(v))
SY_FORMULA_1(Acosh, Wide, v, std::acosh(v))
SY_FORMULA_1(Asinh, Wide, v, std::asinh(v))
SY_FORMULA_1(Atanh, Wide, v, std::atanh(v))
SY_FORMULA_2(Atan2, Wide, a, b, static_cast<double>(atan2l(a, b)))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INVERSE_H_
