// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/explain.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "phi/selection/candidate_loop.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::selection {
namespace {

using Candidate = Explanation::Candidate;
using Outcome = Explanation::Outcome;
using Json = nlohmann::ordered_json;

class ExplainingRecorder {
 public:
  explicit ExplainingRecorder(Explanation* explanation)
      : explanation_(*explanation) {}

  void Examined(const KernelDef& def, const Verdict& verdict, Role role) {
    const Outcome outcome = verdict.truth == Tristate::kTrue ? Outcome::kChosen
                            : verdict.truth == Tristate::kFalse
                                ? Outcome::kRefused
                                : Outcome::kUndecided;
    explanation_.candidates.push_back(
        {&def, role, outcome,
         Describe(verdict, def, explanation_.query, explanation_.policy,
                  role)});
  }

 private:
  Explanation& explanation_;
};

std::string_view Word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kChosen:
      return "chosen";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kUndecided:
      return "undecided";
    case Outcome::kNotAsked:
      return "not asked";
  }
  return "";
}

// Where the key dtype comes from: "of x", "dtype=float64", "always".
std::string KeySource(const Query& query) {
  const DtypeRule& rule = query.op->dtype_rule;
  if (rule.attr >= 0 &&
      query.attrs[rule.attr].Get<DataType>() != DataType::kUndefined) {
    return absl::StrCat("attribute ", query.op->attrs[rule.attr].name);
  }
  if (rule.input >= 0) return query.op->inputs[rule.input].name;
  return "always";
}

std::string_view RoleText(Role role) {
  switch (role) {
    case Role::kOwn:
      return "";
    case Role::kView:
      return " to make a view";
    case Role::kFallback:
      return " as a fallback";
  }
  return "";
}

std::string CandidateText(size_t number, const Candidate& candidate) {
  std::string text =
      absl::StrCat("  ", number, ". ", KernelText(*candidate.kernel),
                   std::string(RoleText(candidate.role)));
  absl::StrAppend(&text, "\n       ", std::string(Word(candidate.outcome)));
  if (!candidate.mismatch.subject.empty()) {
    absl::StrAppend(&text, ": ", candidate.mismatch.subject, " must be ",
                    candidate.mismatch.expected, ", got ",
                    candidate.mismatch.actual);
  }
  return text + "\n";
}

std::string AnswerText(const Selection& selection, const Query& query) {
  std::string text = "chosen: ";
  if (selection.kernel == nullptr) {
    text += "none until shapes are known\n";
  } else {
    absl::StrAppend(&text, KernelText(*selection.kernel),
                    "\ntransforms: ", TransformsText(query, selection), "\n");
  }
  for (const KernelDef* def : selection.residual) {
    absl::StrAppend(
        &text, "to ask again when shapes are known: ", KernelText(*def), "\n");
  }
  if (selection.fallback) {
    absl::StrAppend(&text, "fallback: ", ToString(query.place), " -> ",
                    ToString(Place::Cpu()), "\n");
  } else if (selection.kernel != nullptr &&
             RoleOf(*selection.kernel, query) == Role::kView) {
    absl::StrAppend(&text, "view: it shares the memory of its input on ",
                    ToString(query.place), "; no element is moved\n");
  }
  return text;
}

Json KernelJson(const KernelDef& def) {
  return {{"kernel", def.kernel},
          {"origin", Name(def.origin)},
          {"backend", def.key.backend->name},
          {"dtype", Name(def.key.dtype)},
          {"file", SourceFile(def)},
          {"line", def.line}};
}

Json TensorJson(const Query& query, int slot) {
  const TensorMeta* const tensor = query.inputs[slot];
  Json json = {{"name", SlotName(*query.op, query.inputs.segments(), slot)}};
  if (tensor == nullptr) {
    json["dtype"] = nullptr;
    return json;
  }
  json["dtype"] = Name(tensor->dtype);
  Json shape = Json::array();
  for (const Dim dim : tensor->shape.dims()) {
    shape.push_back(dim.known() ? Json(dim.value()) : Json(ToString(dim)));
  }
  json["shape"] = std::move(shape);
  json["kind"] = Name(tensor->kind);
  json["contiguous"] = tensor->contiguous;
  json["place"] = ToString(tensor->place);
  return json;
}

