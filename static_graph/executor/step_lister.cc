// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/step_lister.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"
#include "phi/selection/explain.h"
#include "static_graph/executor/plan_transforms.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Explanation;
using TransformKind = phi::selection::Transform::Kind;
using Reasons = std::vector<std::string>;

void AddReasons(const Reasons& reasons, Reasons* to) {
  for (const std::string& reason : reasons) {
    if (std::find(to->begin(), to->end(), reason) == to->end()) {
      to->push_back(reason);
    }
  }
}

// The known facts of a value. Strides are not known where an extent is not;
// such a view counts as not contiguous.
struct Facts {
  TensorMeta meta;
  bool strides_known = true;
  ValueId origin = kNoValue;  // What a chain of transforms began with.
  Reasons extents;            // What its unknown extents depend on, in words.
  Reasons layout;  // What its layout depends on, if a run chooses that.
};

Facts ContiguousFacts(const TensorSpec& meta, Place place) {
  Facts facts;
  static_cast<TensorSpec&>(facts.meta) = meta;
  facts.meta.place = place;
  facts.strides_known = meta.shape.known();
  if (facts.strides_known) facts.meta.strides = ContiguousStrides(meta.shape);
  return facts;
}

// Returns "s0 (axis 0 of feed x)" for each unknown extent of a feed.
Reasons ReasonsOf(const ProgramPlan::Port& feed, const Shape& shape) {
  Reasons reasons;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) continue;
    const std::string where =
        absl::StrCat("axis ", axis, " of feed ", feed.name);
    reasons.push_back(
        shape[axis].symbolic()
            ? absl::StrCat(ToString(shape[axis]), " (", where, ")")
            : where);
  }
  return reasons;
}

// Whether a call with one of these kernels may run in another layout than the
// one that selection sees.
bool ChoosesLayouts(const phi::selection::Selection& selection) {
  const auto chooses = [](const phi::KernelDef* kernel) {
    return kernel != nullptr && kernel->layouts != nullptr;
  };
  return chooses(selection.kernel) ||
         std::any_of(selection.residual.begin(), selection.residual.end(),
                     chooses);
}

// One block of the program.
class BlockLister {
 public:
  BlockLister(const ProgramPlan& program, const Plan& plan)
      : program_(program),
        plan_(plan),
        facts_(plan.values.size()),
        waiting_(plan.instructions.size()),
        positions_(plan.instructions.size(), -1) {}

  // `arguments` are the block's, if it is one of cf.
  absl::StatusOr<StepList> Run(absl::Span<const Shape> feeds,
                               absl::Span<const Facts> arguments, int begin) {
    for (size_t id = 0; id < facts_.size(); ++id) {
      const PlanValue& value = plan_.values[id];
      TensorSpec meta = value.meta;
      if (value.source == PlanValue::Source::kFeed) {
        meta.shape = feeds[value.index];
      }
      facts_[id] = value.source == PlanValue::Source::kArgument
                       ? arguments[value.index]
                       : ContiguousFacts(meta, value.place);
      facts_[id].origin = static_cast<ValueId>(id);
      if (value.source == PlanValue::Source::kFeed) {
        facts_[id].extents = ReasonsOf(program_.feeds[value.index], meta.shape);
      }
    }
    const int count = static_cast<int>(plan_.instructions.size());
    for (number_ = 0; number_ < count; ++number_) {
      listed_ = number_ >= begin;
      const Instruction& instruction = plan_.instructions[number_];
      if (instruction.kind == Instruction::Kind::kLaunch) {
        SY_RETURN_IF_ERROR(
            Annotate(AddLaunch(instruction), instruction.op->name));
      } else {
        SY_RETURN_IF_ERROR(AddBlocks(instruction));
      }
    }
    return std::move(list_);
  }

