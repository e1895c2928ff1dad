// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of arithmetic on one tensor on the CPU.
#include <cmath>

#include "framework/types/scalar.h"
#include "phi/core/signatures/abs.gen.h"
#include "phi/core/signatures/scale.gen.h"
#include "phi/fluid/elementwise/function_kernel.h"
#include "phi/legacy/abs.gen.h"
#include "phi/legacy/scale.gen.h"

namespace switchyard::phi {
namespace fluid {

struct AbsoluteValue {
  template <typename N>
  N operator()(N v) const {
    return std::fabs(v);
  }
};
template <typename T>
using AbsKernel = FunctionKernel<T, AbsoluteValue>;

// Out = scale X + bias, or scale (X + bias).
template <typename T>
class ScaleKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Scalar factor, context.Attr<Scalar>("scale"));
    SY_ASSIGN_OR_RETURN(const Scalar summand, context.Attr<Scalar>("bias"));
    SY_ASSIGN_OR_RETURN(const bool after,
                        context.Attr<bool>("bias_after_scale"));
    const auto scale = factor.to<Number<T>>();
    const auto bias = summand.to<Number<T>>();
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    if (after) {
      Map<T>(
          x, [=](Number<T> v) { return v * scale + bias; }, out);
    } else {
      Map<T>(
          x, [=](Number<T> v) { return (v + bias) * scale; }, out);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

SY_FLUID_ELEMENTWISE_KERNEL(abs, Abs, legacy_abs);
SY_FLUID_ELEMENTWISE_KERNEL(scale, Scale, legacy_scale);

}  // namespace switchyard::phi
