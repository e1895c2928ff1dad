// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/plan_explainer.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"
#include "phi/selection/explain.h"
#include "phi/selection/transcript.h"
#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/plan_transforms.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Explanation;
using TransformKind = phi::selection::Transform::Kind;

// The known facts of a value. Strides are not known where an extent is not;
// such a view counts as not contiguous.
struct Facts {
  TensorMeta meta;
  bool strides_known = true;
  ValueId origin = kNoValue;  // What a chain of transforms began with.
  phi::selection::Transforms chain = {};  // Those that run, in order.
};

Facts ContiguousFacts(const TensorSpec& meta, Place place) {
  Facts facts;
  static_cast<TensorSpec&>(facts.meta) = meta;
  facts.meta.place = place;
  facts.strides_known = meta.shape.known();
  if (facts.strides_known) facts.meta.strides = ContiguousStrides(meta.shape);
  return facts;
}

// Returns `text` with a line after its first that says where the operation
// comes from, if that is known.
std::string WithLocation(std::string text, const Instruction& instruction) {
  if (!instruction.location) return text;
  return text.insert(
      text.find('\n') + 1,
      absl::StrCat("location: ", ir::ToString(instruction.location), "\n"));
}

// The explanation so far.
class Report {
 public:
  Report(ExplanationForm form, const RelaxedChoices& relaxed)
      : json_(form == ExplanationForm::kJson), relaxed_(ToString(relaxed)) {
    if (!json_ && relaxed != RelaxedChoices()) {
      text_ = absl::StrCat("relaxed: ", relaxed_, "\n");
    }
  }

  void BeginBlock(const std::string& name, const Instruction& instruction) {
    blocks_.push_back(name);
    if (!json_) text_ += WithLocation(name + ":\n", instruction);
  }
  void EndBlock() { blocks_.pop_back(); }
  // Ends the blocks of an instruction.
  void End(const char* name) {
    if (!json_) absl::StrAppend(&text_, "end of ", name, "\n");
  }

  void Add(const Explanation& explanation, const Instruction& instruction) {
    if (json_) {
      AddJson(explanation, instruction);
    } else {
      text_ += WithLocation(ToText(explanation), instruction);
    }
  }

  std::string Take() {
    if (json_) text_ += text_.empty() ? "[]\n" : "]\n";
    return std::move(text_);
  }

 private:
  void AddJson(const Explanation& explanation, const Instruction& instruction) {
    using Json = nlohmann::ordered_json;
    Json facts = {
        {"location", nullptr}, {"blocks", blocks_}, {"relaxed", relaxed_}};
    if (instruction.location) {
      facts["location"] = ir::ToString(instruction.location);
    }
    // One object of the two.
    std::string object = ToJson(explanation);
    object.resize(object.rfind('}'));
    while (object.back() == '\n' || object.back() == ' ') object.pop_back();
    const std::string more =
        facts.dump(2, ' ', false, Json::error_handler_t::replace);
    absl::StrAppend(&text_, text_.empty() ? "[\n" : ",\n", object, ",",
                    more.substr(1), "\n");
  }

  const bool json_;
  const std::string relaxed_;
  std::vector<std::string> blocks_;  // Around the next call.
  std::string text_;
};

// One block of the program.
class BlockExplainer {
 public:
  BlockExplainer(const ProgramPlan& program, const phi::KernelTable& kernels,
                 const Plan& plan, Report* report)
      : program_(program),
        kernels_(kernels),
        plan_(plan),
        facts_(plan.values.size()),
        report_(*report) {}

