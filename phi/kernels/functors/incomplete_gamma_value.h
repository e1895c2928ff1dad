// SPDX-License-Identifier: Apache-2.0
// The regularized incomplete gamma functions of one double, for the functors of
// incomplete_gamma.h. They are compiled once, while a functor is read for each
// instruction set.
#ifndef SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_VALUE_H_
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_VALUE_H_

namespace switchyard::phi::kernels {

// The integrals of t^(a-1) exp(-t) from 0 to x and from there on, divided by
// gamma(a); each is right where it is near 0.
struct IncompleteGamma {
  double lower;
  double upper;
};

// Returns both; NaN where a or x is below 0, and where both are 0 or infinite.
IncompleteGamma IncompleteGammaOf(double a, double x);

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_VALUE_H_
