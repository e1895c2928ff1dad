// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_call.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/types/attr_type.h"
#include "phi/capi/plugin_records.h"

namespace switchyard::phi::capi {
namespace {

// The process's side of a SyCall.
struct HostCall : SyCall {
  KernelContext* context;
  const PluginKernel* kernel;
  absl::Status error;  // The first.
};

HostCall& Host(SyCall* call) { return *static_cast<HostCall*>(call); }

void Keep(HostCall& call, absl::Status error) {
  if (call.error.ok()) call.error = std::move(error);
}

// Returns whether there is an argument of this number. `what` is "input", ...
bool IsThere(HostCall& call, const char* what, int32_t number, size_t count) {
  if (number >= 0 && static_cast<size_t>(number) < count) return true;
  Keep(call,
       RangeError(absl::StrCat("the number of an ", what),
                  absl::StrCat("in [0, ", count, ")"), absl::StrCat(number)));
  return false;
}

// Elements are what plugins hold: SyTensor is never defined.
const DenseTensor* Tensor(const SyTensor* tensor) {
  return reinterpret_cast<const DenseTensor*>(tensor);
}

const SyTensor* Input(SyCall* c, int32_t number) {
  HostCall& call = Host(c);
  const auto& inputs = call.context->inputs;
  if (!IsThere(call, "input", number, inputs.arguments())) return nullptr;
  return reinterpret_cast<const SyTensor*>(
      static_cast<const DenseTensor*>(inputs.optional(number)));
}

SyTensor* Output(SyCall* c, int32_t number) {
  HostCall& call = Host(c);
  const auto& outputs = call.context->outputs;
  if (!IsThere(call, "output", number, outputs.arguments())) return nullptr;
  auto* const out = static_cast<DenseTensor*>(outputs.optional(number));
  if (out == nullptr) return nullptr;
  if (!out->allocated()) {
    absl::Status status = call.context->device().Allocate(out);
    if (!status.ok()) {
      Keep(call, std::move(status));
      return nullptr;
    }
  }
  return reinterpret_cast<SyTensor*>(out);
}

// Returns the attribute; null, with the call's error set, if it is not there
// or of a type that `fits` refuses.
template <typename Fits>
const AttrRef* Attr(SyCall* c, int32_t number, const char* expected,
                    const Fits& fits) {
  HostCall& call = Host(c);
  const absl::Span<const AttrRef> attrs = call.context->attrs;
  if (!IsThere(call, "attribute", number, attrs.size())) return nullptr;
  const AttrRef& attr = attrs[number];
  if (fits(attr.type())) return &attr;
  Keep(call, TypeError(absl::StrCat("attribute ",
                                    call.kernel->info->attrs[number].name),
                       expected, Name(attr.type())));
  return nullptr;
}

int64_t AttrInt(SyCall* call, int32_t number) {
  const AttrRef* const attr =
      Attr(call, number, "an integer or a bool", [](AttrType type) {
        return type == AttrType::kInt || type == AttrType::kInt64 ||
               type == AttrType::kBool;
      });
  return attr == nullptr ? 0 : attr->Get<int64_t>();
}

double AttrFloat(SyCall* call, int32_t number) {
  const AttrRef* const attr =
      Attr(call, number, "float or double", [](AttrType type) {
        return type == AttrType::kFloat || type == AttrType::kDouble;
      });
  return attr == nullptr ? 0 : attr->Get<double>();
}

SyCode Fail(SyCall* call, SyCode code, const char* message) {
  Keep(Host(call), StatusOf(code, message == nullptr ? "" : message));
  return code;
}

const void* Data(const SyTensor* tensor) { return Tensor(tensor)->raw_data(); }

void* MutableData(SyTensor* tensor) {
  return const_cast<void*>(Tensor(tensor)->raw_data());
}

int32_t Rank(const SyTensor* tensor) { return Tensor(tensor)->rank(); }

int64_t Extent(const SyTensor* tensor, int32_t axis) {
  return Tensor(tensor)->extent(axis);
}

int64_t Numel(const SyTensor* tensor) { return Tensor(tensor)->numel(); }

}  // namespace

void AddCallFunctions(SyApi* api) {
  api->input = &Input;
  api->output = &Output;
  api->attr_int = &AttrInt;
  api->attr_float = &AttrFloat;
  api->fail = &Fail;
  api->data = &Data;
  api->mutable_data = &MutableData;
  api->rank = &Rank;
  api->extent = &Extent;
  api->numel = &Numel;
}

absl::Status StatusOf(SyCode code, std::string_view message) {
  const bool known = code > 0 && code <= 16;
  const absl::string_view text(message.data(), message.size());
  if (known) return absl::Status(static_cast<absl::StatusCode>(code), text);
  return absl::InternalError(
      absl::StrCat(text, text.empty() ? "" : " ", "(code ", code, ")"));
}

absl::Status RunPluginKernel(KernelContext& context) {
  const auto& kernel = static_cast<const PluginKernel&>(*context.kernel());
  HostCall call = {{kernel.api}, &context, &kernel, absl::OkStatus()};
  SyCode code = SY_OK;
  const absl::Status thrown = CatchAll([&] {
    code = kernel.function(&call);
    return absl::OkStatus();
  });
  if (__builtin_expect(code == SY_OK && thrown.ok() && call.error.ok(), 1)) {
    return absl::OkStatus();
  }
  Keep(call, thrown);
  if (call.error.ok()) {
    Keep(call, StatusOf(code, absl::StrCat("kernel ", kernel.kernel,
                                           " failed and gave no reason")));
  }
  return Annotate(call.error, absl::StrCat("plugin ", kernel.plugin));
}

}  // namespace switchyard::phi::capi
