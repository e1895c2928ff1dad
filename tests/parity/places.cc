// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/places.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/testing/tensors.h"

namespace switchyard {
namespace {

double Magnitude(double value) {
  return std::isfinite(value) ? std::abs(value) : 0;
}

// Takes a tensor's elements into the maxima of their places.
void TakeMaxima(const DenseTensor& tensor, bool everywhere,
                std::vector<double>* maxima) {
  if (!IsFloating(tensor.dtype())) return;
  const std::vector<double> values = ToDoubles(tensor);
  if (!everywhere && values.size() == maxima->size()) {
    for (size_t i = 0; i < values.size(); ++i) {
      (*maxima)[i] = std::max((*maxima)[i], Magnitude(values[i]));
    }
    return;
  }
  double most = 0;
  for (const double value : values) most = std::max(most, Magnitude(value));
  for (double& place : *maxima) place = std::max(place, most);
}

}  // namespace

std::vector<double> LargestAtPlaces(const OpCall& call,
                                    const DenseTensor& result) {
  const int64_t places = call.inputs.front().front().numel();
  std::vector<double> maxima(static_cast<size_t>(places));
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    for (const DenseTensor& tensor : call.inputs[i]) {
      if (tensor.dtype() == DataType::kUndefined) continue;
      TakeMaxima(tensor, static_cast<int>(i) == call.rows_input, &maxima);
    }
  }
  TakeMaxima(result, false, &maxima);
  if (result.numel() == places) return maxima;
  const double most =
      maxima.empty() ? 0 : *std::max_element(maxima.begin(), maxima.end());
  return std::vector<double>(static_cast<size_t>(result.numel()), most);
}

}  // namespace switchyard
