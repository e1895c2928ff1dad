// SPDX-License-Identifier: Apache-2.0
// Special functions of one double, by Eigen and C's library, for functors that
// go lane by lane (special_function.h). They are compiled once, while a functor
// is read for each instruction set. Outside its domain a function is NaN.
#ifndef SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_VALUE_H_
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_VALUE_H_

namespace switchyard::phi::kernels {

// The number whose error function is x; infinite at -1 and 1.
double InverseErf(double x);

// log(x / (1 - x)); infinite at 0 and 1.
double LogOdds(double x);

// The logarithm of |gamma(x)|; infinite at 0 and the negative integers.
double LogGamma(double x);

// The derivative of LogGamma, NaN at its poles.
double Digamma(double x);

// The derivative of Digamma, infinite at the poles.
double Trigamma(double x);

// The modified Bessel functions of the first kind, of order 0 and 1; `e`: times
// exp(-|x|), which does not overflow.
double BesselI0(double x);
double BesselI0e(double x);
double BesselI1(double x);
double BesselI1e(double x);

// The derivatives of BesselI0e and BesselI1e.
double BesselI0eSlope(double x);
double BesselI1eSlope(double x);

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_VALUE_H_
