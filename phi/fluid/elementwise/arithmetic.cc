// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of arithmetic on elements on the CPU.
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/types/scalar.h"
#include "phi/core/signatures/abs.gen.h"
#include "phi/core/signatures/exp.gen.h"
#include "phi/core/signatures/fmax.gen.h"
#include "phi/core/signatures/fmin.gen.h"
#include "phi/core/signatures/scale.gen.h"
#include "phi/core/signatures/sqrt.gen.h"
#include "phi/fluid/axis_alignment.h"
#include "phi/fluid/elementwise/map.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/abs.gen.h"
#include "phi/legacy/exp.gen.h"
#include "phi/legacy/fmax.gen.h"
#include "phi/legacy/fmin.gen.h"
#include "phi/legacy/scale.gen.h"
#include "phi/legacy/sqrt.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out = f(X).
template <typename T, typename Function, typename N = Number<T>>
class FunctionKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Map<T, N>(*context.Input("X"), Function(), context.Output("Out"));
    return absl::OkStatus();
  }
};

struct AbsoluteValue {
  template <typename N>
  N operator()(N v) const {
    return std::fabs(v);
  }
};
template <typename T>
using AbsKernel = FunctionKernel<T, AbsoluteValue>;

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

// Out = f(X, Y), both repeated to the result's shape.
template <typename T, typename Function>
class PairKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& y = *context.Input("Y");
    DenseTensor* out = context.Output("Out");
    const AxisAlignment in_x = Align(out->shape(), x.shape(), -1);
    const AxisAlignment in_y = Align(out->shape(), y.shape(), -1);
    AlignedIndex at_x(in_x), at_y(in_y);
    const T* a = x.data<T>();
    const T* b = y.data<T>();
    T* to = out->template mutable_data<T>();
    for (int64_t i = 0; i < out->numel(); ++i) {
      to[i] =
          static_cast<T>(Function()(static_cast<Number<T>>(a[at_x.offset()]),
                                    static_cast<Number<T>>(b[at_y.offset()])));
      at_x.Next();
      at_y.Next();
    }
    return absl::OkStatus();
  }
};

struct Larger {
  template <typename N>
  N operator()(N a, N b) const {
    if (std::isnan(a)) return b;
    return std::isnan(b) || a >= b ? a : b;
  }
};
template <typename T>
using FmaxKernel = PairKernel<T, Larger>;

struct Smaller {
  template <typename N>
  N operator()(N a, N b) const {
    if (std::isnan(a)) return b;
    return std::isnan(b) || a <= b ? a : b;
  }
};
template <typename T>
using FminKernel = PairKernel<T, Smaller>;

}  // namespace fluid

#define SY_ARITHMETIC(op, Name, form)                                         \
  constexpr auto k##Name##Spec = KernelSpec<Name##Signature>();               \
  SY_REGISTER_FLUID_KERNEL(op, cpu, fluid::Name##Kernel, form, k##Name##Spec, \
                           float16, bfloat16, float32, float64)

SY_ARITHMETIC(abs, Abs, legacy_abs);
SY_ARITHMETIC(exp, Exp, legacy_exp);
SY_ARITHMETIC(fmax, Fmax, legacy_elementwise_fmax);
SY_ARITHMETIC(fmin, Fmin, legacy_elementwise_fmin);
SY_ARITHMETIC(scale, Scale, legacy_scale);
SY_ARITHMETIC(sqrt, Sqrt, legacy_sqrt);

}  // namespace switchyard::phi
