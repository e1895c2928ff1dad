// SPDX-License-Identifier: Apache-2.0
// Reverse: the state of one differentiation. For gradients of a program call
// BuildGradients (gradients.h).
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/clone.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Holds the state of one differentiation: which values need a gradient, and the
// sum of the contributions that each has so far. It visits operations one by
// one, in the order that its user chooses.
class Reverse {
 public:
  // Creates operations at the builder's insertion point.
  explicit Reverse(ir::Builder* builder) : builder_(builder) {}

  // Say what needs gradients, and where these end; call them before Mark().
  void Require(absl::Span<const ir::Value> values);
  void Stop(absl::Span<const ir::Value> values);

  // Finds out which results of `op` need a gradient; call it in program order.
  void Mark(const ir::Operation& op);
  bool required(ir::Value value) const {
    return Contains(required_, First(value));
  }

  // Appends the backward of `op`, if its results have gradients; call it in
  // reverse program order. Of an operation in a checkpoint
  // (static_graph/ir/checkpoint_attributes.h) it is that of a copy, for
  // which the operations of the checkpoint are copied before.
  absl::Status Visit(const ir::Operation& op);

  // Returns the sum so far; null if nothing was added.
  ir::Value gradient(ir::Value value) const;
  // Adds a contribution if `value` needs one.
  absl::Status Accumulate(ir::Value value, ir::Value contribution);

  // A new value of the shape and dtype of `like`, each element `number`. An
  // array is empty: a gradient of zeros.
  absl::StatusOr<ir::Value> Filled(ir::Value like, double number);
  // A gradient of `like` as backward operators take it: SelectedRows are added
  // to zeros.
  absl::StatusOr<ir::Value> Dense(ir::Value like, ir::Value gradient);
  // The sum so far, dense; where nothing has come, negative zeros, which no
  // addition tells from nothing: x + -0.0 has the bits of x.
  absl::StatusOr<ir::Value> SumOrNothing(ir::Value value);

 private:
  // The arguments of one call of a backward operator.
  struct BackwardCall;
  // The common data of the parts of a loop's backward.
  struct Loop;

  // Returns the value that `value` is a copy of; itself if it is none.
  ir::Value First(ir::Value value) const;
  // Returns the copy of an operation that its backward is of.
  const ir::Operation& Recomputed(const ir::Operation& op);
  // Returns the copy for the first `depth` checkpoints that `op` is in.
  const ir::Operation* CopyOf(const ir::Operation& op, size_t depth) const;
  // Copies the operations up to `last` of its checkpoint number `depth`, unless
  // that has been done.
  void CopyParts(const ir::Operation& last, size_t depth);
  void MarkResult(ir::Value result);
  void MarkIf(const ir::Operation& op);
  void MarkWhile(const ir::Operation& op);
  void MarkCustomGradient(const ir::Operation& op);
  void MarkKeptGradient(const ir::Operation& op);
  absl::Status VisitReached(const ir::Operation& op);
  absl::Status VisitCall(const ir::Operation& op);
  absl::Status VisitComposite(const ir::Operation& op);
  absl::Status GatherInputs(const OpCall& call, BackwardCall* backward);
  absl::StatusOr<ir::Value> OutputGradient(const phi::InputInfo& info,
                                           ir::Value output);
  absl::Status GatherOutputs(const OpCall& call, BackwardCall* backward);
  absl::Status RunBackward(const DialectOp& op, BackwardCall* backward);
  absl::Status VisitIf(const ir::Operation& op);
  // Makes the sums collected for `values` dense, as the values of a region
  // are.
  absl::Status MakeDense(absl::Span<const ir::Value> values);
  absl::StatusOr<std::vector<ir::Value>> DifferentiateBranch(
      const ir::Operation& op, int branch, absl::Span<const ir::Value> captured,
      ir::Builder& builder);
  absl::Status VisitWhile(const ir::Operation& op);
  absl::Status VisitCustomGradient(const ir::Operation& op);
  std::vector<int> CarriedBack(const ir::Operation& op) const;
  absl::StatusOr<std::vector<ir::Value>> DifferentiateIteration(
      const Loop& loop, absl::Span<const ir::Value> values,
      absl::Span<const ir::Value> sums, ir::Builder& builder) const;
  absl::StatusOr<std::vector<ir::Value>> DifferentiateSegment(
      const Loop& loop, ir::Value high, ir::Value low,
      absl::Span<const ir::Value> sums, ir::Builder& builder) const;
  absl::StatusOr<std::vector<ir::Value>> DifferentiateLoop(
      const Loop& loop, ir::Value count,
      absl::Span<const ir::Value> sums) const;
  absl::StatusOr<std::vector<ir::Value>> DifferentiateFirst(
      const Loop& loop, absl::Span<const ir::Value> sums,
      ir::Builder& builder) const;
  absl::StatusOr<std::vector<ir::Value>> PassThrough(
      const Loop& loop, absl::Span<const ir::Value> sums,
      ir::Builder& builder) const;

  ir::Builder* builder_;
  PooledSet<ir::Value> required_;
  HashSet<ir::Value> stopped_;
  PooledMap<ir::Value, ir::Value> gradients_;  // By the first values.
  HashMap<int64_t, ir::ValueMap> copies_;      // By checkpoint.
  ir::ValueMap firsts_;                        // Of the values of copies.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_