 private:
  // Knows of results that control flow yields no more than the plan says.
  absl::Status AddBlocks(const Instruction& instruction) {
    const bool loop = instruction.kind == Instruction::Kind::kWhile;
    ListedCall call;
    call.instruction = &instruction;
    for (const auto& block : instruction.blocks()) {
      std::vector<Facts> arguments;
      // A loop's own values are copied into memory of their own.
      for (size_t k = 0; loop && k < instruction.inputs.size(); ++k) {
        const Facts& first = facts_[instruction.inputs[k]];
        arguments.push_back(ContiguousFacts(first.meta, first.meta.place));
        arguments.back().extents = first.extents;
      }
      for (const ValueId capture : block->captures) {
        arguments.push_back(facts_[capture]);
      }
      SY_ASSIGN_OR_RETURN(
          call.blocks.emplace_back(),
          BlockLister(program_, *block).Run({}, arguments, /*begin=*/0));
    }
    const std::string name = loop ? "cf.while" : "cf.if";
    for (const ValueId output : instruction.outputs) {
      if (facts_[output].meta.shape.known()) continue;
      facts_[output].extents = {absl::StrCat("what ", name, " yields")};
    }
    if (listed_) list_.calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  absl::Status AddLaunch(const Instruction& instruction) {
    std::vector<TensorSpec> outputs;
    SY_RETURN_IF_ERROR(Infer(instruction, &outputs));
    if (instruction.call >= 0) {
      NoteTransform(instruction, outputs[0]);
      return absl::OkStatus();
    }
    ListedCall call;
    call.instruction = &instruction;
    call.inputs = OriginMetas(instruction);
    call.outputs = outputs;
    SetAttributes(instruction.attrs, &call);
    const ListedQuery query(call);
    Explanation explanation = Explain(*instruction.op_kernels, query.get(),
                                      instruction.GetPolicy(program_.policy));
    call.launched =
        !IsIdle(explanation, outputs, instruction.outputs.segments());
    call.refusal = explanation.answer.status();
    if (call.refusal.ok()) call.selection = *explanation.answer;
    call.transforms = std::move(waiting_[number_]);
    // While a candidate is undecided, its layouts are too.
    if (instruction.candidates().empty()) SetTransforms(&call);
    FindOpen(instruction, &call);
    SY_RETURN_IF_ERROR(NoteOutputs(instruction, call, outputs));
    positions_[number_] = static_cast<int>(list_.calls.size());
    if (listed_) list_.calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  // Names the facts that may still change the answer: extents that a candidate
  // asks for, strides of views, layouts that a run chooses.
  void FindOpen(const Instruction& instruction, ListedCall* call) const {
    Reasons extents, layouts;
    for (const ValueId input : instruction.inputs) {
      if (input == kNoValue) continue;
      AddReasons(facts_[input].extents, &extents);
      AddReasons(facts_[input].layout, &layouts);
    }
    for (const phi::selection::Transform& transform :
         call->selection.transforms) {
      const ValueId input = instruction.inputs[transform.slot];
      if (transform.kind == TransformKind::kContiguous &&
          !facts_[facts_[input].origin].strides_known) {
        call->undecided.push_back(transform);
      }
    }
    const bool chosen_by_run = !instruction.candidates().empty();
    const bool undecided =
        !call->selection.residual.empty() || !call->undecided.empty();
    const bool layout =
        !layouts.empty() || (chosen_by_run && ChoosesLayouts(call->selection));
    if (!undecided && !layout) return;
    call->open = extents;
    if (!call->selection.residual.empty()) {
      AddReasons(Suppliers(instruction), &call->open);
    }
    AddReasons(layouts, &call->open);
    if (call->open.empty()) call->open = {"the layouts of what it reads"};
  }

  void NoteTransform(const Instruction& instruction, const TensorSpec& result) {
    const Facts& input = facts_[instruction.inputs[0]];
    Facts facts = ContiguousFacts(result, instruction.result_place);
    facts.origin = instruction.role == StepRole::kOutput
                       ? instruction.outputs[0]
                       : input.origin;
    facts.extents = input.extents;
    ListedTransform listed;
    listed.role = instruction.role;
    listed.transform = {
        TransformKindOf(program_, instruction), instruction.slot, result.dtype,
        instruction.result_place,
        instruction.role == StepRole::kOutput ? input.meta.layout
                                              : result.layout};
    listed.kernel = instruction.kernel;
    listed.place = instruction.place;
    if (result.shape.known() && result.kind == TensorKind::kDense) {
      const auto bytes =
          CheckedByteSize(result.dtype, result.shape, result.layout);
      if (bytes.ok()) listed.bytes = *bytes;
    }
    // A contiguous tensor is left as it is.
    const bool idle = listed.transform.kind == TransformKind::kContiguous &&
                      input.meta.contiguous;
    facts_[instruction.outputs[0]] = std::move(facts);
    if (idle || !listed_) return;
    if (instruction.call > number_) {
      waiting_[instruction.call].push_back(std::move(listed));
      return;
    }
    const int position = positions_[instruction.call];
    ListedCall* const call = position < 0 ? nullptr : &list_.calls[position];
    if (call == nullptr) {
      list_.elsewhere.push_back(
          {&plan_.instructions[instruction.call], std::move(listed)});
      return;
    }
    call->transforms.push_back(std::move(listed));
    if (call->instruction->candidates().empty()) SetTransforms(call);
  }

  // The inputs of a call before its transforms, strided: kernels are chosen as
  // for such.
  std::vector<std::optional<TensorMeta>> OriginMetas(
      const Instruction& instruction) const {
    std::vector<std::optional<TensorMeta>> metas;
    for (const ValueId input : instruction.inputs) {
      metas.emplace_back();
      if (input == kNoValue) continue;
      metas.back() = facts_[facts_[input].origin].meta;
      if (metas.back()->layout.strided()) continue;
      metas.back()->layout = LayoutDescriptor();
      metas.back()->contiguous = true;
    }
    return metas;
  }

  absl::Status Infer(const Instruction& instruction,
                     std::vector<TensorSpec>* outputs) {
    std::vector<const TensorSpec*> inputs;
    for (const ValueId input : instruction.inputs) {
      inputs.push_back(input == kNoValue ? nullptr : &facts_[input].meta);
    }
    outputs->resize(instruction.outputs.size());
    std::vector<TensorSpec*> wanted;
    for (size_t slot = 0; slot < outputs->size(); ++slot) {
      wanted.push_back(
          instruction.outputs[slot] == kNoValue ? nullptr : &(*outputs)[slot]);
    }
    return instruction.op->InferMeta(
        {{inputs, instruction.inputs.segments()},
         instruction.attrs,
         {wanted, instruction.outputs.segments()}});
  }

  // Says which values give a call attributes that are not known yet.
  Reasons Suppliers(const Instruction& instruction) const {
    Reasons reasons;
    for (const SuppliedValues& supplied : instruction.supplied()) {
      for (const ValueId value : supplied.values) {
        AddReasons(facts_[value].extents, &reasons);
      }
      AddReasons({absl::StrCat("what supplies ",
                               instruction.op->attrs[supplied.attr].name,
                               " of ", instruction.op->name)},
                 &reasons);
    }
    return reasons;
  }

  // Says what unknown extents of a call's results depend on.
  Reasons ResultReasons(const Instruction& instruction) const {
    Reasons reasons;
    for (const ValueId input : instruction.inputs) {
      if (input != kNoValue) AddReasons(facts_[input].extents, &reasons);
    }
    AddReasons(Suppliers(instruction), &reasons);
    if (reasons.empty()) {
      reasons = {absl::StrCat("the elements that ", instruction.op->name,
                              " computes")};
    }
    return reasons;
  }

  absl::Status NoteOutputs(const Instruction& instruction,
                           const ListedCall& call,
                           absl::Span<const TensorSpec> outputs) {
    SY_ASSIGN_OR_RETURN(const std::vector<TensorMeta> views,
                        GetViews(instruction, call, outputs));
    for (size_t slot = 0; slot < outputs.size(); ++slot) {
      const ValueId output = instruction.outputs[slot];
      if (output == kNoValue) continue;
      Facts& facts = facts_[output];
      facts = ContiguousFacts(outputs[slot], instruction.result_place);
      facts.meta.layout = plan_.values[output].meta.layout;
      facts.origin = output;
      if (!outputs[slot].shape.known()) {
        facts.extents = ResultReasons(instruction);
      }
      if (ChoosesLayouts(call.selection)) facts.layout = call.open;
      if (!instruction.sources[slot].view) continue;
      facts.strides_known = !views.empty();
      if (facts.strides_known) {
        facts.meta = views[slot];
      } else {
        facts.meta.contiguous = false;
      }
    }
    return absl::OkStatus();
  }

  // The outputs of a view operator by slot; empty where they are not known.
  absl::StatusOr<std::vector<TensorMeta>> GetViews(
      const Instruction& instruction, const ListedCall& listed,
      absl::Span<const TensorSpec> outputs) {
    bool known = listed.refusal.ok() && listed.selection.kernel != nullptr &&
                 listed.selection.residual.empty();
    bool view = false;
    for (const Instruction::OutputSource& source : instruction.sources) {
      view |= source.view;
    }
    std::vector<const TensorMeta*> inputs;
    for (const ValueId input : instruction.inputs) {
      inputs.push_back(input == kNoValue ? nullptr : &facts_[input].meta);
      known &= input == kNoValue || facts_[input].strides_known;
    }
    std::vector<const TensorSpec*> wanted;
    for (size_t slot = 0; slot < outputs.size(); ++slot) {
      wanted.push_back(instruction.outputs[slot] == kNoValue ? nullptr
                                                             : &outputs[slot]);
      known &= outputs[slot].shape.known();
    }
    for (const AttrRef& attr : instruction.attrs) known &= !attr.supplied();
    if (!known || !view) return std::vector<TensorMeta>();
    phi::ViewCall call;
    call.kernel = listed.selection.kernel;
    call.place = instruction.place;
    call.inputs = {inputs, instruction.inputs.segments()};
    call.attrs = instruction.attrs;
    call.outputs = {wanted, instruction.outputs.segments()};
    return ViewMetas(call);
  }

  const ProgramPlan& program_;
  const Plan& plan_;
  std::vector<Facts> facts_;  // By value.
  // Indexed by instruction: transforms that come before the call that needs
  // them, and where in the list a call is.
  std::vector<std::vector<ListedTransform>> waiting_;
  std::vector<int> positions_;
  int number_ = 0;       // Of the current instruction,
  bool listed_ = false;  // and whether the list is to have it.
  StepList list_;
};

}  // namespace

absl::StatusOr<StepList> ListOpen(const ProgramPlan& program,
                                  absl::Span<const Shape> feeds, int begin) {
  return BlockLister(program, program.body).Run(feeds, {}, begin);
}

}  // namespace switchyard::static_graph