Json TransformJson(const Query& query, const Transform& transform) {
  Json json = {
      {"op", OperatorName(transform.kind)},
      {"input", SlotName(*query.op, query.inputs.segments(), transform.slot)}};
  if (transform.kind == Transform::Kind::kCopy) {
    json["place"] = ToString(transform.place);
  }
  if (transform.kind == Transform::Kind::kCast) {
    json["dtype"] = Name(transform.dtype);
  }
  if (transform.kind == Transform::Kind::kReorder) {
    json["layout"] = Name(transform.layout);
  }
  return json;
}

Json OutputTransformJson(const Query& query, const Transform& transform) {
  const int output = query.outputs.size() == 0
                         ? transform.slot
                         : query.outputs.segments().argument_of(transform.slot);
  return {{"op", OperatorName(transform.kind)},
          {"output", query.op->outputs[output].name},
          {"layout", Name(transform.layout)}};
}

Json CandidateJson(const Candidate& candidate, const Query& query) {
  Json json = KernelJson(*candidate.kernel);
  json["place"] = ToString(RunPlace(query, candidate.role));
  json["outcome"] = Word(candidate.outcome);
  if (!candidate.mismatch.subject.empty()) {
    json["subject"] = candidate.mismatch.subject;
    json["expected"] = candidate.mismatch.expected;
    json["actual"] = candidate.mismatch.actual;
  }
  return json;
}

// The members that say what Select answers.
void AddAnswer(const Explanation& explanation, Json* json) {
  (*json)["chosen"] = nullptr;
  (*json)["transforms"] = Json::array();
  (*json)["output_transforms"] = Json::array();
  (*json)["undecided"] = Json::array();
  (*json)["residual"] = Json::array();
  (*json)["fallback"] = false;
  (*json)["error"] = nullptr;
  if (!explanation.answer.ok()) {
    (*json)["error"] = std::string(explanation.answer.status().message());
    return;
  }
  const Selection& selection = *explanation.answer;
  if (selection.kernel != nullptr) {
    (*json)["chosen"] = KernelJson(*selection.kernel);
  }
  for (const Transform& transform : selection.transforms) {
    (*json)["transforms"].push_back(
        TransformJson(explanation.query, transform));
  }
  for (const Transform& transform : selection.output_transforms) {
    (*json)["output_transforms"].push_back(
        OutputTransformJson(explanation.query, transform));
  }
  for (const Transform& transform : explanation.undecided) {
    (*json)["undecided"].push_back(TransformJson(explanation.query, transform));
  }
  for (const KernelDef* def : selection.residual) {
    (*json)["residual"].push_back(KernelJson(*def));
  }
  (*json)["fallback"] = selection.fallback;
}

// Each line of `text` further right.
std::string Indented(absl::string_view text, int spaces) {
  std::string indented;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    indented.append(spaces, ' ').append(line.data(), line.size()) += '\n';
  }
  return indented;
}

std::string Text(const Explanation& explanation, bool outermost);

// The calls that a composed one is made of.
std::string CallsText(const Explanation& explanation) {
  std::string text = absl::StrCat(
      "no kernels of its own: it runs as ", explanation.calls.size(),
      explanation.calls.size() == 1 ? " call\n" : " calls\n");
  size_t number = 0;
  for (const Explanation& call : explanation.calls) {
    std::string inner = Indented(Text(call, /*outermost=*/false), 5);
    const std::string label = absl::StrCat("  ", ++number, ". ");
    inner.replace(0, 5, label);
    text += inner;
  }
  return text;
}

// A call inside another has the other's policy.
std::string Text(const Explanation& explanation, bool outermost) {
  const Query& query = explanation.query;
  std::string text =
      absl::StrCat(CallText(query), " on ", ToString(query.place), "\n");
  if (!explanation.composed) {
    absl::StrAppend(&text, "key dtype: ", std::string(Name(query.dtype)), " (",
                    KeySource(query), ")\n");
  }
  if (explanation.promoted != DataType::kUndefined) {
    absl::StrAppend(&text, "promoted: inputs of other dtypes are cast to ",
                    std::string(Name(explanation.promoted)), "\n");
  }
  if (outermost) {
    absl::StrAppend(&text, "policy: ", ToString(explanation.policy), "\n");
  }
  if (explanation.composed) {
    text += CallsText(explanation);
  } else {
    text +=
        explanation.candidates.empty() ? "candidates: none\n" : "candidates:\n";
    size_t number = 0;
    for (const Candidate& candidate : explanation.candidates) {
      text += CandidateText(++number, candidate);
    }
  }
  if (!explanation.answer.ok()) {
    return absl::StrCat(text, explanation.composed ? "" : "chosen: none\n",
                        "error: ", explanation.answer.status().message(), "\n");
  }
  if (explanation.composed) return text;
  text += AnswerText(*explanation.answer, query);
  for (const Transform& transform : explanation.undecided) {
    text += UndecidedText(query, transform);
  }
  if (explanation.idle) text += "launched: no, since no output has elements\n";
  return text;
}

