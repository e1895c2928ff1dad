// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_operator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phi/capi/host_call.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi::capi {
namespace {

struct InferenceCall : HostCall {
  static constexpr Kind kKind = Kind::kInference;
  const InferMetaContext* context;
};

struct BodyCall : HostCall {
  static constexpr Kind kKind = Kind::kBody;
  Composer* composer;
};

// Returns the input; null, with the call's error set, if there is none.
const TensorSpec* InferenceInput(InferenceCall* call, int32_t number) {
  if (call == nullptr) return nullptr;
  const auto& inputs = call->context->inputs;
  if (!call->IsThere("input", number, inputs.arguments())) return nullptr;
  return inputs.optional(number);
}

int32_t InferRank(SyCall* c, int32_t input) {
  const TensorSpec* const spec = InferenceInput(As<InferenceCall>(c), input);
  return spec == nullptr ? 0 : spec->shape.rank();
}

int64_t InferExtent(SyCall* c, int32_t input, int32_t axis) {
  auto* const call = As<InferenceCall>(c);
  const TensorSpec* const spec = InferenceInput(call, input);
  if (spec == nullptr ||
      !call->IsThere("axis", axis, static_cast<size_t>(spec->shape.rank()))) {
    return -1;
  }
  return spec->shape[axis].number();
}

SyCode InferOutput(SyCall* c, int32_t output, int32_t like, int32_t rank,
                   const int64_t* extents) {
  auto* const call = As<InferenceCall>(c);
  const TensorSpec* const spec = InferenceInput(call, like);
  if (spec == nullptr) return SY_INVALID_ARGUMENT;
  const auto& outputs = call->context->outputs;
  if (!call->IsThere("output", output, outputs.arguments())) {
    return SY_INVALID_ARGUMENT;
  }
  if (rank < 0 || rank > kMaxRank) {
    call->Keep(ArgumentError(
        absl::StrCat("the rank of ", call->info->outputs[output].name),
        absl::StrCat("in [0, ", kMaxRank, "]"), absl::StrCat(rank)));
    return SY_INVALID_ARGUMENT;
  }
  TensorSpec* const out = outputs.optional(output);
  if (out == nullptr) return SY_OK;  // It is not wanted.
  out->dtype = spec->dtype;
  out->shape = Shape();
  for (int32_t axis = 0; axis < rank; ++axis) {
    out->shape.push_back(Dim::FromNumber(extents[axis]));
  }
  return SY_OK;
}

const SyValue* ValueOf(SyCall* c, int32_t input) {
  auto* const call = As<BodyCall>(c);
  if (call == nullptr ||
      !call->IsThere("input", input, call->info->inputs.size())) {
    return nullptr;
  }
  return call->composer->Input(input);
}

const SyValue* Compute(SyCall* c, const char* op, const SyValue* const* inputs,
                       size_t num_inputs, const char* attrs) {
  auto* const call = As<BodyCall>(c);
  if (call == nullptr || !call->error.ok()) return nullptr;
  auto computed =
      call->composer->Compute(op == nullptr ? "" : op, {inputs, num_inputs},
                              attrs == nullptr ? "" : attrs);
  if (computed.ok()) return *computed;
  call->Keep(computed.status());
  return nullptr;
}

int32_t Wanted(SyCall* c, int32_t output) {
  auto* const call = As<BodyCall>(c);
  return call != nullptr &&
         call->IsThere("output", output, call->info->outputs.size()) &&
         call->composer->IsWanted(output);
}

SyCode YieldValue(SyCall* c, int32_t output, const SyValue* value) {
  auto* const call = As<BodyCall>(c);
  if (call == nullptr ||
      !call->IsThere("output", output, call->info->outputs.size())) {
    return SY_INVALID_ARGUMENT;
  }
  if (value == nullptr) {
    call->Keep(
        ArgumentError(call->info->outputs[output].name, "a value", "null"));
    return SY_INVALID_ARGUMENT;
  }
  if (call->composer->IsWanted(output)) call->composer->Yield(output, value);
  return SY_OK;
}

// As the first input.
absl::Status InferUnchanged(const InferMetaContext& context) {
  const TensorSpec& first = context.inputs.one(0);
  for (int i = 0; i < context.outputs.arguments(); ++i) {
    TensorSpec* const out = context.outputs.optional(i);
    if (out == nullptr) continue;
    out->dtype = first.dtype;
    out->shape = first.shape;
  }
  return absl::OkStatus();
}

absl::Status InferPluginOperator(const OpInfo& info,
                                 const InferMetaContext& context) {
  const auto& op = static_cast<const PluginOperator&>(info);
  for (int i = 0; i < context.inputs.arguments(); ++i) {
    const TensorSpec& input = context.inputs.one(i);
    if (input.kind != TensorKind::kDense) {
      return TypeError(info.inputs[i].name, "dense", Name(input.kind));
    }
  }
  if (op.infer_function == nullptr) return InferUnchanged(context);
  InferenceCall call;
  call.api = op.api;
  call.kind = InferenceCall::kKind;
  call.attrs = context.attrs;
  call.info = &info;
  call.context = &context;
  SY_RETURN_IF_ERROR(
      RunFunction(op.infer_function, call, "inference", op.plugin));
  for (int i = 0; i < context.outputs.arguments(); ++i) {
    const TensorSpec* const out = context.outputs.optional(i);
    if (out == nullptr || out->dtype != DataType::kUndefined) continue;
    return absl::InternalError(absl::StrCat("plugin ", op.plugin,
                                            ": inference has not set ",
                                            info.outputs[i].name));
  }
  return absl::OkStatus();
}

}  // namespace

