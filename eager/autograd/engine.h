// SPDX-License-Identifier: Apache-2.0
// Backward and Grad: run the graph of gradients backwards. The engine knows no
// operator: it walks GradNodes (eager/tensor/grad_node.h) in the calling
// thread, without recursion, so depth is bounded by memory only.
//
// Order. A node runs when all gradients that reach it have arrived; of several,
// the one that was recorded last. Contributions to one gradient are added as
// they arrive, acc = add(acc, new): the last consumer's first. The static
// graph's autodiff repeats this order, so the bits agree.
//
// A hook may call Backward or Grad itself. Saved tensors of nodes that ran are
// freed unless retain_graph; a second run over them is FailedPrecondition. One
// that was written in place meanwhile is FailedPrecondition too.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_ENGINE_H_
#define SWITCHYARD_EAGER_AUTOGRAD_ENGINE_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// The options of a backward run.
struct BackwardOptions {
  // Keep what nodes saved, so that the graph can run backwards again; unset: as
  // create_graph.
  std::optional<bool> retain_graph;
  // Record the backward run, so that gradients have gradients.
  bool create_graph = false;
};

// The options of Grad().
struct GradOptions : BackwardOptions {
  // An input that the outputs do not depend on has an undefined gradient;
  // otherwise it is an ArgumentError.
  bool allow_unused = false;
};

// Accumulates into grad() of every leaf that `outputs` depend on.
// `grad_outputs` is empty or goes with `outputs`: an undefined one (or all, if
// empty) stands for 1 and is for one-element outputs only. ArgumentError,
// TypeError or FailedPrecondition (an output that does not require grad) before
// any hook or node runs.
absl::Status Backward(absl::Span<const Tensor> outputs,
                      absl::Span<const Tensor> grad_outputs = {},
                      const BackwardOptions& options = {});

// Returns the gradients of `outputs` for `inputs`, accumulated nowhere. Only
// the nodes between them run. An input may be any tensor that requires grad.
absl::StatusOr<std::vector<Tensor>> Grad(
    absl::Span<const Tensor> outputs, absl::Span<const Tensor> inputs,
    absl::Span<const Tensor> grad_outputs = {},
    const GradOptions& options = {});

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_ENGINE_H_
