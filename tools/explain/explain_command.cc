// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explain_command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/explain.h"
#include "phi/selection/policy_text.h"
#include "tools/explain/explained_call.h"
#include "tools/explain/nearest.h"

namespace switchyard::phi::selection {
namespace {

bool HasInPlaceForm(const OpInfo& op) {
  return std::any_of(
      op.outputs.begin(), op.outputs.end(),
      [](const OutputInfo& output) { return output.inplace_of >= 0; });
}

// The in-place variant of an operator (`relu_`) is selected as the operator is.
absl::StatusOr<const OpInfo*> FindOperator(
    absl::Span<const OpInfo* const> operators, std::string_view name) {
  std::vector<std::string_view> names;
  for (const OpInfo* op : operators) {
    if (op->name == name ||
        (HasInPlaceForm(*op) && std::string(op->name).append("_") == name)) {
      return op;
    }
    names.push_back(op->name);
  }
  const std::string nearest = NearestName(name, names);
  return ArgumentError(
      "operator",
      absl::StrCat("one of the ", operators.size(), " that ./sy ops lists"),
      absl::StrCat("'", absl::string_view(name.data(), name.size()), "'",
                   nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

// An option with a value into `request`; false if there is no such option.
absl::StatusOr<bool> Apply(const std::string& option, const std::string& value,
                           const KernelTable& kernels,
                           ExplainRequest* request) {
  if (option == "--input") {
    request->inputs.push_back(value);
  } else if (option == "--attr") {
    request->attrs.push_back(value);
  } else if (option == "--place") {
    const std::optional<Place> place = ParsePlace(value);
    if (!place.has_value()) {
      return ArgumentError("--place", "cpu or gpu:<index>", "'" + value + "'");
    }
    request->place = *place;
  } else if (option == "--policy") {
    SY_ASSIGN_OR_RETURN(request->policy, ParsePolicy(value, kernels));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view ExplainUsage() {
  return
      R"(usage: ./sy explain OPERATOR [--input NAME=TENSOR]... [--attr NAME=VALUE]...
                    [--place PLACE] [--policy WORDS] [--json]

Says which kernel runs for these inputs, and why: every candidate in the order
in which it is asked, with the first demand that it fails. An operator that is
made of others is explained by their calls.

  --input x=float32[8,1000]   a tensor; "?" is an extent that is not known yet;
                              "strided" (not contiguous), "strides [1, 8]" and
                              "on gpu:0" may follow; a list's name is given
                              once for each tensor
  --attr axis=1               an attribute, a list as [1, 2]; the others have
                              their defaults; "?" is an element that a tensor
                              supplies
  --place cpu                 cpu (the default) or gpu:<index>
  --policy origin=fluid,...   origin=phi|fluid, backend=<name>,
                              prefer=<name>+<name>, fallback, strict,
                              thread_variant, no_transforms,
                              decompose=<operator>+<operator>
  --json                      the same facts for programs

Exit code: 0 if a kernel fits, 1 if none does, 2 for a mistake in the call.
)";
}

absl::StatusOr<ExplainRequest> ParseExplainArguments(
    absl::Span<const std::string> words, const KernelTable& kernels,
    ExplainRequest request) {
  request.help = words.empty();
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      request.help = true;
      return request;
    }
    if (word == "--json") {
      request.json = true;
      continue;
    }
    if (word.rfind("--", 0) != 0) {
      if (!request.op.empty()) {
        if (word.find('=') != std::string::npos) {
          return ArgumentError("attributes", "given by --attr " + word,
                               "'" + word + "' alone");
        }
        return ArgumentError("operator", "given once", "'" + word + "' too");
      }
      request.op = word;
      continue;
    }
    // "--option=value" or "--option value".
    const size_t equals = word.find('=');
    const bool joined = equals != std::string::npos;
    if (!joined && i + 1 == words.size()) {
      return ArgumentError(word, "an option that is followed by a value",
                           "the end");
    }
    const std::string option = word.substr(0, equals);
    const std::string value = joined ? word.substr(equals + 1) : words[++i];
    SY_ASSIGN_OR_RETURN(const bool known,
                        Apply(option, value, kernels, &request));
    if (!known) {
      return ArgumentError(
          "option", "--input, --attr, --place, --policy, --json or --help",
          "'" + option + "'");
    }
  }
  if (request.op.empty() && !request.help) {
    return ArgumentError("operator", "given", "none");
  }
  return request;
}

absl::StatusOr<ExplainReport> RunExplain(
    const ExplainRequest& request, absl::Span<const OpInfo* const> operators,
    const KernelTable& kernels) {
  SY_ASSIGN_OR_RETURN(const OpInfo* const op,
                      FindOperator(operators, request.op));
  auto call = ParseCall(*op, request.inputs, request.attrs, request.place);
  if (!call.ok()) return Annotate(call.status(), op->name);
  ExplainedCall::Options options = {&kernels, request.policy, request.place};
  options.inplace = request.op != op->name;
  options.recorded = request.recorded;
  SY_ASSIGN_OR_RETURN(const std::unique_ptr<const ExplainedCall> explained,
                      ExplainedCall::Make(*op, *std::move(call), options));
  const Explanation& explanation = explained->explanation();
  return ExplainReport{request.json ? ToJson(explanation) : ToText(explanation),
                       explanation.answer.ok()};
}

}  // namespace switchyard::phi::selection
