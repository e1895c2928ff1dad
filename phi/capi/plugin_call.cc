// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_call.h"

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

const SyTensor* Input(SyCall* c, int32_t number) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return nullptr;
  const auto& inputs = call->context->inputs;
  if (!call->IsThere("input", number, inputs.arguments())) return nullptr;
  return reinterpret_cast<const SyTensor*>(
      static_cast<const DenseTensor*>(inputs.optional(number)));
}

SyTensor* Output(SyCall* c, int32_t number) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr) return nullptr;
  const auto& outputs = call->context->outputs;
  if (!call->IsThere("output", number, outputs.arguments())) return nullptr;
  auto* const out = static_cast<DenseTensor*>(outputs.optional(number));
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
