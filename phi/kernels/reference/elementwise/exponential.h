// SPDX-License-Identifier: Apache-2.0
// Reference kernels: exponentials and what is like them.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPONENTIAL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPONENTIAL_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Exp, Wide, v, std::exp(v))
SY_FORMULA_1(Log, Wide, v, std::log(v))
SY_FORMULA_1(Erf, Wide, v, std::erf(v))

// 2 / sqrt(pi) e^(-v^2); double would round the square.
inline long double SlopeOfErf(long double v) {
  return M_2_SQRTPIl * expl(-v * v);
}
SY_FORMULA_2(ErfGrad, Wide, v, grad, static_cast<double>(grad* SlopeOfErf(v)))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPONENTIAL_H_
