// SPDX-License-Identifier: Apache-2.0
// Reference kernels: sine, cosine and tangent.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_TRIGONOMETRIC_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_TRIGONOMETRIC_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Sin, Wide, v, std::sin(v))
SY_FORMULA_1(Cos, Wide, v, std::cos(v))
SY_FORMULA_1(Tan, Wide, v, std::tan(v))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_TRIGONOMETRIC_H_
