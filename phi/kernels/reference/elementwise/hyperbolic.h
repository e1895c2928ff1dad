// SPDX-License-Identifier: Apache-2.0
// Reference kernels: the hyperbolic functions but tanh.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_HYPERBOLIC_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_HYPERBOLIC_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Sinh, Wide, v, std::sinh(v))
SY_FORMULA_1(Cosh, Wide, v, std::cosh(v))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_HYPERBOLIC_H_
