// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/step_list_text.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "phi/selection/explain.h"

namespace switchyard::static_graph {
namespace {

using Json = nlohmann::ordered_json;
using TransformKind = phi::selection::Transform::Kind;

const char* Word(StepRole role) {
  switch (role) {
    case StepRole::kCall:
      return "call";
    case StepRole::kInput:
      return "input";
    case StepRole::kOutput:
      return "output";
    case StepRole::kMemory:
      return "memory";
  }
  return "";
}

// Returns `text` with a line after its first that says where the operation
// comes from, if that is known.
std::string WithLocation(std::string text, const Instruction& instruction) {
  if (!instruction.location) return text;
  return text.insert(
      text.find('\n') + 1,
      absl::StrCat("location: ", ir::ToString(instruction.location), "\n"));
}

phi::selection::Explanation ExplanationOf(
    const ListedCall& call, const phi::selection::Query& query,
    const phi::selection::Policy& policy) {
  phi::selection::Explanation explanation =
      Explain(*call.instruction->op_kernels, query, policy);
  // Shows what runs.
  if (call.refusal.ok()) explanation.answer = call.selection;
  explanation.undecided = call.undecided;
  explanation.idle = !call.launched;
  return explanation;
}

// Returns "reorder filter (9216 bytes)".
std::string TextOf(const ListedTransform& step, const Instruction& call) {
  std::string text =
      absl::StrCat(phi::selection::OperatorName(step.transform.kind), " ",
                   ArgumentOf(call, step.role, step.transform.slot));
  if (step.transform.kind == TransformKind::kCopy) {
    absl::StrAppend(&text, " to ", ToString(step.transform.place));
  }
  if (step.bytes.has_value()) {
    absl::StrAppend(&text, " (", *step.bytes, " bytes)");
  }
  return text;
}

// The names of the other calls in the same step, in order.
std::vector<std::string> TogetherWith(const ListedCall& call,
                                      const StepList& list) {
  std::vector<std::string> names;
  if (call.chain == nullptr) return names;
  for (const ListedCall& other : list.calls) {
    if (&other != &call && other.chain == call.chain) {
      names.emplace_back(other.instruction->op->name);
    }
  }
  return names;
}

// The inputs that are not copied, as "x[0]".
std::vector<std::string> PartsInPlace(const ListedCall& call) {
  std::vector<std::string> names;
  for (const int slot : call.in_place) {
    names.push_back(ArgumentOf(*call.instruction, StepRole::kInput, slot));
  }
  return names;
}

// The lines about the steps of a call that its answer doesn't say.
std::string StepLines(const ListedCall& call,
                      const std::vector<std::string>& together) {
  std::vector<std::string> returned, memory, kept;
  for (const ListedTransform& step : call.transforms) {
    const std::string text = TextOf(step, *call.instruction);
    const bool copy = step.transform.kind == TransformKind::kCopy;
    if (step.role == StepRole::kOutput && copy) returned.push_back(text);
    if (step.role == StepRole::kMemory) memory.push_back(text);
    if (step.kept.value_or(false)) kept.push_back(text);
  }
  if (call.kept.value_or(false)) kept.push_back(call.instruction->op->name);
  std::string lines;
  const auto add = [&lines](const char* name,
                            const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    absl::StrAppend(&lines, name, absl::StrJoin(texts, ", "), "\n");
  };
  add("returned: ", returned);
  add("memory of its own: ", memory);
  add("kept from run to run: ", kept);
  add("one step, block by block, with: ", together);
  add("in place already: ", PartsInPlace(call));
  add("open until shapes are known: depends on ", call.open);
  return lines;
}

Json StepJson(const ListedTransform& step, const Instruction& call) {
  Json json = {{"op", phi::selection::OperatorName(step.transform.kind)},
               {"role", Word(step.role)},
               {"argument", ArgumentOf(call, step.role, step.transform.slot)},
               {"kernel", nullptr},
               {"place", ToString(step.place)},
               {"bytes", nullptr},
               {"kept", nullptr},
               {"launched", step.launched}};
  if (step.kept.has_value()) json["kept"] = *step.kept;
  if (step.kernel != nullptr) {
    json["kernel"] = phi::selection::KernelText(*step.kernel);
  }
  if (step.bytes.has_value()) json["bytes"] = *step.bytes;
  return json;
}

// Returns "cf.while, body", or "cf.while, body, turn 2" where a run entered the
// blocks one by one: the name of one of those listed.
std::string NameOfBlock(const ListedCall& control, size_t listed) {
  const bool loop = control.instruction->kind == Instruction::Kind::kWhile;
  const bool by_run = !control.entered.empty();
  const bool first = by_run ? control.entered[listed] == 0 : listed == 0;
  if (!loop) {
    return absl::StrCat("cf.if, ", first ? "then" : "else",
                        by_run ? ", taken" : "");
  }
  std::string name = absl::StrCat("cf.while, ", first ? "condition" : "body");
  if (by_run) absl::StrAppend(&name, ", turn ", listed / 2 + 1);
  return name;
}

// The explanation so far.
class Report {
 public:
  Report(const ProgramPlan& program, ExplanationForm form)
      : program_(program),
        json_(form == ExplanationForm::kJson),
        relaxed_(ToString(program.relaxed)) {
    if (!json_ && program.relaxed != RelaxedChoices()) {
      text_ = absl::StrCat("relaxed: ", relaxed_, "\n");
    }
  }

