// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of activations and their gradients on the CPU.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/gelu.gen.h"
#include "phi/core/signatures/gelu_grad.gen.h"
#include "phi/core/signatures/leaky_relu.gen.h"
#include "phi/core/signatures/relu.gen.h"
#include "phi/core/signatures/relu_grad.gen.h"
#include "phi/core/signatures/sigmoid.gen.h"
#include "phi/core/signatures/sigmoid_grad.gen.h"
#include "phi/core/signatures/tanh.gen.h"
#include "phi/core/signatures/tanh_grad.gen.h"
#include "phi/fluid/elementwise/function_kernel.h"
#include "phi/legacy/gelu.gen.h"
#include "phi/legacy/gelu_grad.gen.h"
#include "phi/legacy/leaky_relu.gen.h"
#include "phi/legacy/relu.gen.h"
#include "phi/legacy/relu_grad.gen.h"
#include "phi/legacy/sigmoid.gen.h"
#include "phi/legacy/sigmoid_grad.gen.h"
#include "phi/legacy/tanh.gen.h"
#include "phi/legacy/tanh_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out = f(X) for an activation without attributes.
template <typename T, typename Activation>
class ActivationKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Map<T, typename Activation::template In<T>>(
        *context.Input("X"), Activation(), context.Output("Out"));
    return absl::OkStatus();
  }
};

// X@GRAD = f(Out, Out@GRAD) for one whose slope follows from its value.
template <typename T, typename Slope>
class ActivationGradKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Map<T>(*context.Input("Out"), *context.Input("Out@GRAD"), Slope(),
           context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

struct Relu {
  template <typename T>
  using In = Number<T>;
  template <typename N>
  N operator()(N v) const {
    return v <= N{0} ? N{0} : v;
  }
};
template <typename T>
using ReluKernel = ActivationKernel<T, Relu>;

struct Sigmoid {
  template <typename T>
  using In = double;
  double operator()(double v) const { return 1 / (1 + std::exp(-v)); }
};
template <typename T>
using SigmoidKernel = ActivationKernel<T, Sigmoid>;

struct Tanh {
  template <typename T>
  using In = double;
  double operator()(double v) const { return std::tanh(v); }
};
template <typename T>
using TanhKernel = ActivationKernel<T, Tanh>;

struct ReluSlope {
  template <typename N>
  N operator()(N out, N grad) const {
    return out > N{0} ? grad : N{0};
  }
};
template <typename T>
using ReluGradKernel = ActivationGradKernel<T, ReluSlope>;

struct SigmoidSlope {
  template <typename N>
  N operator()(N out, N grad) const {
    return grad * out * (N{1} - out);
  }
};
template <typename T>
using SigmoidGradKernel = ActivationGradKernel<T, SigmoidSlope>;

struct TanhSlope {
  template <typename N>
  N operator()(N out, N grad) const {
    return grad * (N{1} - out * out);
  }
};
template <typename T>
using TanhGradKernel = ActivationGradKernel<T, TanhSlope>;

// Out = X where X > 0, else alpha X.
template <typename T>
class LeakyReluKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const double alpha, context.Attr<double>("alpha"));
    const auto slope = static_cast<Number<T>>(alpha);
    Map<T>(
        *context.Input("X"), [=](Number<T> v) { return v > 0 ? v : v * slope; },
        context.Output("Out"));
    return absl::OkStatus();
  }
};

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kCube = 0.044715;

// Out = X Phi(X), Phi the normal distribution or its approximation by tanh. Its
// limit at -infinity is 0; that it is from -1e4 on, so the product need not be
// of infinity and 0.
template <typename T>
class GeluKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool approximate,
                        context.Attr<bool>("approximate"));
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    if (approximate) {
      Map<T, double>(
          x,
          [](double x) {
            const double v = std::max(x, -1e4);
            const double inner = kSqrtTwoOverPi * (v + kCube * v * v * v);
            return 0.5 * v * (1 + std::tanh(inner));
          },
          out);
    } else {
      Map<T, double>(
          x,
          [](double x) {
            const double v = std::max(x, -1e4);
            return 0.5 * v * std::erfc(-v * kSqrtHalf);
          },
          out);
    }
    return absl::OkStatus();
  }
};

// X@GRAD = Out@GRAD times the slope. Beyond 40 that is 0 or 1; the powers of
// greater numbers overflow.
template <typename T>
class GeluGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool approximate,
                        context.Attr<bool>("approximate"));
    const auto slope = approximate ? &SlopeByTanh : &Slope;
    Map<T, double>(
        *context.Input("X"), *context.Input("Out@GRAD"),
        [=](double x, double grad) {
          return grad * slope(x > 40 ? 40 : x < -40 ? -40 : x);
        },
        context.Output("X@GRAD"));
    return absl::OkStatus();
  }

 private:
  static double Slope(double v) {
    const double density = 0.5 * kSqrtTwoOverPi * std::exp(-0.5 * v * v);
    return 0.5 * std::erfc(-v * kSqrtHalf) + v * density;
  }
  // Phi(v) = (1 + t) / 2.
  static double SlopeByTanh(double v) {
    const double t = std::tanh(kSqrtTwoOverPi * (v + kCube * v * v * v));
    const double inner = kSqrtTwoOverPi * (1 + 3 * kCube * v * v);
    return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * inner;
  }
};

}  // namespace fluid

SY_FLUID_ELEMENTWISE_KERNEL(relu, Relu, legacy_relu);
SY_FLUID_ELEMENTWISE_KERNEL(relu_grad, ReluGrad, legacy_relu_grad);
SY_FLUID_ELEMENTWISE_KERNEL(leaky_relu, LeakyRelu, legacy_leaky_relu);
SY_FLUID_ELEMENTWISE_KERNEL(sigmoid, Sigmoid, legacy_sigmoid);
SY_FLUID_ELEMENTWISE_KERNEL(sigmoid_grad, SigmoidGrad, legacy_sigmoid_grad);
SY_FLUID_ELEMENTWISE_KERNEL(tanh, Tanh, legacy_tanh);
SY_FLUID_ELEMENTWISE_KERNEL(tanh_grad, TanhGrad, legacy_tanh_grad);
SY_FLUID_ELEMENTWISE_KERNEL(gelu, Gelu, legacy_gelu);
SY_FLUID_ELEMENTWISE_KERNEL(gelu_grad, GeluGrad, legacy_gelu_grad);

}  // namespace switchyard::phi
