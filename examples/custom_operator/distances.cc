// SPDX-License-Identifier: Apache-2.0
// Two operators that Switchyard does not have: squared_distances has a kernel,
// a rule for its shape, and a gradient that is written as other operators;
// soft_cap is written as others from the start, and has their gradients.
#include <cstdint>
#include <string>

#include "phi/capi/plugin_cc.h"

namespace {

using sy::plugin::Body;
using sy::plugin::Call;
using sy::plugin::Error;
using sy::plugin::Inference;
using sy::plugin::Input;
using sy::plugin::Kernel;
using sy::plugin::Operator;
using sy::plugin::Registry;
using sy::plugin::Run;
using sy::plugin::Value;

// x[n, d], y[m, d] -> out[n, m]
void InferDistances(Inference& inference) {
  if (inference.rank(0) != 2 || inference.rank(1) != 2) {
    throw Error(SY_INVALID_ARGUMENT, "x and y must have 2 axes");
  }
  const int64_t columns = inference.extent(0, 1);
  const int64_t others = inference.extent(1, 1);
  // Extents that are not known yet are compared when they are.
  if (columns >= 0 && others >= 0 && columns != others) {
    throw Error(SY_INVALID_ARGUMENT,
                "x and y must have rows of one length, got " +
                    std::to_string(columns) + " and " + std::to_string(others));
  }
  inference.Set(0, /*like=*/0,
                {inference.extent(0, 0), inference.extent(1, 0)});
}

// out[i, j] = sum over k of (x[i, k] - y[j, k])^2
template <typename T>
void Distances(Call& call) {
  const Input x = call.input(0), y = call.input(1);
  const T* const of_x = x.data<T>();
  const T* const of_y = y.data<T>();
  T* out = call.output<T>(0);
  const int64_t length = x.extent(1);
  for (int64_t i = 0; i < x.extent(0); ++i) {
    for (int64_t j = 0; j < y.extent(0); ++j) {
      T sum = 0;
      for (int64_t k = 0; k < length; ++k) {
        const T difference = of_x[i * length + k] - of_y[j * length + k];
        sum += difference * difference;
      }
      *out++ = sum;
    }
  }
}

// The gradient of one side: 2 (side * the sums of its gradients - the gradients
// times the other side). `axis` is the gradient's axis of the other side.
Value GradOfSide(Body& body, Value side, Value other, Value grad, int axis) {
  const bool of_y = axis == 0;
  Value sums = body.Compute(
      "sum", {grad}, "axis=[" + std::to_string(axis) + "], keepdim=true");
  if (of_y) sums = body.Compute("transpose", {sums}, "perm=[1, 0]");
  const Value products =
      body.Compute("matmul", {grad, other}, of_y ? "transpose_x=true" : "");
  const Value scaled = body.Compute("multiply", {side, sums});
  return body.Scale(body.Compute("subtract", {scaled, products}), 2);
}

void DistancesGrad(Body& body) {
  const Value x = body.input(0), y = body.input(1), grad = body.input(2);
  if (body.wanted(0)) body.Yield(0, GradOfSide(body, x, y, grad, 1));
  if (body.wanted(1)) body.Yield(1, GradOfSide(body, y, x, grad, 0));
}

// cap * tanh(x / cap)
void SoftCap(Body& body) {
  const double cap = body.attr_float(0);
  if (!(cap > 0)) {
    throw Error(SY_INVALID_ARGUMENT,
                "cap must be positive, got " + std::to_string(cap));
  }
  const Value small = body.Scale(body.input(0), 1 / cap);
  body.Yield(0, body.Scale(body.Compute("tanh", {small}), cap));
}

void AddAll(Registry& registry) {
  registry.Add(
      Operator("squared_distances(Tensor x, Tensor y) -> (Tensor out)",
               "The squared distance of each row of `x` to each of `y`.")
          .Infer(Run<&InferDistances>)
          .Gradient("x, y, out_grad", Run<&DistancesGrad>));
  registry.AddBackend({"distances", /*rank=*/100});
  registry.Add(Kernel("squared_distances", "distances", "float32",
                      Run<&Distances<float>>));
  registry.Add(Kernel("squared_distances", "distances", "float64",
                      Run<&Distances<double>>));
  registry.Add(Operator("soft_cap(Tensor x, double cap = 50.0) -> (Tensor out)",
                        "`x`, kept between -cap and cap by a smooth curve.")
                   .Body(Run<&SoftCap>));
}

}  // namespace

SY_PLUGIN("distances", "1.0", AddAll)