  // `arguments` are the block's, if it is one of cf.
  absl::Status Run(absl::Span<const Shape> feeds,
                   absl::Span<const Facts> arguments) {
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
    }
    for (const Instruction& instruction : plan_.instructions) {
      if (instruction.kind == Instruction::Kind::kLaunch) {
        SY_RETURN_IF_ERROR(
            Annotate(AddLaunch(instruction), instruction.op->name));
      } else {
        SY_RETURN_IF_ERROR(AddBlocks(instruction));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddBlocks(const Instruction& instruction) {
    const bool loop = instruction.kind == Instruction::Kind::kWhile;
    for (size_t i = 0; i < instruction.blocks().size(); ++i) {
      const Plan& block = *instruction.blocks()[i];
      std::vector<Facts> arguments;
      // A loop's own values are copied into memory of their own.
      for (size_t k = 0; loop && k < instruction.inputs.size(); ++k) {
        const Facts& first = facts_[instruction.inputs[k]];
        arguments.push_back(ContiguousFacts(first.meta, first.meta.place));
      }
      for (const ValueId capture : block.captures) {
        arguments.push_back(facts_[capture]);
      }
      const char* const name =
          loop ? (i == 0 ? "condition" : "body") : (i == 0 ? "then" : "else");
      report_.BeginBlock(absl::StrCat(loop ? "cf.while, " : "cf.if, ", name),
                         instruction);
      SY_RETURN_IF_ERROR(BlockExplainer(program_, kernels_, block, &report_)
                             .Run({}, arguments));
      report_.EndBlock();
    }
    report_.End(loop ? "cf.while" : "cf.if");
    return absl::OkStatus();
  }

  absl::Status AddLaunch(const Instruction& instruction) {
    std::vector<TensorSpec> outputs;
    SY_RETURN_IF_ERROR(Infer(instruction, &outputs));
    if (instruction.transform) {
      NoteTransform(instruction, outputs[0]);
      return absl::OkStatus();
    }
    std::vector<TensorMeta> metas = OriginMetas(instruction);
    std::vector<const TensorMeta*> inputs;  // Null where absent.
    for (size_t slot = 0; slot < metas.size(); ++slot) {
      inputs.push_back(instruction.inputs[slot] == kNoValue ? nullptr
                                                            : &metas[slot]);
    }
    const InstructionQuery query(instruction, std::move(inputs),
                                 instruction.attrs, outputs);
    Explanation explanation = Explain(*kernels_.Find(instruction.op->name),
                                      query.get(), program_.policy);
    TakeTransforms(instruction, &explanation);
    explanation.idle =
        IsIdle(explanation, outputs, instruction.outputs.segments());
    explanation.undecided = UncertainTransforms(instruction, explanation);
    report_.Add(explanation, instruction);
    return NoteOutputs(instruction, explanation, outputs);
  }

  void NoteTransform(const Instruction& instruction, const TensorSpec& result) {
    const Facts& input = facts_[instruction.inputs[0]];
    Facts facts = ContiguousFacts(result, instruction.result_place);
    facts.origin = instruction.outputs[0];
    if (!EndsCall(instruction, input.meta.place)) {
      facts.origin = input.origin;
      facts.chain = input.chain;
      const phi::selection::Transform transform = {
          TransformKindOf(program_, instruction), 0, result.dtype,
          instruction.result_place, result.layout};
      // A copy on one place gives an in-place operator memory of its own; what
      // is contiguous already is left as it is.
      const bool idle = transform.kind == TransformKind::kCopy
                            ? transform.place == input.meta.place
                            : transform.kind == TransformKind::kContiguous &&
                                  input.meta.contiguous;
      if (!idle) facts.chain.push_back(transform);
    }
    facts_[instruction.outputs[0]] = std::move(facts);
  }

  // The inputs of a call before its transforms. A layout counts as it is after
  // them: the program, not selection, says where reorders stand.
  std::vector<TensorMeta> OriginMetas(const Instruction& instruction) const {
    std::vector<TensorMeta> metas;
    for (const ValueId input : instruction.inputs) {
      metas.emplace_back();
      if (input == kNoValue) continue;
      metas.back() = facts_[facts_[input].origin].meta;
      if (metas.back().layout == facts_[input].meta.layout) continue;
      metas.back().layout = facts_[input].meta.layout;
      metas.back().contiguous = true;
    }
    return metas;
  }

  // Replaces the transforms of a decided call, which selection would make for
  // it alone, by those that the program has: it may leave a result in the
  // layout in which a kernel yields it, and reorder other inputs to it.
  void TakeTransforms(const Instruction& instruction,
                      Explanation* explanation) {
    // While a candidate is undecided, its layouts are too.
    if (!explanation->answer.ok() || !instruction.candidates().empty()) return;
    phi::selection::Selection& answer = *explanation->answer;
    answer.transforms.clear();
    for (size_t slot = 0; slot < instruction.inputs.size(); ++slot) {
      const ValueId input = instruction.inputs[slot];
      if (input == kNoValue) continue;
      for (phi::selection::Transform transform : facts_[input].chain) {
        transform.slot = static_cast<uint16_t>(slot);
        answer.transforms.push_back(transform);
      }
    }
    answer.output_transforms.clear();
    for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
      const ValueId output = instruction.outputs[slot];
      if (output == kNoValue || !plan_.reordered[output]) continue;
      answer.output_transforms.push_back({TransformKind::kReorder,
                                          static_cast<uint16_t>(slot),
                                          DataType::kUndefined,
                                          {},
                                          plan_.values[output].meta.layout});
    }
  }

  // Those to contiguous: a view of unknown extents may be that after all.
  phi::selection::Transforms UncertainTransforms(
      const Instruction& instruction, const Explanation& explanation) const {
    phi::selection::Transforms uncertain;
    if (!explanation.answer.ok()) return uncertain;
    for (const phi::selection::Transform& transform :
         explanation.answer->transforms) {
      const ValueId input = instruction.inputs[transform.slot];
      if (transform.kind == TransformKind::kContiguous &&
          !facts_[facts_[input].origin].strides_known) {
        uncertain.push_back(transform);
      }
    }
    return uncertain;
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

  absl::Status NoteOutputs(const Instruction& instruction,
                           const Explanation& explanation,
                           absl::Span<const TensorSpec> outputs) {
    SY_ASSIGN_OR_RETURN(const std::vector<TensorMeta> views,
                        GetViews(instruction, explanation, outputs));
    for (size_t slot = 0; slot < outputs.size(); ++slot) {
      if (instruction.outputs[slot] == kNoValue) continue;
      Facts& facts = facts_[instruction.outputs[slot]];
      facts = ContiguousFacts(outputs[slot], instruction.result_place);
      facts.meta.layout = plan_.values[instruction.outputs[slot]].meta.layout;
      facts.origin = instruction.outputs[slot];
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
      const Instruction& instruction, const Explanation& explanation,
      absl::Span<const TensorSpec> outputs) {
    bool known = explanation.answer.ok() &&
                 explanation.answer->kernel != nullptr &&
                 explanation.answer->residual.empty();
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
    call.kernel = explanation.answer->kernel;
    call.place = instruction.place;
    call.inputs = {inputs, instruction.inputs.segments()};
    call.attrs = instruction.attrs;
    call.outputs = {wanted, instruction.outputs.segments()};
    return ViewMetas(call);
  }

  const ProgramPlan& program_;
  const phi::KernelTable& kernels_;
  const Plan& plan_;
  std::vector<Facts> facts_;  // By value.
  Report& report_;
};

}  // namespace

absl::StatusOr<std::string> ExplainPlan(const ProgramPlan& program,
                                        const phi::KernelTable& kernels,
                                        absl::Span<const Shape> feeds,
                                        ExplanationForm form) {
  if (feeds.size() != program.feeds.size()) {
    return ArgumentError("feeds", absl::StrCat(program.feeds.size(), " shapes"),
                         absl::StrCat(feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ProgramPlan::Port& port = program.feeds[i];
    if (MayEqual(feeds[i], port.meta.shape)) continue;
    return ArgumentError(absl::StrCat("feed ", port.name),
                         ToString(port.meta.shape), ToString(feeds[i]));
  }
  Report report(form, program.relaxed);
  SY_RETURN_IF_ERROR(
      BlockExplainer(program, kernels, program.body, &report).Run(feeds, {}));
  return report.Take();
}

}  // namespace switchyard::static_graph
