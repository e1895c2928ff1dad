// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/reverse.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "phi/core/added_kernels.h"
#include "static_graph/dialect/autodiff_ops.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph {

struct Reverse::BackwardCall {
  const DialectOp* op = nullptr;
  phi::ArgBuffer<ir::Value> inputs;
  std::vector<AttrRef> attrs;
  std::vector<SuppliedAttr> supplied;
  // Indexed by output: the forward value whose gradient it is, and whether that
  // gradient is needed.
  phi::ArgBuffer<ir::Value> targets;
  phi::ArgBuffer<bool> wanted;
};

void Reverse::Require(absl::Span<const ir::Value> values) {
  required_.insert(values.begin(), values.end());
}

void Reverse::Stop(absl::Span<const ir::Value> values) {
  stopped_.insert(values.begin(), values.end());
  for (ir::Value value : values) required_.erase(value);
}

void Reverse::MarkResult(ir::Value result) {
  if (IsDifferentiable(result.tensor_type().dtype()) &&
      !Contains(stopped_, result)) {
    required_.insert(result);
  }
}

void Reverse::Mark(const ir::Operation& op) {
  if (op.name() == kIfOp) return MarkIf(op);
  if (op.name() == kWhileOp) return MarkWhile(op);
  if (op.name() == kCustomGradientOp) return MarkCustomGradient(op);
  if (op.name() == kKeptGradientOp) return MarkKeptGradient(op);
  const DialectOp* record = FindDialectOp(op);
  if (record == nullptr) return;
  bool reached = false;
  for (int i = 0; i < op.num_operands(); ++i) {
    reached |= required(op.operand(i));
  }
  if (!reached) return;
  if (record->grad == nullptr) {
    // An operator without a gradient ends the flow, as in eager; a backward one
    // doesn't: its gradient is missing, as Visit says if one is needed.
    const bool ends = record->composite == nullptr &&
                      !IsBackwardOperator(*builder_->context(), *record);
    if (ends) return;
    for (ir::Value result : op.results()) MarkResult(result);
    return;
  }
  // As in eager: an output that the backward operator takes no gradient for (a
  // mask, an index) has none.
  for (const phi::GradSource& source : record->grad->inputs) {
    if (source.kind != phi::GradSource::Kind::kOutputGrad) continue;
    const ir::Segment segment = ir::ResultSegment(op, source.index);
    for (int i = 0; i < segment.size; ++i) {
      MarkResult(op.result(segment.begin + i));
    }
  }
}

void Reverse::MarkIf(const ir::Operation& op) {
  for (int branch = 0; branch < 2; ++branch) {
    for (const ir::Operation* inner : op.block(branch)) Mark(*inner);
    const ir::Operation& yield = *op.block(branch).terminator();
    for (int i = 0; i < op.num_results(); ++i) {
      if (required(yield.operand(i)) && !Contains(stopped_, op.result(i))) {
        required_.insert(op.result(i));
      }
    }
  }
}

ir::Value Reverse::gradient(ir::Value value) const {
  const auto found = gradients_.find(First(value));
  return found == gradients_.end() ? ir::Value() : found->second;
}