  void Add(const StepList& list) {
    for (const ListedCall& call : list.calls) {
      if (call.instruction->kind == Instruction::Kind::kLaunch) {
        AddCall(call, TogetherWith(call, list));
      } else {
        AddBlocks(call);
      }
    }
  }

  std::string Take() {
    if (json_) text_ += text_.empty() ? "[]\n" : "]\n";
    return std::move(text_);
  }

 private:
  void AddBlocks(const ListedCall& control) {
    const Instruction& instruction = *control.instruction;
    const bool loop = instruction.kind == Instruction::Kind::kWhile;
    for (size_t i = 0; i < control.blocks.size(); ++i) {
      blocks_.push_back(NameOfBlock(control, i));
      if (!json_) text_ += WithLocation(blocks_.back() + ":\n", instruction);
      Add(control.blocks[i]);
      blocks_.pop_back();
    }
    if (json_) return;
    absl::StrAppend(&text_, "end of ", loop ? "cf.while" : "cf.if", "\n");
  }

  void AddCall(const ListedCall& call,
               const std::vector<std::string>& together) {
    const ListedQuery query(call);
    const phi::selection::Explanation explanation = ExplanationOf(
        call, query.get(), call.instruction->GetPolicy(program_.policy));
    if (json_) {
      AddJson(explanation, call, together);
      return;
    }
    std::string text = ToText(explanation);
    if (!call.open.empty()) {
      // They are those of this call if it stood alone.
      constexpr char kLine[] = "\ntransforms: ";
      const size_t line = text.find(kLine);
      if (line != std::string::npos) {
        text.replace(line, sizeof(kLine) - 1, "\ntransforms, taken alone: ");
      }
    }
    text_ += WithLocation(text + StepLines(call, together), *call.instruction);
  }

  void AddJson(const phi::selection::Explanation& explanation,
               const ListedCall& call,
               const std::vector<std::string>& together) {
    Json facts = {{"location", nullptr},
                  {"blocks", blocks_},
                  {"relaxed", relaxed_},
                  {"open", call.open},
                  {"kept", nullptr},
                  {"together", together},
                  {"in_place", PartsInPlace(call)},
                  {"steps", Json::array()}};
    if (call.kept.has_value()) facts["kept"] = *call.kept;
    if (call.instruction->location) {
      facts["location"] = ir::ToString(call.instruction->location);
    }
    for (const ListedTransform& step : call.transforms) {
      facts["steps"].push_back(StepJson(step, *call.instruction));
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

  const ProgramPlan& program_;
  const bool json_;
  const std::string relaxed_;
  std::vector<std::string> blocks_;  // Around the next call.
  std::string text_;
};

}  // namespace

std::string TextOf(const StepList& list, const ProgramPlan& program,
                   ExplanationForm form) {
  Report report(program, form);
  report.Add(list);
  return report.Take();
}

}  // namespace switchyard::static_graph
