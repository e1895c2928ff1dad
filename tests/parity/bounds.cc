// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/testing/tensors.h"
#include "tests/parity/places.h"

namespace switchyard {
namespace {

constexpr double kUlps = 4;

struct OperatorBound {
  std::string_view op;
  Bound bound;
  // The one operand in which an operator whose bound is by terms is linear;
  // empty: all that are floating.
  std::string_view linear_in = {};
};

constexpr OperatorBound kRoundingOperators[] = {
    {"adam_", Bound::kPlace},
    {"elementwise_add_grad", Bound::kTerms, "out_grad"},
    {"softmax", Bound::kAxis},
    {"softmax_grad", Bound::kAxis},
};

const OperatorBound* FindBound(std::string_view op) {
  for (const OperatorBound& bound : kRoundingOperators) {
    if (bound.op == op) return &bound;
  }
  return nullptr;
}

const DenseTensor& OutGrad(const OpCall& call) {
  return call.Input("out_grad");
}

int AxisOf(const OpCall& call) { return call.Attr<int>("axis"); }

// `ulps` of each magnitude.
Limits LimitsIn(DataType dtype, std::vector<double> magnitudes, double ulps) {
  Limits limits{std::move(magnitudes), {}};
  for (const double magnitude : limits.magnitudes) {
    limits.distances.push_back(ulps * Ulp(dtype, magnitude));
  }
  return limits;
}

// Returns the call in float64, with `term` of each element of the operands in
// which its operator is linear.
template <typename Term>
OpCall WithTerms(const OpCall& call, std::string_view linear_in, Term term) {
  OpCall changed = call;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const bool linear =
        linear_in.empty() || linear_in == call.op->inputs[i].name;
    for (DenseTensor& tensor : changed.inputs[i]) {
      if (!IsFloating(tensor.dtype())) continue;
      std::vector<double> values = ToDoubles(tensor);
      if (linear) {
        std::transform(values.begin(), values.end(), values.begin(), term);
      }
      tensor = MakeTensorOf(DataType::kFloat64, tensor.shape(), values);
    }
  }
  return changed;
}

}  // namespace

Bound GetBound(std::string_view op) {
  const OperatorBound* const found = FindBound(op);
  return found == nullptr ? Bound::kBits : found->bound;
}

std::string_view Name(Bound bound) {
  switch (bound) {
    case Bound::kBits:
      return "bits";
    case Bound::kAxis:
      return "axis";
    case Bound::kTerms:
      return "terms";
    case Bound::kPlace:
      return "place";
  }
  return "";
}

absl::StatusOr<CallLimits> CallLimits::Make(const OpCall& call) {
  CallLimits limits(call);
  const OperatorBound* const found = FindBound(call.op->name);
  if (found == nullptr || found->bound != Bound::kTerms) return limits;
  const auto run = [&](const OpCall& terms) {
    return RunCall(terms, {phi::KernelOrigin::kFluid}, Place::Cpu(), 1);
  };
  const auto magnitude = [](double value) { return std::abs(value); };
  const auto one = [](double) { return 1.0; };
  SY_ASSIGN_OR_RETURN(limits.magnitudes_,
                      run(WithTerms(call, found->linear_in, magnitude)));
  SY_ASSIGN_OR_RETURN(limits.counts_,
                      run(WithTerms(call, found->linear_in, one)));
  return limits;
}

Limits CallLimits::OfTerms(const DenseTensor& legacy,
                           std::vector<double> magnitudes,
                           const std::vector<double>& counts) const {
  Limits limits{std::move(magnitudes), {}};
  for (size_t i = 0; i < limits.magnitudes.size(); ++i) {
    const double ulps = kUlps + std::sqrt(std::max(counts[i], 1.0));
    limits.distances.push_back(ulps *
                               Ulp(legacy.dtype(), limits.magnitudes[i]));
  }
  return limits;
}

Limits CallLimits::For(size_t output, size_t index,
                       const DenseTensor& legacy) const {
  if (!IsFloating(legacy.dtype())) return {};
  switch (GetBound(call_.op->name)) {
    case Bound::kBits:
      return {};
    case Bound::kAxis: {
      const int axis = AxisOf(call_);
      const Shape& shape = legacy.shape();
      const int64_t terms =
          shape.rank() == 0
              ? 1
              : shape.extent(axis < 0 ? axis + shape.rank() : axis);
      return LimitsIn(legacy.dtype(), LargestAlong(legacy, axis),
                      kUlps + std::sqrt(static_cast<double>(terms)));
    }
    case Bound::kTerms:
      // A gradient that nothing is added up to is passed on.
      if (call_.op->name == std::string_view("elementwise_add_grad") &&
          OutGrad(call_).shape() == legacy.shape()) {
        return {};
      }
      return OfTerms(legacy, ToDoubles(magnitudes_.outputs[output][index]),
                     ToDoubles(counts_.outputs[output][index]));
    case Bound::kPlace:
      return LimitsIn(legacy.dtype(), LargestAtPlaces(call_, legacy),
                      kUlps + 1);
  }
  return {};
}

}  // namespace switchyard