absl::Status Reverse::Accumulate(ir::Value value, ir::Value contribution) {
  if (!required(value)) return absl::OkStatus();
  ir::Value& sum = gradients_[First(value)];
  if (!sum) {
    sum = contribution;
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(sum, BuildSum(*builder_, sum, contribution));
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> Reverse::Filled(ir::Value like, double number) {
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

absl::StatusOr<ir::Value> Reverse::Dense(ir::Value like, ir::Value gradient) {
  const TensorKind kind = gradient.tensor_type().kind();
  if (kind != TensorKind::kSelectedRows) return gradient;
  SY_ASSIGN_OR_RETURN(const ir::Value zeros, Filled(like, 0.0));
  return BuildSum(*builder_, zeros, gradient);
}

absl::Status Reverse::MakeDense(absl::Span<const ir::Value> values) {
  for (ir::Value value : values) {
    const auto found = gradients_.find(First(value));
    if (found == gradients_.end()) continue;
    SY_ASSIGN_OR_RETURN(found->second, Dense(value, found->second));
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> Reverse::SumOrNothing(ir::Value value) {
  const ir::Value sum = gradient(value);
  return sum ? Dense(value, sum) : Filled(value, -0.0);
}

absl::Status Reverse::Visit(const ir::Operation& op) {
  bool reached = false;
  for (int i = 0; i < op.num_results(); ++i) {
    reached |= Contains(gradients_, op.result(i));
  }
  if (!reached) return absl::OkStatus();
  // The backward comes from where the forward does.
  builder_->SetLocation(op.location());
  return ir::AtLocation(VisitReached(Recomputed(op)), op.location());
}

absl::Status Reverse::VisitReached(const ir::Operation& op) {
  if (op.name() == kIfOp) return VisitIf(op);
  if (op.name() == kWhileOp) return VisitWhile(op);
  if (op.name() == kCustomGradientOp) return VisitCustomGradient(op);
  if (op.name() == kKeptGradientOp) {
    return Accumulate(op.operand(1), gradient(op.result(0)));
  }
  return VisitCall(op);
}

// An operator that has no gradient but is written as others that have: it is
// written out here once more (the gradient of a gradient comes this way).
absl::Status Reverse::VisitComposite(const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  absl::InlinedVector<bool, 8> wanted;
  for (ir::Value output : call.outputs) wanted.push_back(bool(output));
  ir::Operation* const before = builder_->previous();
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildComposite(
      *builder_, *call.op, call.inputs.view(), call.attrs, call.supplied,
      {wanted, call.outputs.segments()}, &results));
  std::vector<ir::Operation*> written;
  for (ir::Operation* made = builder_->previous(); made != before;
       made = made->previous()) {
    written.push_back(made);
  }
  for (auto made = written.rbegin(); made != written.rend(); ++made) {
    Mark(**made);
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    const ir::Value sum =
        wanted[slot] ? gradient(call.outputs[slot]) : ir::Value();
    if (sum) SY_RETURN_IF_ERROR(Accumulate(results[slot], sum));
  }
  for (ir::Operation* made : written) SY_RETURN_IF_ERROR(Visit(*made));
  return absl::OkStatus();
}

absl::Status Reverse::VisitCall(const ir::Operation& op) {
  // An operation that computed one of the values in question need not be
  // reversed.
  bool needed = false;
  for (int i = 0; i < op.num_operands(); ++i) {
    needed |= required(op.operand(i));
  }
  if (!needed) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  if (call.op->grad == nullptr && call.op->composite == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        call.op->info->name,
        " is not differentiable: it has neither a backward operator nor a "
        "composite"));
  }
  if (call.op->grad == nullptr) return VisitComposite(op);
  BackwardCall backward;
  backward.op = call.op->backward;
  SY_RETURN_IF_ERROR(GatherInputs(call, &backward));
  SY_RETURN_IF_ERROR(
      Annotate(GatherOutputs(call, &backward), backward.op->info->name));
  return RunBackward(*backward.op, &backward);
}

absl::StatusOr<ir::Value> Reverse::OutputGradient(const phi::InputInfo& info,
                                                  ir::Value output) {
  const ir::Value known = output ? gradient(output) : ir::Value();
  // Backward operators take dense gradients.
  if (known) return Dense(output, known);
  if (!output || (info.optional && !info.list)) return known;
  return Filled(output, 0.0);
}

absl::Status Reverse::GatherInputs(const OpCall& call, BackwardCall* backward) {
  const phi::GradInfo& grad = *call.op->grad;
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    const phi::GradSource& source = grad.inputs[i];
    const bool from_input = source.kind == phi::GradSource::Kind::kInput;
    for (ir::Value value :
         (from_input ? call.inputs : call.outputs).list(source.index)) {
      if (source.kind == phi::GradSource::Kind::kOutputGrad) {
        SY_ASSIGN_OR_RETURN(value,
                            OutputGradient(grad.backward->inputs[i], value));
      }
      backward->inputs.push_back(value);
    }
    backward->inputs.EndArgument();
  }
  for (size_t i = 0; i < grad.attrs.size(); ++i) {
    backward->attrs.push_back(grad.attrs[i] >= 0
                                  ? call.attrs[grad.attrs[i]]
                                  : grad.backward->attrs[i].default_value);
    // The values that supplied the forward attribute supply this one.
    for (const SuppliedAttr& supplied : call.supplied) {
      if (supplied.attr != grad.attrs[i]) continue;
      backward->supplied.push_back({static_cast<int>(i), supplied.values});
    }
  }
  return absl::OkStatus();
}

absl::Status Reverse::GatherOutputs(const OpCall& call,
                                    BackwardCall* backward) {
  const phi::GradInfo& grad = *call.op->grad;
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(
      *grad.backward, backward->inputs.segments(), backward->attrs, &layout));
  for (size_t i = 0; i < grad.outputs.size(); ++i) {
    const absl::Span<const ir::Value> targets =
        call.inputs.list(grad.outputs[i]);
    const size_t count = layout.segments().size(static_cast<int>(i));
    if (count != targets.size()) {
      return ArgumentError(grad.backward->outputs[i].name,
                           absl::StrCat(targets.size(), " tensors"),
                           absl::StrCat(count));
    }
    backward->targets.AddList(targets);
    for (ir::Value target : targets) {
      backward->wanted.push_back(target && required(target));
    }
    backward->wanted.EndArgument();
  }
  return absl::OkStatus();
}

absl::Status Reverse::RunBackward(const DialectOp& op, BackwardCall* backward) {
  const auto& all = backward->wanted;
  if (std::find(all.begin(), all.end(), true) == all.end()) {
    return absl::OkStatus();
  }
  std::vector<ir::Value> results;
  const phi::ArgList<const bool> all_wanted = backward->wanted.view();
  // Lowering decides where there are kernels (static_graph/lowering/lower.cc).
  if (op.composite_only && phi::AddedKernels(*op.info) == nullptr) {
    SY_RETURN_IF_ERROR(BuildComposite(*builder_, op, backward->inputs.view(),
                                      backward->attrs, backward->supplied,
                                      all_wanted, &results));
  } else {
    absl::InlinedVector<bool, 8> wanted(all_wanted.arguments(), false);
    for (const auto [argument, slot, one] : all_wanted) {
      wanted[argument] |= one;
    }
    BuildOpOptions options;
    options.wanted = wanted;
    options.supplied = backward->supplied;
    SY_RETURN_IF_ERROR(BuildOp(*builder_, op, backward->inputs.view(),
                               backward->attrs, &results, options));
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!backward->wanted[slot]) continue;
    SY_RETURN_IF_ERROR(Accumulate(backward->targets[slot], results[slot]));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
