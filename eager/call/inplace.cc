// SPDX-License-Identifier: Apache-2.0
#include "eager/call/inplace.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/autograd_ops.h"
#include "eager/call/operator_node.h"
#include "eager/call/region.h"
#include "eager/call/view_graph.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/grad_node.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/device/transfer.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/core/inplace_target.h"

namespace switchyard::eager {
namespace {

absl::Status Refuse(const char* argument, const char* expected,
                    const char* got) {
  return absl::FailedPreconditionError(std::string(argument) + " must be " +
                                       expected + ", got " + got);
}

absl::Status CheckStorage(const EagerOp& op, const char* argument,
                          const Tensor& target) {
  SY_RETURN_IF_ERROR(
      phi::CheckWritable(*op.info, argument, target.base().meta()));
  const DenseTensor& dense = target.dense();
  if (dense.contiguous() || !OverlapsItself(dense)) return absl::OkStatus();
  return ArgumentError(argument,
                       "a tensor with memory for each of its elements to be "
                       "written in place",
                       "an expanded view: clone() it");
}

absl::Status CheckNoLeaf(const char* argument, const Tensor& target) {
  if (!target.requires_grad() || !target.is_leaf()) return absl::OkStatus();
  return Refuse(argument, "written in place under no_grad() only",
                "a leaf that requires grad");
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
  return CheckViews(argument, target, needs_grad);
}

// An argument that is written.
struct Target {
  const char* argument;
  const DenseTensor* tensor;
};

// Whether the gradient takes the elements of an input.
bool GradientReads(const EagerOp& op, int input, const InputTensors& inputs) {
  const phi::GradInfo& grad = *op.grad;
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    if (grad.inputs[i].kind == phi::GradSource::Kind::kInput &&
        grad.inputs[i].index == input &&
        ReadsElements(op, static_cast<int>(i), inputs)) {
      return true;
    }
  }
  return false;
}

// Returns a copy of `tensor` with its position in the graph.
absl::StatusOr<Tensor> CopyApart(const EagerOp& op, const Tensor& tensor) {
  const NoGradGuard guard;
  SY_ASSIGN_OR_RETURN(Tensor copy, op.autograd->Copy(tensor));
  copy.impl()->SetNode(tensor.impl()->node(), tensor.impl()->output());
  return copy;
}

// Each of several is written as if it were the only one.
absl::Status CheckApart(absl::Span<const Target> targets) {
  for (size_t i = 1; i < targets.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (!MayOverlap(*targets[i].tensor, *targets[k].tensor)) continue;
      return absl::InvalidArgumentError(
          std::string(targets[k].argument) + " and " + targets[i].argument +
          " overlap in memory, but the operator writes both");
    }
  }
  return absl::OkStatus();
}

// Whether an input that is written holds `result`.
absl::Status CheckTarget(const EagerOp& op, int input, const Tensor& target,
                         const Tensor& result) {
  return Annotate(
      phi::CheckHolds(op.info->inputs[input].name, target.base().meta(),
                      result.base().meta(), result.place()),
      op.info->name);
}

// Puts the elements of `*result` into InplaceResult() of `target`, which it
// becomes.
absl::Status WriteInto(const EagerOp& op, const Tensor& target,
                       Tensor* result) {
  Tensor made = *result;
  // A composite may give back its input, or a view of it.
  if (!made.dense().contiguous() ||
      made.dense().buffer() == target.dense().buffer()) {
    const NoGradGuard guard;
    SY_ASSIGN_OR_RETURN(made, op.autograd->Copy(made));
  }
  SY_ASSIGN_OR_RETURN(*result, InplaceResult(target));
  const DenseTensor& from = made.dense();
  if (from.numel() == 0) return absl::OkStatus();
  return CopyBytes(BytesOf(from), BytesOf(result->dense()), from.byte_size());
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
      absl::Status status = CheckStorage(op, argument, *target);
      if (status.ok() && CurrentGradMode() == GradMode::kOn) {
        status = CheckGraph(op, argument, *target, needs_grad);
      }
      if (!status.ok()) return Annotate(status, op.info->name);
      targets.push_back({argument, &target->dense()});
    }
  }
  return Annotate(CheckApart(targets), op.info->name);
}

absl::Status KeepOverwritten(const EagerOp& op, CallInputs* inputs) {
  for (const phi::OutputInfo& output : op.info->outputs) {
    if (output.inplace_of < 0 ||
        !GradientReads(op, output.inplace_of, inputs->all())) {
      continue;
    }
    const phi::ArgSegments& segments = inputs->all().segments();
    for (int slot = segments.begin(output.inplace_of);
         slot < segments.end(output.inplace_of); ++slot) {
      const Tensor* tensor = inputs->all()[slot];
      if (tensor == nullptr || !tensor->defined()) continue;
      SY_ASSIGN_OR_RETURN(Tensor copy, CopyApart(op, *tensor));
      inputs->Replace(slot, std::move(copy));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> InplaceResult(const Tensor& target) {
  const DenseTensor& dense = target.dense();
  if (ABSL_PREDICT_TRUE(dense.contiguous())) return Tensor(dense);
  SY_ASSIGN_OR_RETURN(
      DenseTensor apart,
      DenseTensor::Allocate(dense.dtype(), dense.shape(), CpuAllocator()));
  return Tensor(std::move(apart));
}

absl::Status WriteComposed(const EagerOp& op, const InputTensors& inputs,
                           const phi::ArgList<Tensor>& results) {
  for (const bool write : {false, true}) {
    for (const auto [output, slot, result] : results) {
      const int input = op.info->outputs[output].inplace_of;
      if (input < 0 || !result.defined()) continue;
      const Tensor* const target =
          inputs.list(input)[slot - results.segments().begin(output)];
      if (target == nullptr || !target->defined()) continue;
      SY_RETURN_IF_ERROR(write ? WriteInto(op, *target, &result)
                               : CheckTarget(op, input, *target, result));
    }
  }
  return absl::OkStatus();
}

void FinishInplace(const Tensor& target, Tensor* result) {
  if (ABSL_PREDICT_FALSE(!target.dense().contiguous())) {
    const DenseTensor& from = result->dense();
    DenseTensor to = target.dense();
    if (to.numel() > 0) {
      CopyStrided(ElementSize(to.dtype()), to.shape(), from.raw_data(),
                  from.strides(), to.mutable_data<void>(), to.strides());
    }
  }
  target.dense().buffer()->BumpVersion();
  *result = target;
}

absl::Status CheckBecome(const Tensor& target, bool recorded) {
  constexpr char kTarget[] = "x[...] = value: x";
  SY_RETURN_IF_ERROR(CheckNoLeaf(kTarget, target));
  return CheckViews(kTarget, target, recorded);
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
  CarryToViews(target);
}

}  // namespace switchyard::eager
