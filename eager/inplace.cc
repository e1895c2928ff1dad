// SPDX-License-Identifier: Apache-2.0
#include "eager/inplace.h"

#include <string>

#include "eager/autograd/grad_mode.h"
#include "eager/autograd/view_family.h"

namespace switchyard::eager {
namespace {

absl::Status Refuse(const char* argument, const char* expected,
                    const char* got) {
  return absl::FailedPreconditionError(std::string(argument) + " must be " +
                                       expected + ", got " + got);
}

absl::Status CheckStorage(const char* argument, const Tensor& target) {
  if (target.kind() != TensorKind::kDense) {
    return TypeError(argument, "dense to be written in place",
                     Name(target.kind()));
  }
  if (!target.dense().contiguous()) {
    return ArgumentError(argument, "contiguous to be written in place",
                         "strides with gaps");
  }
  return absl::OkStatus();
}

absl::Status CheckGraph(const EagerOp& op, const char* argument,
                        const Tensor& target, bool needs_grad) {
  if (target.requires_grad() && target.is_leaf()) {
    return Refuse(argument, "written in place under NoGradGuard only",
                  "a leaf that requires grad");
  }
  if (needs_grad && op.grad == nullptr) {
    return Refuse(argument, "written in place by an operator with a gradient",
                  "a call that would be recorded");
  }
  const ViewFamily* family = target.body()->family();
  if (family == nullptr || family->unique()) return absl::OkStatus();
  if (needs_grad || family->requires_grad()) {
    return Refuse(argument,
                  "without other views of its buffer (use a copy, or "
                  "NoGradGuard)",
                  "a tensor that shares it with one in the graph of gradients");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckInplace(const EagerOp& op,
                          absl::Span<const Tensor* const> inputs,
                          const phi::Slots& slots, bool needs_grad) {
  for (const phi::OutputInfo& output : op.info->outputs) {
    if (output.inplace_of < 0) continue;
    const char* argument = op.info->inputs[output.inplace_of].name;
    const int end = slots.end(output.inplace_of);
    for (int slot = slots.begin(output.inplace_of); slot < end; ++slot) {
      const Tensor* target = inputs[slot];
      if (target == nullptr || !target->defined()) continue;
      absl::Status status = CheckStorage(argument, *target);
      if (status.ok() && CurrentGradMode() == GradMode::kOn) {
        status = CheckGraph(op, argument, *target, needs_grad);
      }
      if (!status.ok()) return Annotate(status, op.info->name);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::eager
