// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/tools/explain_command.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "phi/core/infer_meta_context.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/explain.h"
#include "phi/selection/policy_text.h"

namespace switchyard::phi::selection {
namespace {

absl::StatusOr<const OpInfo*> FindOperator(
    absl::Span<const OpInfo* const> operators, const std::string& name) {
  for (const OpInfo* op : operators) {
    if (op->name == name) return op;
  }
  return ArgumentError(
      "operator",
      absl::StrCat("one of the ", operators.size(), " that ./sy ops lists"),
      "'" + name + "'");
}

// The metadata of a parsed call's tensors, by slot.
struct CallMetas {
  explicit CallMetas(const std::vector<TensorDesc>& tensors)
      : metas(tensors.size()), pointers(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].shape == nullptr) continue;
      metas[i].dtype = tensors[i].dtype;
      metas[i].layout = tensors[i].layout;
      metas[i].kind = tensors[i].kind;
      metas[i].shape = *tensors[i].shape;
      pointers[i] = &metas[i];
    }
  }
  std::vector<MetaTensor> metas;
  std::vector<const MetaTensor*> pointers;  // Null where absent.
};

// The dtype that inputs were cast to, in `call` too; kUndefined if none was.
absl::StatusOr<DataType> PromoteCall(const OpInfo& op, ParsedCall* call) {
  const CallMetas metas(call->tensors());
  SY_ASSIGN_OR_RETURN(
      const DataType promoted,
      promotion::PromotedDtype(op, metas.pointers, call->slots()));
  if (promoted == DataType::kUndefined) return promoted;
  for (size_t slot = 0; slot < call->tensors().size(); ++slot) {
    TensorDesc& tensor = call->tensors()[slot];
    const int argument = call->slots().argument_of(static_cast<int>(slot));
    if (!promotion::IsPromoted(op, argument) || tensor.dtype == promoted) {
      continue;
    }
    tensor.dtype = promoted;
    tensor.contiguous = true;
  }
  return promoted;
}

// Whether InferMeta accepts the call.
absl::Status CheckCall(const OpInfo& op, ParsedCall* call) {
  const CallMetas inputs(call->tensors());
  std::vector<uint16_t> begins(op.outputs.size() + 1);
  SY_RETURN_IF_ERROR(
      OutputSlots(op, call->slots(), call->attrs(), begins.data()));
  const Slots slots(begins.data(), static_cast<int>(op.outputs.size()));
  std::vector<MetaTensor> outputs(slots.size());
  std::vector<MetaTensor*> pointers;
  for (MetaTensor& output : outputs) pointers.push_back(&output);
  InferMetaContext context(inputs.pointers, call->slots(), call->attrs(),
                           pointers, slots);
  return op.infer_meta(context);
}

absl::StatusOr<Explanation> ExplainCall(const ExplainRequest& request,
                                        const OpInfo& op,
                                        const KernelTable& kernels,
                                        ParsedCall* call) {
  SY_ASSIGN_OR_RETURN(const DataType promoted, PromoteCall(op, call));
  SY_RETURN_IF_ERROR(CheckCall(op, call));
  SY_ASSIGN_OR_RETURN(const Query query, call->MakeQuery(request.place));
  OpRow none{};  // Of an operator that is made of others, or not linked.
  none.op = op.name;
  const OpRow* const row = kernels.Find(op.name);
  Explanation explanation =
      Explain(row == nullptr ? none : *row, query, request.policy);
  explanation.promoted = promoted;
  return explanation;
}

// An option with a value into `request`; false if there is no such option.
absl::StatusOr<bool> Apply(const std::string& option, const std::string& value,
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
    SY_ASSIGN_OR_RETURN(request->policy, ParsePolicy(value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string_view ExplainUsage() {
  return
      R"(usage: explain OPERATOR [--input NAME=TENSOR]... [--attr NAME=VALUE]...
               [--place PLACE] [--policy WORDS] [--json]

Says which kernel runs for these inputs, and why: every candidate in the order
in which it is asked, with the first demand that it fails.

  --input x=float32[8,1000]   a tensor; "?" is an extent that is not known yet;
                              "strided" or "on gpu:0" may follow; a list's name
                              is given once for each tensor
  --attr axis=1               an attribute; the others have their defaults
  --place cpu                 cpu (the default) or gpu:<index>
  --policy form=fluid,...     form=phi|fluid, backend=<name>, fallback, strict,
                              thread_variant, no_transforms
  --json                      the same facts for programs

Exit code: 0 if a kernel fits, 1 if none does, 2 for a mistake in the call.
)";
}

absl::StatusOr<ExplainRequest> ParseExplainArguments(
    absl::Span<const std::string> words) {
  ExplainRequest request;
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
    SY_ASSIGN_OR_RETURN(const bool known, Apply(option, value, &request));
    if (!known) {
      return ArgumentError(
          "option", "--input, --attr, --place, --policy, --json or --help",
          "'" + option + "'");
    }
  }
  if (request.op.empty()) return ArgumentError("operator", "given", "none");
  return request;
}

absl::StatusOr<ExplainReport> RunExplain(
    const ExplainRequest& request, absl::Span<const OpInfo* const> operators,
    const KernelTable& kernels) {
  SY_ASSIGN_OR_RETURN(const OpInfo* const op,
                      FindOperator(operators, request.op));
  auto call = ParseCall(*op, request.inputs, request.attrs, request.place);
  if (!call.ok()) return Annotate(call.status(), op->name);
  const auto explanation = ExplainCall(request, *op, kernels, &*call);
  if (!explanation.ok()) return Annotate(explanation.status(), op->name);
  return ExplainReport{
      request.json ? ToJson(*explanation) : ToText(*explanation),
      explanation->answer.ok()};
}

}  // namespace switchyard::phi::selection
