// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/selection.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "phi/selection/alternatives.h"
#include "phi/selection/candidate_loop.h"

namespace switchyard::phi::selection {
namespace {

// Writes down why each candidate that serves the place was refused.
class RefusalRecorder {
 public:
  RefusalRecorder(const Query& query, const Policy& policy)
      : query_(query), policy_(policy) {}

  void Examined(const KernelDef& def, const Verdict& verdict, Role role) {
    if (verdict.truth == Tristate::kTrue ||
        verdict.requirement == Requirement::kDevice)
      return;
    const Mismatch mismatch = Describe(verdict, def, query_, policy_, role);
    absl::StrAppend(&text_, text_.empty() ? "" : "; ", KernelText(def), ": ",
                    mismatch.subject, " must be ", mismatch.expected, ", got ",
                    mismatch.actual);
  }
  void ExaminedComposite(CompositeRequirement) {}
  std::string TakeText() {
    return text_.empty() ? "none serves this place" : std::move(text_);
  }

 private:
  const Query& query_;
  const Policy& policy_;
  std::string text_;
};

absl::Status NoKernel(const Query& query, RefusalRecorder recorder) {
  return absl::NotFoundError(
      absl::StrCat(query.op->name, ": no kernel for", ArgumentsText(query),
                   " on ", ToString(query.place), ": ", recorder.TakeText()));
}

absl::Status RefusedFallback(const Query& query, RefusalRecorder recorder) {
  return absl::FailedPreconditionError(
      absl::StrCat(query.op->name, ": a strict policy forbids the fallback to ",
                   ToString(Place::Cpu()), ", and there is no kernel for",
                   ArgumentsText(query), " on ", ToString(query.place), ": ",
                   recorder.TakeText()));
}

// The argument that the key dtype comes from.
std::string KeyDtypeSubject(const Query& query) {
  const DtypeRule& rule = query.op->dtype_rule;
  if (rule.attr >= 0 &&
      query.attrs[rule.attr].Get<DataType>() != DataType::kUndefined) {
    return query.op->attrs[rule.attr].name;
  }
  return rule.input >= 0 ? query.op->inputs[rule.input].name : "dtype";
}

// An error if the operator has kernels for the place, but of other dtypes.
absl::Status CheckDtype(const OpKernels& op_kernels, const Query& query,
                        const Policy& policy) {
  std::vector<std::string_view> served;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const DataType dtype = static_cast<DataType>(i);
    for (const KernelDef* def : op_kernels.candidates(dtype)) {
      const BackendInfo& backend = *def->key.backend;
      const bool serves =
          Serves(*def, query.place) ||
          (Serves(*def, Place::Cpu()) &&
           (policy.allow_fallback || RoleOf(*def, query) == Role::kView));
      if (!serves || !policy.backends.contains(backend)) {
        continue;
      }
      if (dtype == query.dtype) return absl::OkStatus();
      served.push_back(Name(dtype));
      break;
    }
  }
  if (served.empty()) return absl::OkStatus();
  return Annotate(TypeError(KeyDtypeSubject(query), Alternatives(served),
                            Name(query.dtype)),
                  query.op->name);
}

// Returns why `selection`, which `loop` filled, is unusable; OK if it is
// usable. Runs the loop again with a recorder: this is the cold path.
template <typename CandidateLoop>
absl::Status CheckSelection(const Selection& selection, const Query& query,
                            const Policy& policy, CandidateLoop loop) {
  const bool found = selection.kernel != nullptr || !selection.residual.empty();
  // While a candidate of the place is undecided, the fallback is too.
  const bool forbidden =
      selection.fallback && policy.strict &&
      std::none_of(selection.residual.begin(), selection.residual.end(),
                   [&query](const KernelDef* kernel) {
                     return Serves(*kernel, query.place);
                   });
  if (found && !forbidden) return absl::OkStatus();
  RefusalRecorder recorder(query, policy);
  Selection again;
  loop(&recorder, &again);
  return found ? RefusedFallback(query, std::move(recorder))
               : NoKernel(query, std::move(recorder));
}

}  // namespace

std::string_view SourceFile(const KernelDef& def) {
  constexpr std::string_view kOutputs = "bazel-out/", kFolder = "/bin/";
  std::string_view file = def.file;
  // The compiler puts it before a header of the project.
  if (file.substr(0, 2) == "./") file.remove_prefix(2);
  const size_t folder = file.find(kFolder);
  const bool generated = file.substr(0, kOutputs.size()) == kOutputs &&
                         folder != std::string_view::npos;
  return generated ? file.substr(folder + kFolder.size()) : file;
}

std::string KernelText(const KernelDef& def) {
  const bool named_otherwise = std::string_view(def.kernel) != def.op;
  return absl::StrCat(NamesOf(def.origin).before_backend, def.key.backend->name,
                      " ", std::string(Name(def.key.dtype)),
                      named_otherwise ? " " : "",
                      named_otherwise ? def.kernel : "", " (",
                      std::string(SourceFile(def)), ":", def.line, ")");
}

absl::Status SelectInto(const OpKernels& op_kernels, const Query& query,
                        const Policy& policy, Selection* selection) {
  NullRecorder silent;
  TryCandidates(op_kernels, query, policy, &silent, selection);
  const bool usual = selection->kernel != nullptr && !selection->fallback;
  if (ABSL_PREDICT_TRUE(usual)) return absl::OkStatus();
  if (selection->composed) return absl::OkStatus();
  if (selection->kernel == nullptr && selection->residual.empty()) {
    SY_RETURN_IF_ERROR(CheckDtype(op_kernels, query, policy));
  }
  return CheckSelection(*selection, query, policy,
                        [&](RefusalRecorder* recorder, Selection* out) {
                          TryCandidates(op_kernels, query, policy, recorder,
                                        out);
                        });
}

absl::StatusOr<Selection> Select(const OpKernels& op_kernels,
                                 const Query& query, const Policy& policy) {
  Selection selection;
  SY_RETURN_IF_ERROR(SelectInto(op_kernels, query, policy, &selection));
  return selection;
}

absl::StatusOr<Selection> Resolve(const Selection& earlier, const Query& query,
                                  const Policy& policy) {
  Selection selection;
  NullRecorder silent;
  TryCandidatesAgain(earlier, query, policy, &silent, &selection);
  SY_RETURN_IF_ERROR(CheckSelection(
      selection, query, policy, [&](RefusalRecorder* recorder, Selection* out) {
        TryCandidatesAgain(earlier, query, policy, recorder, out);
      }));
  return selection;
}

}  // namespace switchyard::phi::selection
