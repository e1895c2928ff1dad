// SPDX-License-Identifier: Apache-2.0
// Reference kernels: the incomplete gamma functions, by the series and the
// continued fraction in long double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INCOMPLETE_GAMMA_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INCOMPLETE_GAMMA_H_

#include <cmath>
#include <limits>

#include "phi/kernels/reference/elementwise/formula.h"
#include "phi/kernels/reference/elementwise/special_function.h"

namespace switchyard::phi::kernels::reference {

// The lower function, by its series.
inline long double LowerIncompleteGamma(long double a, long double x) {
  long double term = 1, sum = 1;
  for (long double n = a + 1; term > sum * 1e-21L; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum * expl(a * logl(x) - x - LogGamma(a + 1));
}

// The upper function for x from a + 1 on, by the continued fraction, from its
// end to its beginning.
inline long double UpperIncompleteGamma(long double a, long double x) {
  long double rest = x + 4001 - a;
  for (int k = 2000; k > 0; --k) rest = x + 2 * k - 1 - a - k * (k - a) / rest;
  return expl(a * logl(x) - x - LogGamma(a)) / rest;
}

// One of both. NaN below 0, and where both ends of the domain meet.
inline long double RegularizedGamma(long double a, long double x, bool upper) {
  using Limits = std::numeric_limits<long double>;
  if (!(a >= 0) || !(x >= 0)) return Limits::quiet_NaN();
  const bool all = a == 0 || std::isinf(x), none = x == 0 || std::isinf(a);
  if (all && none) return Limits::quiet_NaN();
  if (all || none) return all != upper ? 1 : 0;
  if (x < a + 1) {
    const long double lower = LowerIncompleteGamma(a, x);
    return upper ? 1 - lower : lower;
  }
  const long double rest = UpperIncompleteGamma(a, x);
  return upper ? rest : 1 - rest;
}

SY_FORMULA_2(Gammainc, Wide, a, x,
             static_cast<double>(RegularizedGamma(a, x, false)))
SY_FORMULA_2(Gammaincc, Wide, a, x,
             static_cast<double>(RegularizedGamma(a, x, true)))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_INCOMPLETE_GAMMA_H_
