// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/explain.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "phi/selection/candidate_loop.h"
#include "phi/selection/explanation_words.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::selection {
namespace {

using Candidate = Explanation::Candidate;
using Outcome = Explanation::Outcome;

class ExplainingRecorder {
 public:
  ExplainingRecorder(const OpKernels& op_kernels, Explanation* explanation)
      : op_kernels_(op_kernels), explanation_(*explanation) {}

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

  void ExaminedComposite(CompositeRequirement unmet) {
    const bool won = unmet == CompositeRequirement::kNone;
    explanation_.candidates.push_back(
        {nullptr, Role::kOwn, won ? Outcome::kChosen : Outcome::kRefused,
         Describe(unmet, op_kernels_, explanation_.query)});
  }

 private:
  const OpKernels& op_kernels_;
  Explanation& explanation_;
};

// Returns the kernel that would win without preferences, if it differs from the
// winner; else null.
const KernelDef* PassedOver(const OpKernels& op_kernels, const Query& query,
                            const Policy& policy) {
  if (policy.prefer == nullptr) return nullptr;
  const auto chosen = Select(op_kernels, query, policy);
  Policy indifferent = policy;
  indifferent.prefer = nullptr;
  const auto otherwise = Select(op_kernels, query, indifferent);
  if (!chosen.ok() || !otherwise.ok() || chosen->kernel == nullptr ||
      chosen->kernel == otherwise->kernel) {
    return nullptr;
  }
  return otherwise->kernel;
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
  std::string text = absl::StrCat(
      "  ", number, ". ",
      candidate.kernel == nullptr ? "composed" : KernelText(*candidate.kernel),
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

std::string CandidatesText(const Explanation& explanation) {
  std::string text =
      explanation.candidates.empty() ? "candidates: none\n" : "candidates:\n";
  size_t number = 0;
  for (const Candidate& candidate : explanation.candidates) {
    text += CandidateText(++number, candidate);
  }
  return text;
}

std::string_view WhyComposed(const Explanation& explanation) {
  if (explanation.composed_by_preference) return "preferred: composed";
  return explanation.candidates.empty() ? "no kernels of its own"
                                        : "chosen: composed";
}

// The calls that a composed one is made of.
std::string CallsText(const Explanation& explanation) {
  std::string text =
      absl::StrCat(std::string(WhyComposed(explanation)), ": it runs as ",
                   explanation.calls.size(),
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
  if (!explanation.composed || !explanation.candidates.empty()) {
    text += CandidatesText(explanation);
  }
  if (explanation.composed) text += CallsText(explanation);
  if (!explanation.answer.ok()) {
    return absl::StrCat(text, explanation.composed ? "" : "chosen: none\n",
                        "error: ", explanation.answer.status().message(), "\n");
  }
  if (explanation.composed) return text;
  text += AnswerText(*explanation.answer, query);
  if (explanation.passed_over != nullptr) {
    absl::StrAppend(&text, "preferred: as ", DecidingPreference(explanation),
                    ", to ", KernelText(*explanation.passed_over), "\n");
  }
  for (const Transform& transform : explanation.undecided) {
    text += UndecidedText(query, transform);
  }
  if (explanation.idle) text += "launched: no, since no output has elements\n";
  return text;
}

}  // namespace

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

std::string KeySource(const Query& query) {
  const DtypeRule& rule = query.op->dtype_rule;
  if (rule.attr >= 0 &&
      query.attrs[rule.attr].Get<DataType>() != DataType::kUndefined) {
    return absl::StrCat("attribute ", query.op->attrs[rule.attr].name);
  }
  if (rule.input >= 0) return query.op->inputs[rule.input].name;
  return "always";
}

std::string DecidingPreference(const Explanation& explanation) {
  const Preferences& prefer = *explanation.policy.prefer;
  return Name(prefer.all()[prefer.RankOf(*explanation.answer->kernel)]);
}

Explanation Explain(const OpKernels& op_kernels, const Query& query,
                    const Policy& policy) {
  Explanation explanation{query,
                          policy,
                          DataType::kUndefined,
                          {},
                          Select(op_kernels, query, policy),
                          PassedOver(op_kernels, query, policy),
                          /*undecided=*/{},
                          /*idle=*/false,
                          /*composed=*/false,
                          {}};
  ExplainingRecorder recorder(op_kernels, &explanation);
  const auto candidates = op_kernels.candidates(query.dtype);
  Selection tried;
  TryCandidates(op_kernels, query, policy, &recorder, &tried);
  // The loop stops at the winner; the rest follows in the same order.
  if (tried.kernel != nullptr && Serves(*tried.kernel, query.place)) {
    bool after = false;
    VisitInOrder(candidates, policy.prefer, [&](const KernelDef& def) {
      if (after) {
        explanation.candidates.push_back(
            {&def, Role::kOwn, Outcome::kNotAsked, {}});
      }
      after |= &def == tried.kernel;
      return false;
    });
  }
  if (query.composes && tried.kernel != nullptr && !tried.fallback) {
    explanation.candidates.push_back(
        {nullptr, Role::kOwn, Outcome::kNotAsked, {}});
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

}  // namespace switchyard::phi::selection
