// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/norm_gradient_terms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "framework/testing/tensors.h"
#include "tests/parity/slices.h"

namespace switchyard {
namespace {

// The magnitudes of an input; empty if it is not given.
std::vector<double> Magnitudes(const OpCall& call, std::string_view name) {
  const DenseTensor& tensor = call.inputs[call.op->input_index(name)].front();
  if (tensor.dtype() == DataType::kUndefined) return {};
  std::vector<double> values = ToDoubles(tensor);
  for (double& value : values) value = std::abs(value);
  return values;
}

// The elements of x that a call normalises, by slices that share statistics and
// slices that share an element of scale and bias.
struct Normalisation {
  Slicing statistics, parameters;
  std::vector<double> inverses;  // 1 / deviation of each slice.
  bool running = false;          // The statistics are not those of x.
};

Normalisation OfBatch(const OpCall& call, const Shape& x) {
  const Slicing channels =
      Channels(x, call.Attr<std::string_view>("data_format"));
  const bool running = (call.Attr<bool>("is_test") &&
                        !call.Attr<bool>("trainable_statistics")) ||
                       call.Attr<bool>("use_global_stats");
  // It is saved as 1 / deviation.
  return {channels, channels, Magnitudes(call, "saved_variance"), running};
}

Normalisation OfLayer(const OpCall& call, const Shape& x) {
  const int axis = call.Attr<int>("begin_norm_axis");
  Normalisation made = {Rows(x, axis), Columns(x, axis),
                        Magnitudes(call, "variance")};
  for (double& inverse : made.inverses) {
    inverse = 1 / std::sqrt(inverse + call.Attr<double>("epsilon"));
  }
  return made;
}

// Adds the elements up by slices.
std::vector<double> Sums(const std::vector<double>& elements,
                         const Slicing& slicing) {
  std::vector<double> sums(static_cast<size_t>(slicing.count()));
  for (size_t i = 0; i < elements.size(); ++i) {
    sums[slicing.SliceOf(static_cast<int64_t>(i))] += elements[i];
  }
  return sums;
}

std::vector<double> Products(const std::vector<double>& a,
                             const std::vector<double>& b) {
  std::vector<double> products(a.size());
  std::transform(a.begin(), a.end(), b.begin(), products.begin(),
                 [](double one, double other) { return one * other; });
  return products;
}

}  // namespace

TermSums NormGradientTerms(const OpCall& call, std::string_view output) {
  const Shape& shape = call.Input("x").shape();
  const Normalisation norm =
      call.op->name == std::string_view("batch_norm_grad")
          ? OfBatch(call, shape)
          : OfLayer(call, shape);
  std::vector<double> grads = Magnitudes(call, "out_grad");
  if (output == "bias_grad") {
    return {Sums(grads, norm.parameters), norm.parameters.elements_each()};
  }
  // Magnitudes of h, as a sum of those of x and the mean.
  const double elements = norm.statistics.elements_each();
  std::vector<double> normal = Magnitudes(call, "x");
  const std::vector<double> sums = Sums(normal, norm.statistics);
  for (size_t i = 0; i < normal.size(); ++i) {
    const int64_t slice = norm.statistics.SliceOf(static_cast<int64_t>(i));
    normal[i] = (normal[i] + sums[slice] / elements) * norm.inverses[slice];
  }
  if (output == "scale_grad") {
    return {Sums(Products(grads, normal), norm.parameters),
            norm.parameters.elements_each()};
  }
  const std::vector<double> scale = Magnitudes(call, "scale");
  for (size_t i = 0; i < grads.size() && !scale.empty(); ++i) {
    grads[i] *= scale[norm.parameters.SliceOf(static_cast<int64_t>(i))];
  }
  const std::vector<double> means = Sums(grads, norm.statistics);
  const std::vector<double> moments =
      Sums(Products(grads, normal), norm.statistics);
  for (size_t i = 0; i < grads.size(); ++i) {
    const int64_t slice = norm.statistics.SliceOf(static_cast<int64_t>(i));
    if (!norm.running) {
      grads[i] += (means[slice] + normal[i] * moments[slice]) / elements;
    }
    grads[i] *= norm.inverses[slice];
  }
  return {std::move(grads), norm.running ? 1 : elements};
}

}  // namespace switchyard
