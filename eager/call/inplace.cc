// SPDX-License-Identifier: Apache-2.0
#include "eager/call/inplace.h"

#include <string>

#include "absl/container/inlined_vector.h"
#include "eager/autograd/grad_mode.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/view_group.h"

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

absl::Status CheckNoLeaf(const char* argument, const Tensor& target) {
  if (!target.requires_grad() || !target.is_leaf()) return absl::OkStatus();
  return Refuse(argument, "written in place under no_grad() only",
                "a leaf that requires grad");
}

absl::Status CheckNoViews(const char* argument, const Tensor& target,
                          bool needs_grad) {
  const ViewGroup* group = target.impl()->view_group();
  if (group == nullptr || group->unique()) return absl::OkStatus();
  if (needs_grad || group->requires_grad()) {
    return absl::FailedPreconditionError(
        std::string(argument) +
        " shares memory with other views while gradients are recorded; clone "
        "it or write under no_grad()");
  }
  return absl::OkStatus();
}

absl::Status CheckGraph(const EagerOp& op, const char* argument,
                        const Tensor& target, bool needs_grad) {
  SY_RETURN_IF_ERROR(CheckNoLeaf(argument, target));
  if (needs_grad && op.grad == nullptr) {
    return absl::FailedPreconditionError(
        std::string(argument) +
        " cannot be written in place while gradients are recorded: the "
        "operator has no gradient");
  }
  return CheckNoViews(argument, target, needs_grad);
}

// An argument that is written.
struct Target {
  const char* argument;
  const DenseTensor* tensor;
};

// Whether two contiguous tensors have an element's memory in common.
bool Overlap(const DenseTensor& a, const DenseTensor& b) {
  if (!a.buffer() || a.buffer() != b.buffer()) return false;
  const auto begin = [](const DenseTensor& tensor) {
    return tensor.offset() * static_cast<int64_t>(ElementSize(tensor.dtype()));
  };
  const auto end = [&begin](const DenseTensor& tensor) {
    return begin(tensor) +
           tensor.numel() * static_cast<int64_t>(ElementSize(tensor.dtype()));
  };
  return begin(a) < end(b) && begin(b) < end(a);
}

// Each of several is written as if it were the only one.
absl::Status CheckApart(absl::Span<const Target> targets) {
  for (size_t i = 1; i < targets.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!Overlap(*targets[i].tensor, *targets[k].tensor)) continue;
      return absl::InvalidArgumentError(
          std::string(targets[k].argument) + " and " + targets[i].argument +
          " overlap in memory, but the operator writes both");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckInplace(const EagerOp& op, const InputTensors& inputs,
                          bool needs_grad) {
  absl::InlinedVector<Target, 8> targets;
  for (const phi::OutputInfo& output : op.info->outputs) {
    if (output.inplace_of < 0) continue;
    const char* argument = op.info->inputs[output.inplace_of].name;
    for (const Tensor* target : inputs.list(output.inplace_of)) {
      if (target == nullptr || !target->defined()) continue;
      absl::Status status = CheckStorage(argument, *target);
      if (status.ok() && CurrentGradMode() == GradMode::kOn) {
        status = CheckGraph(op, argument, *target, needs_grad);
      }
      if (!status.ok()) return Annotate(status, op.info->name);
      targets.push_back({argument, &target->dense()});
    }
  }
  return Annotate(CheckApart(targets), op.info->name);
}

absl::Status CheckBecome(const Tensor& target) {
  constexpr char kTarget[] = "x[...] = value: x";
  SY_RETURN_IF_ERROR(CheckNoLeaf(kTarget, target));
  return CheckNoViews(kTarget, target, true);
}

void TakeGraphOf(const Tensor& result, const Tensor& target) {
  TensorImpl& impl = *target.impl();
  const bool retain = target.retains_grad();
  const uint32_t output = result.impl()->output();
  if (impl.meta()) impl.SetMeta(nullptr);
  impl.SetNode(result.impl()->node(), output);
  if (retain && impl.node()) {
    impl.MutableMeta().set_retain_grad();
    impl.node()->SetMeta(output, impl.meta());
  }
  if (ViewGroup* group = impl.view_group()) group->SetRequiresGrad();
}

}  // namespace switchyard::eager
