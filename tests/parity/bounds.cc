// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "framework/testing/tensors.h"
#include "tests/parity/norm_gradient_terms.h"
#include "tests/parity/slices.h"

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
    {"adam_", Bound::kSlice},
    {"batch_norm", Bound::kSlice},
    {"batch_norm_grad", Bound::kTerms},
    {"conv2d", Bound::kTerms},
    {"conv2d_grad", Bound::kTerms},
    {"cross_entropy_with_softmax", Bound::kSlice},
    {"cross_entropy_with_softmax_grad", Bound::kSlice},
    {"dropout", Bound::kElement},
    {"dropout_grad", Bound::kElement},
    {"elementwise_add_grad", Bound::kTerms, "out_grad"},
    {"embedding_grad", Bound::kTerms, "out_grad"},
    {"layer_norm", Bound::kSlice},
    {"layer_norm_grad", Bound::kTerms},
    {"pool2d", Bound::kTerms},
    {"pool2d_grad", Bound::kTerms, "out_grad"},
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

// Its terms are no products of operands alone: they are computed here.
bool IsNormGradient(std::string_view op) {
  return op == "batch_norm_grad" || op == "layer_norm_grad";
}

int AxisOf(const OpCall& call) { return call.Attr<int>("axis"); }

// The results are elements of the operand: the greatest ones of windows.
bool TakesTheLargest(const OpCall& call) {
  return call.op->name == std::string_view("pool2d") &&
         call.Attr<std::string_view>("pooling_type") == "max";
}

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

// How many elements of the operand there are for each of the result.
double Share(const OpCall& call, const DenseTensor& result) {
  const double operand =
      static_cast<double>(call.inputs.front().front().numel());
  return operand / static_cast<double>(std::max<int64_t>(result.numel(), 1));
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
    case Bound::kElement:
      return "element";
    case Bound::kOperand:
      return "operand";
    case Bound::kGradient:
      return "gradient";
    case Bound::kAxis:
      return "axis";
    case Bound::kTerms:
      return "terms";
    case Bound::kSlice:
      return "slice";
  }
  return "";
}

absl::StatusOr<CallLimits> CallLimits::Make(const OpCall& call) {
  CallLimits limits(call);
  const OperatorBound* const found = FindBound(call.op->name);
  if (found == nullptr || found->bound != Bound::kTerms ||
      IsNormGradient(found->op)) {
    return limits;
  }
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
  const std::vector<double> results = ToDoubles(legacy);
  // An average counts less than one term for each of its elements.
  const bool gradient = absl::EndsWith(call_.op->name, "_grad");
  const double least = gradient ? 1 : std::max(Share(call_, legacy), 1.0);
  const DataType dtype = legacy.dtype();
  // Kernels of narrow dtypes add in float32 or wider, and round once.
  const bool narrow = ElementSize(dtype) == 2;
  for (size_t i = 0; i < results.size(); ++i) {
    const double ulps = kUlps + std::sqrt(std::max(counts[i], least));
    const double sum =
        Ulp(narrow ? DataType::kFloat32 : dtype, limits.magnitudes[i]);
    limits.distances.push_back(ulps * sum +
                               (narrow ? Ulp(dtype, std::abs(results[i])) : 0));
  }
  return limits;
}

Limits CallLimits::For(size_t output, size_t index,
                       const DenseTensor& legacy) const {
  if (!IsFloating(legacy.dtype()) || TakesTheLargest(call_)) return {};
  const auto elements = [&](const DenseTensor& terms) {
    return LimitsIn(legacy.dtype(), LargestSummed(terms, legacy, -1), kUlps);
  };
  switch (GetBound(call_.op->name)) {
    case Bound::kBits:
      return {};
    case Bound::kElement:
      return elements(legacy);
    case Bound::kOperand:
      return elements(call_.inputs.front().front());
    case Bound::kGradient:
      return elements(OutGrad(call_));
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
      if (IsNormGradient(call_.op->name)) {
        TermSums sums =
            NormGradientTerms(call_, call_.op->outputs[output].name);
        const std::vector<double> counts(sums.magnitudes.size(), sums.terms);
        return OfTerms(legacy, std::move(sums.magnitudes), counts);
      }
      return OfTerms(legacy, ToDoubles(magnitudes_.outputs[output][index]),
                     ToDoubles(counts_.outputs[output][index]));
    case Bound::kSlice: {
      SliceMagnitudes slices = LargestOfSlices(call_, legacy);
      return LimitsIn(legacy.dtype(), std::move(slices.magnitudes),
                      kUlps + std::sqrt(slices.elements));
    }
  }
  return {};
}

}  // namespace switchyard
