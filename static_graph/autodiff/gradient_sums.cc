// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/gradient_sums.h"

#include <vector>

#include "static_graph/dialect/autodiff_ops.h"

namespace switchyard::static_graph {

ir::Value Mapped(const ir::ValueMap& map, ir::Value value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

void GradientSums::Require(absl::Span<const ir::Value> values) {
  required_.insert(values.begin(), values.end());
}

void GradientSums::Stop(absl::Span<const ir::Value> values) {
  stopped_.insert(values.begin(), values.end());
  for (ir::Value value : values) required_.erase(value);
}

void GradientSums::StopAs(const GradientSums& others, const ir::ValueMap& map) {
  for (ir::Value value : others.stopped_) stopped_.insert(Mapped(map, value));
}

void GradientSums::AddCopy(ir::Value value, ir::Value copy) {
  firsts_[copy] = First(value);
  if (stopped(value)) stopped_.insert(copy);
}

ir::Value GradientSums::gradient(ir::Value value) const {
  const auto found = sums_.find(First(value));
  return found == sums_.end() ? ir::Value() : found->second;
}

absl::Status GradientSums::Accumulate(ir::Value value, ir::Value contribution) {
  if (!required(value)) return absl::OkStatus();
  ir::Value& sum = sums_[First(value)];
  if (!sum) {
    sum = contribution;
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(sum, BuildSum(*builder_, sum, contribution));
  return absl::OkStatus();
}

void GradientSums::Replace(ir::Value value, ir::Value sum) {
  sums_[First(value)] = sum;
}

absl::StatusOr<ir::Value> GradientSums::Filled(ir::Value like,
                                               double number) const {
  const ir::TensorType type = like.tensor_type();
  if (type.kind() == TensorKind::kTensorArray) {
    // Empty positions count as zeros, and as nothing.
    std::vector<int64_t> element;
    for (const Dim dim : type.shape().dims().subspan(1)) {
      element.push_back(dim.known() ? dim.value() : -1);
    }
    return BuildEmptyArray(*builder_, type.dtype(), element);
  }
  return BuildFilled(*builder_, like, number);
}

absl::StatusOr<ir::Value> GradientSums::Dense(ir::Value like,
                                              ir::Value gradient) const {
  const TensorKind kind = gradient.tensor_type().kind();
  if (kind != TensorKind::kSelectedRows) return gradient;
  SY_ASSIGN_OR_RETURN(const ir::Value zeros, Filled(like, 0.0));
  return BuildSum(*builder_, zeros, gradient);
}

absl::Status GradientSums::MakeDense(absl::Span<const ir::Value> values) {
  for (ir::Value value : values) {
    const ir::Value sum = gradient(value);
    if (!sum) continue;
    SY_ASSIGN_OR_RETURN(const ir::Value dense, Dense(value, sum));
    Replace(value, dense);
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> GradientSums::SumOrNothing(ir::Value value) const {
  const ir::Value sum = gradient(value);
  return sum ? Dense(value, sum) : Filled(value, -0.0);
}

absl::StatusOr<ir::Value> GradientSums::SumOrZeros(ir::Value value) const {
  const ir::Value sum = gradient(value);
  return sum ? Dense(value, sum) : Filled(value, 0.0);
}

}  // namespace switchyard::static_graph
