// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/stream.h"
#include "phi/capi/host_call.h"
#include "phi/capi/plugin_records.h"
#include "phi/core/stream_launch.h"

namespace switchyard::phi::capi {
namespace {

struct KernelCall : HostCall {
  static constexpr Kind kKind = Kind::kKernel;
  KernelContext* context;
};

// Returns what plugins hold a pointer to: SyTensor is never defined.
const DenseTensor* Tensor(const SyTensor* tensor) {
  return reinterpret_cast<const DenseTensor*>(tensor);
}

// Returns the elements of an argument; none, with the call's error set, if
// there is no such argument.
template <typename List>
auto Elements(HostCall& call, const char* what, int32_t number,
              const List& list) {
  using Span = decltype(list.list(0));
  return call.IsThere(what, number, list.arguments()) ? list.list(number)
                                                      : Span();
}

int64_t InputCount(SyCall* c, int32_t number) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return 0;
  return static_cast<int64_t>(
      Elements(*call, "input", number, call->context->inputs).size());
}

int64_t OutputCount(SyCall* c, int32_t number) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return 0;
  return static_cast<int64_t>(
      Elements(*call, "output", number, call->context->outputs).size());
}

// Whether an argument has a tensor of this number; otherwise sets the error.
bool HasElement(HostCall& call, size_t count, int64_t index) {
  if (index >= 0 && static_cast<size_t>(index) < count) return true;
  call.Keep(RangeError("the index of a tensor of a list",
                       absl::StrCat("in [0, ", count, ")"),
                       absl::StrCat(index)));
  return false;
}

const SyTensor* InputAt(SyCall* c, int32_t number, int64_t index) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return nullptr;
  const auto elements = Elements(*call, "input", number, call->context->inputs);
  if (!HasElement(*call, elements.size(), index)) return nullptr;
  return reinterpret_cast<const SyTensor*>(
      static_cast<const DenseTensor*>(elements[index]));
}

SyTensor* OutputAt(SyCall* c, int32_t number, int64_t index) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return nullptr;
  const auto elements =
      Elements(*call, "output", number, call->context->outputs);
  if (!HasElement(*call, elements.size(), index)) return nullptr;
  auto* const out = static_cast<DenseTensor*>(elements[index]);
  if (out == nullptr) return nullptr;
  if (!out->allocated()) {
    absl::Status status = call->context->device().Allocate(out);
    if (!status.ok()) {
      call->Keep(std::move(status));
      return nullptr;
    }
  }
  return reinterpret_cast<SyTensor*>(out);
}

const SyTensor* Input(SyCall* call, int32_t number) {
  return InputAt(call, number, 0);
}

SyTensor* Output(SyCall* call, int32_t number) {
  return OutputAt(call, number, 0);
}

void* StreamOf(SyCall* c) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return nullptr;
  const Place place = call->context->device().place();
  if (!IsAsynchronous(place)) return nullptr;
  const absl::StatusOr<Stream*> stream = Stream::Current(place);
  if (stream.ok()) return (*stream)->handle();
  call->Keep(stream.status());
  return nullptr;
}

const void* Data(const SyTensor* tensor) { return Tensor(tensor)->raw_data(); }

void* MutableData(SyTensor* tensor) {
  return const_cast<void*>(Tensor(tensor)->raw_data());
}

int32_t Rank(const SyTensor* tensor) { return Tensor(tensor)->rank(); }

int64_t Extent(const SyTensor* tensor, int32_t axis) {
  return Tensor(tensor)->extent(axis);
}

int64_t Stride(const SyTensor* tensor, int32_t axis) {
  return Tensor(tensor)->strides()[axis];
}

// The names are constants that end with a zero.
const char* Dtype(const SyTensor* tensor) {
  return Name(Tensor(tensor)->dtype()).data();
}

int64_t Numel(const SyTensor* tensor) { return Tensor(tensor)->numel(); }

}  // namespace

void AddKernelFunctions(SyApi* api) {
  api->input = &Input;
  api->output = &Output;
  api->input_count = &InputCount;
  api->output_count = &OutputCount;
  api->input_at = &InputAt;
  api->output_at = &OutputAt;
  api->data = &Data;
  api->mutable_data = &MutableData;
  api->rank = &Rank;
  api->extent = &Extent;
  api->stride = &Stride;
  api->numel = &Numel;
  api->dtype = &Dtype;
  api->stream = &StreamOf;
}

absl::Status RunPluginKernel(KernelContext& context) {
  const auto& kernel = static_cast<const PluginKernel&>(*context.kernel());
  KernelCall call;
  call.api = kernel.api;
  call.kind = KernelCall::kKind;
  call.attrs = context.attrs;
  call.info = kernel.info;
  call.context = &context;
  return RunFunction(kernel.function, call, "the kernel", kernel.plugin);
}

absl::Status RunPluginKernelOnStream(KernelContext& context) {
  return LaunchOnStream(context, &RunPluginKernel);
}

}  // namespace switchyard::phi::capi