void FillOpInfo(PluginOperator* op) {
  const Signature& signature = op->signature;
  for (const std::string& input : signature.inputs) {
    op->input_list.push_back({input.c_str()});
  }
  for (const Signature::Attr& attr : signature.attrs) {
    AttrInfo info = {attr.name.c_str(), attr.type};
    if (attr.default_value.has_value()) {
      info.has_default = true;
      info.default_value = attr.default_value->ref();
    }
    op->attr_list.push_back(info);
  }
  for (const std::string& output : signature.outputs) {
    op->output_list.push_back({output.c_str()});
  }
  op->name = signature.name.c_str();
  op->inputs = op->input_list;
  op->attrs = op->attr_list;
  op->outputs = op->output_list;
  op->dtype_rule.input = 0;
  op->file = op->file_text.c_str();
  // Those of a body are its values'.
  if (op->body == nullptr) op->infer_meta_of = &InferPluginOperator;
}

absl::Status SetGradient(const std::vector<std::string>& inputs,
                         PluginOperator* op, PluginOperator* backward) {
  using Kind = GradSource::Kind;
  Signature& signature = backward->signature;
  signature.name = absl::StrCat(op->name, "_grad");
  for (const std::string& input : inputs) {
    const auto find = [&input](const std::vector<std::string>& names,
                               const char* suffix) {
      const auto at = std::find_if(
          names.begin(), names.end(),
          [&](const std::string& name) { return name + suffix == input; });
      return at == names.end() ? -1 : static_cast<int>(at - names.begin());
    };
    Kind kind = Kind::kInput;
    int index = find(op->signature.inputs, "");
    if (index < 0) {
      kind = Kind::kOutput;
      index = find(op->signature.outputs, "");
    }
    if (index < 0) {
      kind = Kind::kOutputGrad;
      index = find(op->signature.outputs, "_grad");
    }
    if (index < 0) {
      return ArgumentError("gradient_inputs",
                           "inputs, outputs and <output>_grad",
                           absl::StrCat("'", input, "'"));
    }
    signature.inputs.push_back(input);
    op->grad_inputs.push_back({kind, static_cast<int16_t>(index)});
  }
  signature.attrs = op->signature.attrs;
  for (size_t i = 0; i < signature.attrs.size(); ++i) {
    op->grad_attrs.push_back(static_cast<int16_t>(i));
  }
  for (size_t i = 0; i < op->signature.inputs.size(); ++i) {
    signature.outputs.push_back(op->signature.inputs[i] + "_grad");
    op->grad_outputs.push_back(static_cast<int16_t>(i));
  }
  FillOpInfo(backward);
  op->backward = backward;
  op->grad = {op, backward, op->grad_inputs, op->grad_attrs, op->grad_outputs};
  return absl::OkStatus();
}

absl::Status RunBody(const PluginOperator& op, absl::Span<const AttrRef> attrs,
                     Composer& composer) {
  BodyCall call;
  call.api = op.api;
  call.kind = BodyCall::kKind;
  call.attrs = attrs;
  call.info = &op;
  call.composer = &composer;
  return RunFunction(op.body, call, "the body", op.plugin);
}

void AddOperatorFunctions(SyApi* api) {
  api->infer_rank = &InferRank;
  api->infer_extent = &InferExtent;
  api->infer_output = &InferOutput;
  api->value = &ValueOf;
  api->compute = &Compute;
  api->wanted = &Wanted;
  api->yield_value = &YieldValue;
}

}  // namespace switchyard::phi::capi
