// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/slices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "framework/testing/tensors.h"
#include "framework/types/scalar.h"

namespace switchyard {
namespace {

Slicing Along(const Shape& shape, int axis) {
  return {shape.numel(0, axis), shape.extent(axis),
          shape.numel(axis + 1, shape.rank())};
}

Slicing Lines(const OpCall& call) {
  const Shape& shape = call.Input("input").shape();
  const int axis = call.Attr<int>("axis");
  return Along(shape, axis < 0 ? axis + shape.rank() : axis);
}

Slicing FindSlicing(const OpCall& call) {
  const std::string_view op = call.op->name;
  if (op == "batch_norm") {
    return Channels(call.Input("x").shape(),
                    call.Attr<std::string_view>("data_format"));
  }
  if (op == "layer_norm") {
    return Rows(call.Input("x").shape(), call.Attr<int>("begin_norm_axis"));
  }
  if (op.substr(0, 13) == "cross_entropy") return Lines(call);
  return {call.inputs.front().front().numel(), 1, 1};
}

double Magnitude(double value) {
  return std::isfinite(value) ? std::abs(value) : 0;
}

// Takes a tensor's elements into the maxima of their slices.
void TakeMaxima(const DenseTensor& tensor, const Slicing& slicing,
                bool everywhere, std::vector<double>* maxima) {
  if (!IsFloating(tensor.dtype())) return;
  const std::vector<double> values = ToDoubles(tensor);
  const int64_t numel = tensor.numel();
  const bool all = numel == slicing.elements();
  const bool one = numel == slicing.count();
  for (int64_t i = 0; i < numel; ++i) {
    if (everywhere || (!all && !one)) {
      for (double& most : *maxima) most = std::max(most, Magnitude(values[i]));
      continue;
    }
    double& most = (*maxima)[all ? slicing.SliceOf(i) : i];
    most = std::max(most, Magnitude(values[i]));
  }
}

// The addend of the elements of scale: its bias, scaled where it is added
// before.
double Addend(const OpCall& call) {
  const double bias = std::abs(call.Attr<Scalar>("bias").ToDouble());
  const double factor = std::abs(call.Attr<Scalar>("scale").ToDouble());
  return call.Attr<bool>("bias_after_scale") ? bias : bias * factor;
}

}  // namespace

Slicing Channels(const Shape& x, std::string_view layout) {
  const bool last = layout.back() == 'C';
  Slicing slicing = Along(x, last ? x.rank() - 1 : 1);
  slicing.of_index = true;
  return slicing;
}

Slicing Rows(const Shape& x, int begin_norm_axis) {
  return {x.numel(0, begin_norm_axis), x.numel(begin_norm_axis, x.rank()), 1};
}

Slicing Columns(const Shape& x, int begin_norm_axis) {
  Slicing slicing = Rows(x, begin_norm_axis);
  slicing.of_index = true;
  return slicing;
}

SliceMagnitudes LargestOfSlices(const OpCall& call, const DenseTensor& result) {
  const Slicing slicing = FindSlicing(call);
  std::vector<double> maxima(static_cast<size_t>(slicing.count()));
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    for (const DenseTensor& tensor : call.inputs[i]) {
      if (tensor.dtype() == DataType::kUndefined) continue;
      // Rows lie in another order than the elements that they are added to.
      TakeMaxima(tensor, slicing, static_cast<int>(i) == call.rows_input,
                 &maxima);
    }
  }
  if (call.op->name == std::string_view("scale")) {
    for (double& most : maxima) most = std::max(most, Addend(call));
  }
  TakeMaxima(result, slicing, false, &maxima);
  SliceMagnitudes largest;
  largest.elements = slicing.elements_each();
  const bool all = result.numel() == slicing.elements();
  const bool one = result.numel() == slicing.count();
  for (int64_t i = 0; i < result.numel(); ++i) {
    largest.magnitudes.push_back(
        all   ? maxima[slicing.SliceOf(i)]
        : one ? maxima[i]
              : *std::max_element(maxima.begin(), maxima.end()));
  }
  return largest;
}

}  // namespace switchyard
