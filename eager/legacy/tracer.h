// SPDX-License-Identifier: Apache-2.0
// Tracer: legacy operators on named variables, Trace(type, inputs, outputs,
// attributes), with gradients from the gradient makers
// (phi/legacy/grad_op_maker.h) instead of autograd's nodes. The calls
// themselves are RunLegacyOp's (run_legacy_op.h).
#ifndef SWITCHYARD_EAGER_LEGACY_TRACER_H_
#define SWITCHYARD_EAGER_LEGACY_TRACER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "eager/legacy/run_legacy_op.h"
#include "eager/legacy/scope.h"
#include "phi/legacy/grad_op_maker.h"

namespace switchyard::eager {

// Runs operators on the variables of a scope and remembers them. Borrows the
// scope. One thread at a time.
class Tracer {
 public:
  explicit Tracer(Scope* scope, phi::GradMaker maker = phi::GradMaker::kReads)
      : scope_(*scope), maker_(maker) {}

  // Runs an operator at once and writes its outputs; remembers it if its type
  // has a gradient. Outputs that are not named are dropped. NotFound for a
  // variable that is not there or was not written; ArgumentError for an output
  // that the call does not yield; further whatever RunLegacyOp reports. Nothing
  // is written before all of that is known.
  absl::Status Trace(std::string_view type,
                     absl::Span<const phi::SlotVariables> inputs,
                     absl::Span<const phi::SlotVariables> outputs,
                     absl::Span<const LegacyAttribute> attrs = {});

  // Computes the gradients of a variable, whose own is ones, by the gradient
  // operators of what was traced, in the reverse order, and forgets it. Writes
  // "<name>@GRAD" for each variable that one is known of, those of `no_grad`
  // excepted. A variable that was written again counts as it was when it was
  // read. Errors as Trace's; then no variable is written.
  absl::Status Backward(std::string_view loss,
                        absl::Span<const std::string> no_grad = {});

  size_t traced() const { return calls_.size(); }

 private:
  // A call, whose variables are named by the numbers of values: "7".
  struct Call {
    phi::LegacyOpVariables variables;
    std::vector<LegacyAttribute> attrs;
  };
  using Gradients = std::map<int, Tensor>;  // By the value's number.

  // Returns what a slot's names stand for now, and in `numbered` the same by
  // numbers.
  absl::StatusOr<SlotTensors> Read(const phi::SlotVariables& slot,
                                   phi::SlotVariables* numbered);
  // Returns the number of the value that a name stands for.
  int NumberOf(const std::string& name, const Tensor& tensor);
  absl::StatusOr<std::vector<SlotTensors>> GradientInputs(
      const phi::LegacyOpVariables& gradient, const phi::LegacyForm& form,
      const Gradients& gradients) const;
  absl::Status Differentiate(const Call& call,
                             absl::Span<const std::string> no_grad,
                             Gradients* gradients) const;

  Scope& scope_;
  phi::GradMaker maker_;
  std::vector<Call> calls_;
  std::vector<Tensor> values_;  // By number: each that was read or written.
  std::map<std::string, int, std::less<>> numbers_;  // By name, the last one.
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_LEGACY_TRACER_H_
