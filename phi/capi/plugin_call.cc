// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_call.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/stream.h"
#include "phi/capi/host_call.h"
#include "phi/capi/plugin_records.h"
#include "phi/core/allocate_output.h"
#include "phi/core/stream_launch.h"

namespace switchyard::phi::capi {
namespace {

struct KernelCall : HostCall {
  static constexpr Kind kKind = Kind::kKernel;
  KernelContext* context;
};

// Returns the tensor of a handle that plugins hold: SyTensor is never defined.
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

// Makes the output; the error is the caller's to keep.
absl::StatusOr<DenseTensor*> MakeLate(KernelCall& call, int32_t number,
                                      const char* dtype, int32_t rank,
                                      const int64_t* extents) {
  const KernelDef& kernel = *call.context->kernel();
  const char* const name = call.info->outputs[number].name;
  if (!kernel.outputs[number].self_allocated) {
    return ArgumentError(name, "among late_outputs of the kernel", "not");
  }
  const std::optional<DataType> parsed =
      ParseDataType(dtype == nullptr ? "" : dtype);
  if (!parsed.has_value() || *parsed == DataType::kUndefined) {
    return ArgumentError(absl::StrCat("the dtype of ", name),
                         "the name of a dtype",
                         dtype == nullptr ? "null" : dtype);
  }
  if (rank < 0 || rank > kMaxRank || (rank > 0 && extents == nullptr)) {
    return ArgumentError(absl::StrCat("the rank of ", name),
                         absl::StrCat("in [0, ", kMaxRank, "]"),
                         absl::StrCat(rank));
  }
  Shape shape;
  for (int32_t axis = 0; axis < rank; ++axis) {
    if (extents[axis] < 0) {
      return RangeError(absl::StrCat("an extent of ", name), "at least 0",
                        absl::StrCat(extents[axis]));
    }
    shape.push_back(Dim(extents[axis]));
  }
  const auto elements = call.context->outputs.list(number);
  auto* const out = static_cast<DenseTensor*>(elements[0]);
  if (out == nullptr) return out;  // It is not wanted.
  SY_RETURN_IF_ERROR(
      AllocateOutput(call.context->device(), *parsed, shape, out));
  return out;
}

SyTensor* LateOutput(SyCall* c, int32_t number, const char* dtype, int32_t rank,
                     const int64_t* extents) {
  auto* const call = As<KernelCall>(c);
  if (call == nullptr ||
      !call->IsThere("output", number, call->info->outputs.size())) {
    return nullptr;
  }
  auto made = MakeLate(*call, number, dtype, rank, extents);
  if (made.ok()) return reinterpret_cast<SyTensor*>(*made);
  call->Keep(made.status());
  return nullptr;
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
  api->late_output = &LateOutput;
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
  SY_RETURN_IF_ERROR(
      RunFunction(kernel.function, call, "the kernel", kernel.plugin));
  for (const auto [argument, slot, output] : context.outputs) {
    if (output == nullptr || output->allocated() ||
        !kernel.outputs[argument].self_allocated) {
      continue;
    }
    return absl::InternalError(
        absl::StrCat("plugin ", kernel.plugin, ": the kernel has not made ",
                     kernel.info->outputs[argument].name));
  }
  return absl::OkStatus();
}

absl::Status RunPluginKernelOnStream(KernelContext& context) {
  return LaunchOnStream(context, &RunPluginKernel);
}

}  // namespace switchyard::phi::capi
