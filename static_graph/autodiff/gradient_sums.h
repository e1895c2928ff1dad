// SPDX-License-Identifier: Apache-2.0
// GradientSums: what one differentiation (reverse.h) knows of values: which
// need a gradient, and the sum of the contributions that each has so far.
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENT_SUMS_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENT_SUMS_H_

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/clone.h"

namespace switchyard::static_graph {

// Returns the value that stands for `value`; itself if there is none.
ir::Value Mapped(const ir::ValueMap& map, ir::Value value);

// Sums are kept by value; a copy of a value (AddCopy) has that of the first.
class GradientSums {
 public:
  // Creates operations at the builder's insertion point.
  explicit GradientSums(ir::Builder* builder) : builder_(builder) {}

  ir::Builder& builder() const { return *builder_; }

  // Say what needs gradients, and where these end; call them before Mark()
  // (mark.h), which says the rest.
  void Require(absl::Span<const ir::Value> values);
  void Stop(absl::Span<const ir::Value> values);
  // Stops where `others` do, at the values that stand for theirs in `map`.
  void StopAs(const GradientSums& others, const ir::ValueMap& map);
  bool stopped(ir::Value value) const { return Contains(stopped_, value); }
  bool required(ir::Value value) const {
    return Contains(required_, First(value));
  }

  // Says that `copy` is computed as `value` is: its sum is that of `value`.
  void AddCopy(ir::Value value, ir::Value copy);

  // Returns the sum so far; null if nothing was added.
  ir::Value gradient(ir::Value value) const;
  // Adds a contribution if `value` needs one.
  absl::Status Accumulate(ir::Value value, ir::Value contribution);
  // Gives `value` another sum than it has.
  void Replace(ir::Value value, ir::Value sum);

  // A new value of the shape and dtype of `like`, each element `number`. An
  // array is empty: a gradient of zeros.
  absl::StatusOr<ir::Value> Filled(ir::Value like, double number) const;
  // A gradient of `like` as backward operators take it: SelectedRows are added
  // to zeros.
  absl::StatusOr<ir::Value> Dense(ir::Value like, ir::Value gradient) const;
  // Makes the sums so far of `values` dense, as the values of a region are.
  absl::Status MakeDense(absl::Span<const ir::Value> values);
  // The sum so far, dense; where nothing has come, negative zeros, which no
  // addition tells from nothing: x + -0.0 has the bits of x.
  absl::StatusOr<ir::Value> SumOrNothing(ir::Value value) const;
  // The sum so far, dense; where nothing has come, zeros.
  absl::StatusOr<ir::Value> SumOrZeros(ir::Value value) const;

 private:
  // Returns the value that `value` is a copy of; itself if it is none.
  ir::Value First(ir::Value value) const {
    return firsts_.empty() ? value : Mapped(firsts_, value);
  }

  ir::Builder* builder_;
  PooledSet<ir::Value> required_;
  HashSet<ir::Value> stopped_;
  PooledMap<ir::Value, ir::Value> sums_;  // By the first values.
  ir::ValueMap firsts_;                   // Of the values of copies.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENT_SUMS_H_