Json JsonOf(const Explanation& explanation) {
  const Query& query = explanation.query;
  Json json = {
      {"op", query.op->name}, {"place", ToString(query.place)},
      {"dtype", nullptr},     {"dtype_source", nullptr},
      {"promoted", nullptr},  {"policy", ToString(explanation.policy)}};
  if (!explanation.composed) {
    json["dtype"] = Name(query.dtype);
    json["dtype_source"] = KeySource(query);
  }
  if (explanation.promoted != DataType::kUndefined) {
    json["promoted"] = Name(explanation.promoted);
  }
  json["inputs"] = Json::array();
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    json["inputs"].push_back(TensorJson(query, static_cast<int>(slot)));
  }
  json["attrs"] = Json::object();
  for (size_t i = 0; i < query.attrs.size(); ++i) {
    json["attrs"][query.op->attrs[i].name] = ToString(query.attrs[i]);
  }
  json["candidates"] = Json::array();
  for (const Candidate& candidate : explanation.candidates) {
    json["candidates"].push_back(CandidateJson(candidate, query));
  }
  AddAnswer(explanation, &json);
  json["idle"] = explanation.idle;
  json["composed"] = explanation.composed;
  json["calls"] = Json::array();
  for (const Explanation& call : explanation.calls) {
    json["calls"].push_back(JsonOf(call));
  }
  return json;
}

}  // namespace

Explanation Explain(const OpKernels& op_kernels, const Query& query,
                    const Policy& policy) {
  Explanation explanation{query,
                          policy,
                          DataType::kUndefined,
                          {},
                          Select(op_kernels, query, policy),
                          /*undecided=*/{},
                          /*idle=*/false,
                          /*composed=*/false,
                          {}};
  ExplainingRecorder recorder(&explanation);
  const auto candidates = op_kernels.candidates(query.dtype);
  Selection tried;
  TryCandidates(candidates, query, policy, &recorder, &tried);
  // The loop stops at the winner; what comes after it is in the order too.
  const auto winner =
      std::find(candidates.begin(), candidates.end(), tried.kernel);
  if (winner != candidates.end() && Serves(**winner, query.place)) {
    for (auto next = winner + 1; next != candidates.end(); ++next) {
      explanation.candidates.push_back(
          {*next, Role::kOwn, Outcome::kNotAsked, {}});
    }
  }
  return explanation;
}

bool IsIdle(const Explanation& explanation,
            absl::Span<const TensorSpec> outputs, const ArgSegments& segments) {
  const OpInfo& op = *explanation.query.op;
  if (!explanation.answer.ok() || explanation.answer->kernel == nullptr ||
      outputs.empty()) {
    return false;
  }
  const absl::Span<const ArgDef> defs = explanation.answer->kernel->outputs;
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    const TensorSpec& meta = outputs[slot];
    const int output = segments.argument_of(static_cast<int>(slot));
    // The kernel may make elements that InferMeta does not know of.
    const bool makes_own = static_cast<size_t>(output) < defs.size() &&
                           (defs[output].self_allocated ||
                            defs[output].kind != TensorKind::kDense);
    if (meta.dtype == DataType::kUndefined && !makes_own) continue;
    if (makes_own || op.outputs[output].view_of >= 0 || !meta.shape.known() ||
        meta.shape.numel() != 0) {
      return false;
    }
  }
  return true;
}

std::string UndecidedText(const Query& query, const Transform& transform) {
  return absl::StrCat(
      "undecided until shapes are known: ", TransformText(query, transform),
      ", which a contiguous view does not need\n");
}

std::string ToText(const Explanation& explanation) {
  return Text(explanation, /*outermost=*/true);
}

std::string ToJson(const Explanation& explanation) {
  // A text of a program need not be UTF-8.
  return JsonOf(explanation)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace switchyard::phi::selection
