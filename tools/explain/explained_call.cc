// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explained_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/core/composed_meta.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/inplace_target.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/composite.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/current_ops.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/expand_composites.h"
#include "tools/explain/beside_composite.h"

namespace switchyard::phi::selection {
namespace {

namespace ir = static_graph::ir;
using static_graph::DialectOp;
using static_graph::OpCall;

// The metadata that InferMeta sees of a call's tensors, by slot; null where
// absent.
std::vector<const TensorSpec*> GetSpecs(const InputMetas& tensors) {
  return {tensors.elements().begin(), tensors.elements().end()};
}

// The dtype that inputs were cast to, in `call` too; kUndefined if none was.
absl::StatusOr<DataType> PromoteCall(const OpInfo& op, ParsedCall* call) {
  const std::vector<const TensorSpec*> specs = GetSpecs(call->tensors());
  SY_ASSIGN_OR_RETURN(
      const DataType promoted,
      promotion::PromotedDtype(op, {specs, call->tensors().segments()}));
  if (promoted == DataType::kUndefined) return promoted;
  auto meta = call->metas().begin();
  for (const auto [argument, slot, tensor] : call->tensors()) {
    if (tensor == nullptr) continue;
    TensorMeta& promotable = *meta++;
    if (!promotion::IsPromoted(op, argument) || tensor->dtype == promoted) {
      continue;
    }
    promotable.dtype = promoted;
    promotable.contiguous = true;
  }
  return promoted;
}

Explanation Unanswered(const Query& query, const Policy& policy) {
  return {query,
          policy,
          DataType::kUndefined,
          {},
          absl::StatusOr<Selection>(absl::in_place),
          /*passed_over=*/nullptr,
          /*undecided=*/{},
          /*idle=*/false,
          /*composed=*/false,
          {}};
}

// The inputs as they are given; those that are absent of no dtype.
std::vector<TensorMeta> CopiesOf(const InputMetas& tensors) {
  std::vector<TensorMeta> copies;
  for (const TensorMeta* tensor : tensors.elements()) {
    copies.push_back(tensor == nullptr ? TensorMeta() : *tensor);
  }
  return copies;
}

// Whether the composite that ends the row has won.
bool IsComposed(const Explanation& explanation) {
  return explanation.answer.ok() && explanation.answer->composed;
}

const DialectOp* FindRecord(const OpInfo& op) {
  for (const DialectOp* record : static_graph::CurrentDialectOps()) {
    // Another record of it where kernels were added.
    if (std::string_view(record->info->name) == op.name) return record;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const ExplainedCall>> ExplainedCall::Make(
    const OpInfo& op, ParsedCall call, const Options& options) {
  std::unique_ptr<ExplainedCall> made(
      new ExplainedCall(op, std::move(call), options));
  const OpKernels* const op_kernels = options.kernels->Find(op.name);
  const bool recorded = options.recorded && !op.has(Trait::kInplaceOnly);
  const bool preferred = !op.has(Trait::kInplaceOnly) &&
                         op_kernels != nullptr &&
                         PrefersComposite(*op_kernels, options.policy);
  const DialectOp* const record = FindRecord(op);
  const bool has_composite = record != nullptr && record->composite != nullptr;
  const bool by_gradient = recorded && has_composite && record->grad == nullptr;
  const OpKernels* const beside = BesideComposite(record, op_kernels);
  if (beside != nullptr && !by_gradient && !preferred) {
    SY_RETURN_IF_ERROR(made->ExplainBeforeComposite(*beside));
    return made;
  }
  if (record != nullptr &&
      (record->composite_only || by_gradient || (preferred && has_composite))) {
    made->explanation_.composed_by_preference =
        preferred && (beside != nullptr || !record->composite_only);
    SY_RETURN_IF_ERROR(made->ExplainComposed());
    return made;
  }
  OpKernels none{};  // The binary has no kernel of it.
  none.op = op.name;
  SY_RETURN_IF_ERROR(
      Annotate(made->ExplainKernels(op_kernels == nullptr ? none : *op_kernels,
                                    /*composes=*/false),
               op.name));
  return made;
}

ExplainedCall::ExplainedCall(const OpInfo& op, ParsedCall call,
                             const Options& options)
    : op_(op),
      call_(std::move(call)),
      options_(options),
      context_(options.context == nullptr ? own_context_ : *options.context),
      explanation_(Unanswered({&op, {}, {}, {}, {}}, options.policy)) {}

absl::Status ExplainedCall::InferOutputs(Outputs* outputs) {
  const std::vector<const TensorSpec*> inputs = GetSpecs(call_.tensors());
  const ArgSegments segments = call_.tensors().segments();
  SY_RETURN_IF_ERROR(
      LayOutOutputs(op_, segments, call_.attrs(), &outputs->layout));
  outputs->metas.resize(outputs->layout.size());
  std::vector<TensorSpec*> pointers;
  for (TensorSpec& meta : outputs->metas) pointers.push_back(&meta);
  outputs->pointers.assign(pointers.begin(), pointers.end());
  const OpInfo* const inferring = WithInferMeta(op_);
  if (inferring == nullptr) {
    return absl::UnimplementedError("it is a call of other operators");
  }
  return inferring->InferMeta({{inputs, segments},
                               call_.attrs(),
                               {pointers, outputs->layout.segments()}});
}

absl::Status ExplainedCall::CheckWritten(absl::Span<const TensorMeta> given,
                                         const Outputs& outputs) const {
  const ArgSegments inputs = call_.tensors().segments();
  const ArgSegments segments = outputs.layout.segments();
  const Query& query = explanation_.query;
  const Place place = explanation_.answer->fallback
                          ? query.place
                          : ResultPlace(query.attrs, query.place);
  for (size_t slot = 0; slot < outputs.metas.size(); ++slot) {
    const int output = segments.argument_of(static_cast<int>(slot));
    const int input = op_.outputs[output].inplace_of;
    if (input < 0) continue;
    const int written =
        inputs.begin(input) + static_cast<int>(slot) - segments.begin(output);
    if (call_.tensors()[written] == nullptr) continue;
    const char* name = op_.inputs[input].name;
    const TensorMeta& tensor = given[written];
    SY_RETURN_IF_ERROR(CheckWritable(op_, name, tensor));
    SY_RETURN_IF_ERROR(CheckHolds(name, tensor, outputs.metas[slot], place));
  }
  return absl::OkStatus();
}

absl::Status ExplainedCall::CheckComposedTarget() {
  if (!options_.inplace || !explanation_.answer.ok()) return absl::OkStatus();
  Outputs outputs;
  SY_RETURN_IF_ERROR(Annotate(InferOutputs(&outputs), op_.name));
  return Annotate(CheckWritten(CopiesOf(call_.tensors()), outputs), op_.name);
}

absl::Status ExplainedCall::ExplainKernels(const OpKernels& op_kernels,
                                           bool composes) {
  const std::vector<TensorMeta> given = CopiesOf(call_.tensors());
  SY_ASSIGN_OR_RETURN(const DataType promoted, PromoteCall(op_, &call_));
  outputs_.emplace_back();
  Outputs& outputs = outputs_.back();
  SY_RETURN_IF_ERROR(InferOutputs(&outputs));
  SY_ASSIGN_OR_RETURN(Query query, call_.MakeQuery(options_.place));
  query.outputs = {outputs.pointers, outputs.layout.segments()};
  query.composes = composes;
  explanation_ = Explain(op_kernels, query, options_.policy);
  explanation_.promoted = promoted;
  if (IsComposed(explanation_)) return absl::OkStatus();
  explanation_.idle =
      IsIdle(explanation_, outputs.metas, outputs.layout.segments());
  const bool writes = options_.inplace || op_.has(Trait::kInplaceOnly);
  return writes && explanation_.answer.ok() ? CheckWritten(given, outputs)
                                            : absl::OkStatus();
}

absl::Status ExplainedCall::ExplainBeforeComposite(
    const OpKernels& op_kernels) {
  SY_RETURN_IF_ERROR(
      Annotate(ExplainKernels(op_kernels, /*composes=*/true), op_.name));
  return IsComposed(explanation_) ? ExplainComposed() : absl::OkStatus();
}

absl::Status ExplainedCall::ExplainComposed() {
  if (options_.context == nullptr) {
    SY_RETURN_IF_ERROR(
        RegisterDialects(&context_, static_graph::CurrentDialectOps()));
  }
  ir::Program program(&context_, op_.name);
  block_ = &program.entry();
  std::vector<ir::Value> inputs;
  const InputMetas tensors = call_.tensors();
  for (size_t slot = 0; slot < tensors.size(); ++slot) {
    const TensorMeta* const meta = tensors[slot];
    inputs.emplace_back();
    if (meta == nullptr) continue;
    const ir::TensorType type = context_.GetTensorType(*meta);
    inputs.back() = program.AddFeed(absl::StrCat(slot), type);
    ValueFacts& facts = facts_[inputs.back()];
    facts.meta = ContiguousMeta(type.spec(), meta->place);
    facts.meta.contiguous = meta->contiguous;
    facts.strides_known = call_.strides()[slot].has_value();
    if (facts.strides_known) facts.meta.strides = *call_.strides()[slot];
  }
  Query& query = explanation_.query;
  query.inputs = tensors;
  query.attrs = call_.attrs();
  const absl::StatusOr<Place> place =
      CallPlace(op_, tensors, call_.attrs(), options_.place);
  if (!place.ok()) return Annotate(place.status(), op_.name);
  query.place = *place;

  ir::Builder builder(&context_, block_);
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, *FindRecord(op_),
                             {inputs, tensors.segments()}, call_.attrs(),
                             &results));
  ir::Operation* const last = block_->back();
  const DialectOp* const built =
      last == nullptr ? nullptr : static_graph::FindDialectOp(*last);
  if (built != nullptr && std::string_view(built->info->name) == op_.name) {
    SY_RETURN_IF_ERROR(ExplainExpanded(last, &explanation_));
    return CheckComposedTarget();
  }
  // The builder has written it out: a call of another operator.
  return ExplainOperations(nullptr, nullptr, &explanation_);
}

absl::Status ExplainedCall::ExplainExpanded(ir::Operation* op,
                                            Explanation* explanation) {
  ir::Operation* const before = op->previous();
  ir::Operation* const end = op->next();
  SY_RETURN_IF_ERROR(static_graph::ExpandCall(&context_, op));
  return ExplainOperations(before, end, explanation);
}

absl::Status ExplainedCall::ExplainOperations(ir::Operation* before,
                                              ir::Operation* end,
                                              Explanation* explanation) {
  explanation->composed = true;
  ir::Operation* op = before == nullptr ? block_->front() : before->next();
  while (op != end) {
    // Expanding it erases it.
    ir::Operation* const next = op->next();
    if (static_graph::FindDialectOp(*op) != nullptr) {
      SY_ASSIGN_OR_RETURN(Explanation call, ExplainOperation(op));
      if (explanation->answer.ok() && !call.answer.ok()) {
        explanation->answer = call.answer.status();
      }
      explanation->calls.push_back(std::move(call));
    } else {
      for (ir::Value result : op->results()) {
        facts_[result].meta =
            ContiguousMeta(result.tensor_type().spec(), options_.place);
      }
    }
    op = next;
  }
  return absl::OkStatus();
}

absl::StatusOr<Explanation> ExplainedCall::ExplainOperation(ir::Operation* op) {
  SY_ASSIGN_OR_RETURN(OpCall read, static_graph::ReadCall(*op));
  calls_.push_back(std::move(read));
  const OpCall& call = calls_.back();
  const char* name = call.op->info->name;
  absl::StatusOr<Query> query = BuildQuery(call);
  if (!query.ok()) return Annotate(query.status(), name);
  const OpKernels* const op_kernels = options_.kernels->Find(name);
  const bool preferred = call.op->composite != nullptr &&
                         op_kernels != nullptr &&
                         PrefersComposite(*op_kernels, options_.policy);
  const OpKernels* const beside = BesideComposite(call.op, op_kernels);
  const bool behind = beside != nullptr && !preferred;
  OpKernels none{};
  none.op = name;
  Explanation explanation = Unanswered(*query, options_.policy);
  query->composes = behind;
  if (behind || (!call.op->composite_only && !preferred)) {
    explanation = Explain(op_kernels == nullptr ? none : *op_kernels, *query,
                          options_.policy);
  }
  const bool composed =
      behind ? IsComposed(explanation) : call.op->composite_only || preferred;
  if (composed) {
    explanation.composed_by_preference =
        preferred && (beside != nullptr || !call.op->composite_only);
    SY_RETURN_IF_ERROR(ExplainExpanded(op, &explanation));
    return explanation;
  }
  explanation.idle =
      IsIdle(explanation, outputs_.back().metas, call.outputs.segments());
  if (explanation.answer.ok()) {
    for (const Transform& transform : explanation.answer->transforms) {
      if (transform.kind == Transform::Kind::kContiguous &&
          facts_[call.inputs[transform.slot]].maybe_contiguous) {
        explanation.undecided.push_back(transform);
      }
    }
  }
  SY_RETURN_IF_ERROR(Annotate(facts_.NoteResults(call, explanation), name));
  return explanation;
}

absl::StatusOr<Query> ExplainedCall::BuildQuery(const OpCall& call) {
  inputs_.emplace_back();
  Inputs& inputs = inputs_.back();
  for (ir::Value input : call.inputs) {
    inputs.metas.emplace_back();
    if (!input) continue;
    TensorMeta& meta = inputs.metas.back();
    meta = facts_[input].meta;
    static_cast<TensorSpec&>(meta) = input.tensor_type().spec();
  }
  for (size_t slot = 0; slot < inputs.metas.size(); ++slot) {
    inputs.pointers.push_back(call.inputs[slot] ? &inputs.metas[slot]
                                                : nullptr);
  }
  Query query;
  query.op = call.op->info;
  query.inputs = {inputs.pointers, call.inputs.segments()};
  query.attrs = call.attrs;
  outputs_.emplace_back();
  Outputs& outputs = outputs_.back();
  for (ir::Value output : call.outputs) {
    outputs.metas.push_back(output ? output.tensor_type().spec()
                                   : TensorSpec());
  }
  for (size_t slot = 0; slot < outputs.metas.size(); ++slot) {
    outputs.pointers.push_back(call.outputs[slot] ? &outputs.metas[slot]
                                                  : nullptr);
  }
  query.outputs = {outputs.pointers, call.outputs.segments()};
  const auto dtype = KeyDtype(*query.op, query.inputs, query.attrs);
  if (!dtype.ok() && !call.op->composite_only) return dtype.status();
  if (dtype.ok()) query.dtype = *dtype;
  SY_ASSIGN_OR_RETURN(query.place, CallPlace(*query.op, query.inputs,
                                             query.attrs, options_.place));
  return query;
}

}  // namespace switchyard::phi::selection
