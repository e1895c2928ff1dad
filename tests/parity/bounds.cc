// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/testing/tensors.h"

namespace switchyard {
namespace {

constexpr std::pair<std::string_view, Bound> kRoundingOperators[] = {
    {"adam_", Bound::kUlpsOfOperands},
    {"batch_norm", Bound::kUlpsOfOperands},
    {"batch_norm_grad", Bound::kUlpsOfOperands},
    {"conv2d", Bound::kUlpsOfOperands},
    {"conv2d_grad", Bound::kUlpsOfOperands},
    {"cross_entropy_with_softmax", Bound::kUlpsOfOperands},
    {"cross_entropy_with_softmax_grad", Bound::kUlpsOfOperands},
    {"dropout", Bound::kUlpsOfElement},
    {"dropout_grad", Bound::kUlpsOfElement},
    {"elementwise_add_grad", Bound::kUlpsOfSum},
    {"embedding_grad", Bound::kUlpsOfOperands},
    {"exp", Bound::kUlpsOfElement},
    {"gelu", Bound::kUlpsOfOperand},
    {"gelu_grad", Bound::kUlpsOfGradient},
    {"layer_norm", Bound::kUlpsOfOperands},
    {"layer_norm_grad", Bound::kUlpsOfOperands},
    {"matmul", Bound::kUlpsOfOperands},
    {"mean", Bound::kUlpsOfOperands},
    {"mean_grad", Bound::kUlpsOfElement},
    {"mul", Bound::kUlpsOfOperands},
    {"mul_grad", Bound::kUlpsOfOperands},
    {"pool2d", Bound::kUlpsOfOperands},
    {"pool2d_grad", Bound::kUlpsOfOperands},
    {"scale", Bound::kUlpsOfOperands},
    {"sigmoid", Bound::kUlpsOfElement},
    {"sigmoid_grad", Bound::kUlpsOfGradient},
    {"softmax", Bound::kUlpsOfAxis},
    {"softmax_grad", Bound::kUlpsOfAxis},
    {"sum", Bound::kUlpsOfOperands},
    {"tanh", Bound::kUlpsOfElement},
    {"tanh_grad", Bound::kUlpsOfGradient},
};

double LargestOf(const DenseTensor& tensor) {
  double largest = 0;
  if (!IsFloating(tensor.dtype())) return largest;
  for (const double value : ToDoubles(tensor)) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

const DenseTensor& OutGrad(const OpCall& call) {
  return call.inputs[call.op->input_index("out_grad")].front();
}

int AxisOf(const OpCall& call) {
  return call.attrs[call.op->attr_index("axis")].Get<int>();
}

}  // namespace

Bound GetBound(std::string_view op) {
  for (const auto& [name, bound] : kRoundingOperators) {
    if (name == op) return bound;
  }
  return Bound::kBits;
}

double MaxUlps(Bound bound) {
  return bound == Bound::kUlpsOfOperands ? 4 * kMaxUlps : kMaxUlps;
}

std::vector<double> Magnitudes(const OpCall& call, const DenseTensor& legacy,
                               Bound* bound) {
  const auto count = static_cast<size_t>(legacy.numel());
  switch (*bound) {
    case Bound::kBits:
      break;
    case Bound::kUlpsOfAxis:
      return LargestAlong(legacy, AxisOf(call));
    case Bound::kUlpsOfSum:
      if (OutGrad(call).shape() == legacy.shape()) *bound = Bound::kBits;
      return LargestSummed(OutGrad(call), legacy, AxisOf(call));
    case Bound::kUlpsOfElement: {
      std::vector<double> magnitudes = ToDoubles(legacy);
      for (double& value : magnitudes) value = std::abs(value);
      return magnitudes;
    }
    case Bound::kUlpsOfOperand:
      return LargestSummed(call.inputs.front().front(), legacy, -1);
    case Bound::kUlpsOfGradient:
      return LargestSummed(OutGrad(call), legacy, -1);
    case Bound::kUlpsOfOperands: {
      double largest = LargestOf(legacy);
      for (const Tensors& argument : call.inputs) {
        for (const DenseTensor& tensor : argument) {
          if (tensor.dtype() == DataType::kUndefined) continue;
          largest = std::max(largest, LargestOf(tensor));
        }
      }
      return std::vector<double>(count, largest);
    }
  }
  return std::vector<double>(count);
}

}  // namespace switchyard
