// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of powers and exponentials on the CPU.
#include <cmath>

#include "phi/core/signatures/exp.gen.h"
#include "phi/core/signatures/sqrt.gen.h"
#include "phi/fluid/elementwise/function_kernel.h"
#include "phi/legacy/exp.gen.h"
#include "phi/legacy/sqrt.gen.h"

namespace switchyard::phi {
namespace fluid {

struct SquareRoot {
  template <typename N>
  N operator()(N v) const {
    return std::sqrt(v);
  }
};
template <typename T>
using SqrtKernel = FunctionKernel<T, SquareRoot>;

struct Exponential {
  double operator()(double v) const { return std::exp(v); }
};
template <typename T>
using ExpKernel = FunctionKernel<T, Exponential, double>;

}  // namespace fluid

SY_FLUID_ELEMENTWISE_KERNEL(exp, Exp, legacy_exp);
SY_FLUID_ELEMENTWISE_KERNEL(sqrt, Sqrt, legacy_sqrt);

}  // namespace switchyard::phi
