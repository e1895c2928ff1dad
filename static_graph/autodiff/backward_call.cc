// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/backward_call.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "phi/core/added_kernels.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

// The arguments of one call of a backward operator.
struct BackwardCall {
  phi::ArgBuffer<ir::Value> inputs;
  std::vector<AttrRef> attrs;
  std::vector<SuppliedAttr> supplied;
  // Indexed by output: the forward value whose gradient it is, and whether that
  // gradient is needed.
  phi::ArgBuffer<ir::Value> targets;
  phi::ArgBuffer<bool> wanted;
};

absl::StatusOr<ir::Value> OutputGradient(const GradientSums& sums,
                                         const phi::InputInfo& info,
                                         ir::Value output) {
  const ir::Value known = output ? sums.gradient(output) : ir::Value();
  // Backward operators take dense gradients.
  if (known) return sums.Dense(output, known);
  if (!output || (info.optional && !info.list)) return known;
  return sums.Filled(output, 0.0);
}

absl::Status GatherInputs(const OpCall& call, const GradientSums& sums,
                          BackwardCall* backward) {
  const phi::GradInfo& grad = *call.op->grad;
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    const phi::GradSource& source = grad.inputs[i];
    const bool from_input = source.kind == phi::GradSource::Kind::kInput;
    for (ir::Value value :
         (from_input ? call.inputs : call.outputs).list(source.index)) {
      if (source.kind == phi::GradSource::Kind::kOutputGrad) {
        SY_ASSIGN_OR_RETURN(
            value, OutputGradient(sums, grad.backward->inputs[i], value));
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

absl::Status GatherOutputs(const OpCall& call, const GradientSums& sums,
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
      backward->wanted.push_back(target && sums.required(target));
    }
    backward->wanted.EndArgument();
  }
  return absl::OkStatus();
}

absl::Status RunBackward(const DialectOp& op, const BackwardCall& backward,
                         GradientSums* sums) {
  const auto& all = backward.wanted;
  if (std::find(all.begin(), all.end(), true) == all.end()) {
    return absl::OkStatus();
  }
  std::vector<ir::Value> results;
  const phi::ArgList<const bool> all_wanted = backward.wanted.view();
  // Lowering decides where there are kernels (static_graph/lowering/lower.cc).
  if (op.composite_only && phi::AddedKernels(*op.info) == nullptr) {
    SY_RETURN_IF_ERROR(BuildComposite(sums->builder(), op,
                                      backward.inputs.view(), backward.attrs,
                                      backward.supplied, all_wanted, &results));
  } else {
    absl::InlinedVector<bool, 8> wanted(all_wanted.arguments(), false);
    for (const auto [argument, slot, one] : all_wanted) {
      wanted[argument] |= one;
    }
    BuildOpOptions options;
    options.wanted = wanted;
    options.supplied = backward.supplied;
    SY_RETURN_IF_ERROR(BuildOp(sums->builder(), op, backward.inputs.view(),
                               backward.attrs, &results, options));
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!backward.wanted[slot]) continue;
    SY_RETURN_IF_ERROR(sums->Accumulate(backward.targets[slot], results[slot]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BuildBackwardCall(const OpCall& call, GradientSums* sums) {
  const DialectOp& op = *call.op->backward;
  BackwardCall backward;
  SY_RETURN_IF_ERROR(GatherInputs(call, *sums, &backward));
  SY_RETURN_IF_ERROR(
      Annotate(GatherOutputs(call, *sums, &backward), op.info->name));
  return RunBackward(op, backward, sums);
}

}  // namespace switchyard::static_graph
