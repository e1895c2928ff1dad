// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/mark.h"

#include <string>
#include <string_view>

#include "phi/core/added_kernels.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph {
namespace {

void MarkResult(ir::Value result, GradientSums* sums) {
  if (IsDifferentiable(result.tensor_type().dtype()) &&
      !sums->stopped(result)) {
    sums->Require({result});
  }
}

// As in eager, where such a call is composed once it is recorded: a kernel that
// was added to an operator without a gradient would compute something else than
// what is differentiated. The operation says so in its policy.
void PreferComposite(const DialectOp& record, const ir::Operation& op,
                     GradientSums* sums) {
  if (!record.composite_only || phi::AddedKernels(*record.info) == nullptr) {
    return;
  }
  constexpr std::string_view kWord = "prefer=composed";
  const ir::Attribute own = op.attribute(kPolicyAttr);
  const std::string others(own ? own.text() : std::string_view());
  if (others.compare(0, kWord.size(), kWord) == 0) return;
  ir::Context* const context = sums->builder().context();
  op.result(0).defining_op()->SetAttribute(
      context->GetString(kPolicyAttr),
      context->GetString(std::string(kWord) +
                         (others.empty() ? "" : "," + others)));
}

void MarkIf(const ir::Operation& op, GradientSums* sums) {
  for (int branch = 0; branch < 2; ++branch) {
    for (const ir::Operation* inner : op.block(branch)) Mark(*inner, sums);
    const ir::Operation& yield = *op.block(branch).terminator();
    for (int i = 0; i < op.num_results(); ++i) {
      if (sums->required(yield.operand(i)) && !sums->stopped(op.result(i))) {
        sums->Require({op.result(i)});
      }
    }
  }
}

// An iteration's values need a gradient if the first ones do, or if an earlier
// iteration made them from something that does.
void MarkWhile(const ir::Operation& op, GradientSums* sums) {
  const ir::Block& body = op.block(1);
  const ir::Operation& yield = *body.terminator();
  for (int i = 0; i < op.num_operands(); ++i) {
    if (sums->required(op.operand(i))) MarkResult(body.argument(i), sums);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Operation* inner : body) Mark(*inner, sums);
    for (int i = 0; i < op.num_operands(); ++i) {
      if (!sums->required(yield.operand(i)) ||
          sums->required(body.argument(i))) {
        continue;
      }
      MarkResult(body.argument(i), sums);
      changed |= sums->required(body.argument(i));
    }
  }
  for (int i = 0; i < op.num_results(); ++i) {
    if (sums->required(body.argument(i))) MarkResult(op.result(i), sums);
  }
}

void MarkCustomGradient(const ir::Operation& op, GradientSums* sums) {
  for (ir::Value target : CustomGradientTargets(op)) {
    if (!sums->required(target)) continue;
    for (ir::Value result : op.results()) MarkResult(result, sums);
    return;
  }
}

}  // namespace

void Mark(const ir::Operation& op, GradientSums* sums) {
  if (op.name() == kIfOp) return MarkIf(op, sums);
  if (op.name() == kWhileOp) return MarkWhile(op, sums);
  if (op.name() == kCustomGradientOp) return MarkCustomGradient(op, sums);
  if (op.name() == kKeptGradientOp) {
    if (sums->required(op.operand(1))) MarkResult(op.result(0), sums);
    return;
  }
  const DialectOp* record = FindDialectOp(op);
  if (record == nullptr) return;
  bool reached = false;
  for (int i = 0; i < op.num_operands(); ++i) {
    reached |= sums->required(op.operand(i));
  }
  if (!reached) return;
  if (record->grad == nullptr) {
    // An operator without a gradient ends the flow, as in eager; a backward one
    // doesn't: its gradient is missing, as Visit says if one is needed.
    const bool ends = record->composite == nullptr &&
                      !IsBackwardOperator(*sums->builder().context(), *record);
    if (ends) return;
    PreferComposite(*record, op, sums);
    for (ir::Value result : op.results()) MarkResult(result, sums);
    return;
  }
  // As in eager: an output that the backward operator takes no gradient for (a
  // mask, an index) has none.
  for (const phi::GradSource& source : record->grad->inputs) {
    if (source.kind != phi::GradSource::Kind::kOutputGrad) continue;
    const ir::Segment segment = ir::ResultSegment(op, source.index);
    for (int i = 0; i < segment.size; ++i) {
      MarkResult(op.result(segment.begin + i), sums);
    }
  }
}

}  // namespace switchyard::static_graph
