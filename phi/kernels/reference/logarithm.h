// SPDX-License-Identifier: Apache-2.0
// Reference kernels: logarithms but the natural one, and the loss made of them.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LOGARITHM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LOGARITHM_H_

#include <cmath>

#include "phi/kernels/reference/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Log2, Wide, v, std::log2(v))
SY_FORMULA_1(Log10, Wide, v, std::log10(v))
SY_FORMULA_1(Log1p, Wide, v, std::log1p(v))

// -100 for what is below it; NaN stays.
inline double FromMinus100(double v) { return v < -100 ? -100 : v; }
SY_FORMULA_2(BceLoss, Wide, p, label,
             -(label* FromMinus100(std::log(p)) +
               (1 - label) * FromMinus100(std::log(1 - p))))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LOGARITHM_H_
