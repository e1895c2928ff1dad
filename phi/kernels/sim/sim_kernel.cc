// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/sim/sim_kernel.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/sim/sim_memory.h"
#include "framework/device/stream_work.h"
#include "framework/device/transfer.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/stream_launch.h"

namespace switchyard::phi {

const BackendInfo backend_sim_reference = {"sim_reference", &device_sim, 0,
                                           false, &SimContext::kContexts};
const BackendInfo backend_sim_cpu = {"sim_cpu", &device_sim, 100, true,
                                     &SimContext::kContexts};
const BackendInfo backend_sim_onednn = {"sim_onednn", &device_sim, 200, true,
                                        &SimContext::kContexts};

namespace {

const BackendInfo& SimBackend(const BackendInfo& of) {
  const std::string_view name = of.name;
  if (name == "reference") return backend_sim_reference;
  return name == "onednn" ? backend_sim_onednn : backend_sim_cpu;
}

// The arguments of a call as a CPU kernel can use them, and the way back. Owns
// all that the kernel needs, except memory of the device.
class AliasedCall {
 public:
  AliasedCall(const KernelDef& kernel, Place place)
      : kernel_(kernel), place_(place) {}

  // Makes the tensors and attributes; called once. `outlives`: the caller does
  // not wait, so that what lies on the host is copied.
  absl::Status Make(const KernelContext& call, bool outlives);
  // Runs the kernel, on the thread that it is called on.
  absl::Status Run();
  // Says that an output is not where the caller expects it.
  absl::Status CheckOutputs() const;
  // The blocks of the device that the call touches.
  std::vector<const void*> reads() const { return BlocksOf(inputs_); }
  std::vector<const void*> writes() const { return BlocksOf(outputs_); }
  // Lets go of the device's memory, which is freed in the order of the streams.
  void DropBuffers() { pairs_.clear(); }

  // Makes the outputs of the call what the kernel made of their aliases. Memory
  // that the kernel took from the host is copied to the device.
  absl::Status Return(KernelContext* call) const;

 private:
  struct Pair {
    RefPtr<Buffer> device;
    RefPtr<Buffer> alias;
  };

  absl::StatusOr<RefPtr<Buffer>> AliasOf(const RefPtr<Buffer>& buffer);
  absl::StatusOr<DenseTensor> AliasOf(const DenseTensor& tensor);
  absl::StatusOr<OwnedTensor> AliasOf(const TensorBase& tensor);
  template <typename Tensors>
  std::vector<const void*> BlocksOf(const Tensors& tensors) const;
  absl::StatusOr<DenseTensor> OnDevice(const DenseTensor& alias,
                                       const Buffer* own) const;

  const KernelDef& kernel_;
  const Place place_;
  bool outlives_ = false;
  std::vector<Pair> pairs_;
  std::vector<OwnedTensor> owned_;
  ArgBuffer<const TensorBase*> inputs_;
  ArgBuffer<TensorBase*> outputs_;
  std::vector<RefPtr<Buffer>> given_;  // By output: the alias it came with.
  std::vector<Attribute> attributes_;
  std::vector<AttrRef> attrs_;  // Of attributes_.
  Place to_;  // Where results belong: the device, or where the call copies to.
};

absl::StatusOr<RefPtr<Buffer>> AliasedCall::AliasOf(
    const RefPtr<Buffer>& buffer) {
  if (!buffer) return buffer;
  for (const Pair& pair : pairs_) {
    if (pair.device == buffer) return pair.alias;
  }
  RefPtr<Buffer> alias;
  if (buffer->place() != Place::Cpu()) {
    alias = Buffer::Wrap(
        SimArena::Get().Alias(buffer->data()), buffer->size(), Place::Cpu(),
        [](void*) {}, nullptr);
  } else if (outlives_) {
    SY_ASSIGN_OR_RETURN(alias, CpuAllocator().Allocate(buffer->size()));
    std::memcpy(alias->data(), buffer->data(), buffer->size());
  } else {
    return buffer;
  }
  pairs_.push_back({buffer, alias});
  return alias;
}

absl::StatusOr<DenseTensor> AliasedCall::AliasOf(const DenseTensor& tensor) {
  TensorMeta meta = tensor.meta();
  meta.place = Place::Cpu();
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer, AliasOf(tensor.buffer()));
  DenseTensor alias(std::move(meta), std::move(buffer));
  alias.SetLod(tensor.lod());
  return alias;
}

absl::StatusOr<OwnedTensor> AliasedCall::AliasOf(const TensorBase& tensor) {
  OwnedTensor alias = NewTensor(tensor.kind());
  switch (tensor.kind()) {
    case TensorKind::kDense: {
      SY_ASSIGN_OR_RETURN(static_cast<DenseTensor&>(*alias),
                          AliasOf(static_cast<const DenseTensor&>(tensor)));
      return alias;
    }
    case TensorKind::kSelectedRows: {
      const auto& rows = static_cast<const SelectedRows&>(tensor);
      if (rows.dtype() == DataType::kUndefined) return alias;
      SY_ASSIGN_OR_RETURN(DenseTensor values, AliasOf(rows.values()));
      static_cast<SelectedRows&>(*alias) =
          SelectedRows(rows.height(), rows.rows(), std::move(values));
      return alias;
    }
    default:
      return absl::UnimplementedError(
          absl::StrCat("a tensor on sim must be dense or SelectedRows, got ",
                       std::string(Name(tensor.kind()))));
  }
}

absl::Status AliasedCall::Make(const KernelContext& call, bool outlives) {
  outlives_ = outlives;
  const ArgSegments& inputs = call.inputs.segments();
  for (int i = 0; i < inputs.arguments(); ++i) {
    for (const TensorBase* input : call.inputs.list(i)) {
      inputs_.push_back(nullptr);
      if (input == nullptr) continue;
      SY_ASSIGN_OR_RETURN(OwnedTensor alias, AliasOf(*input));
      owned_.push_back(std::move(alias));
      inputs_[inputs_.size() - 1] = owned_.back().get();
    }
    inputs_.EndArgument();
  }
  const ArgSegments& outputs = call.outputs.segments();
  for (int i = 0; i < outputs.arguments(); ++i) {
    for (const TensorBase* output : call.outputs.list(i)) {
      outputs_.push_back(nullptr);
      given_.emplace_back();
      if (output == nullptr) continue;
      SY_ASSIGN_OR_RETURN(OwnedTensor alias, AliasOf(*output));
      owned_.push_back(std::move(alias));
      outputs_[outputs_.size() - 1] = owned_.back().get();
      given_.back() = owned_.back()->buffer();
    }
    outputs_.EndArgument();
  }
  to_ = place_;
  for (const AttrRef& attr : call.attrs) {
    if (attr.type() == AttrType::kPlace) to_ = attr.Get<Place>();
    // The kernel takes itself to be on the host.
    attributes_.push_back(Attribute(
        attr.type() == AttrType::kPlace ? AttrRef(Place::Cpu()) : attr));
  }
  for (const Attribute& attribute : attributes_) {
    attrs_.push_back(attribute.ref());
  }
  return absl::OkStatus();
}

absl::Status AliasedCall::Run() {
  // Each thread has a context of its own.
  const DeviceContext& host =
      kernel_.key.backend->contexts->current(Place::Cpu());
  KernelContext context(host, {inputs_.view(), attrs_, outputs_.mutable_view()},
                        &kernel_);
  return kernel_.thunk(context);
}

absl::Status AliasedCall::CheckOutputs() const {
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    if (outputs_[slot] == nullptr || outputs_[slot]->buffer() == given_[slot]) {
      continue;
    }
    return absl::InternalError(absl::StrCat(
        "output ", slot, " must be written where its memory is, got another"));
  }
  return absl::OkStatus();
}

template <typename Tensors>
std::vector<const void*> AliasedCall::BlocksOf(const Tensors& tensors) const {
  std::vector<const void*> blocks;
  for (const TensorBase* tensor : tensors) {
    if (tensor == nullptr) continue;
    for (const Pair& pair : pairs_) {
      if (pair.alias == tensor->buffer() &&
          pair.device->place() != Place::Cpu()) {
        blocks.push_back(pair.device->data());
      }
    }
  }
  return blocks;
}

// `own` is the buffer that the output came with, or null.
absl::StatusOr<DenseTensor> AliasedCall::OnDevice(const DenseTensor& alias,
                                                  const Buffer* own) const {
  RefPtr<Buffer> buffer = alias.buffer();
  const auto pair = std::find_if(
      pairs_.begin(), pairs_.end(),
      [&buffer](const Pair& entry) { return entry.alias == buffer; });
  if (pair == pairs_.end() && buffer && buffer.get() != own) {
    return Transferred(alias, to_);
  }
  TensorMeta meta = alias.meta();
  if (pair != pairs_.end()) buffer = pair->device;
  meta.place = buffer ? buffer->place() : place_;
  DenseTensor tensor(std::move(meta), std::move(buffer));
  tensor.SetLod(alias.lod());
  return tensor;
}

absl::Status AliasedCall::Return(KernelContext* call) const {
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    const TensorBase* const alias = outputs_[slot];
    if (alias == nullptr || alias->dtype() == DataType::kUndefined) continue;
    TensorBase& output = *call->outputs[slot];
    const Buffer* const own = output.buffer().get();
    if (alias->kind() == TensorKind::kDense) {
      SY_ASSIGN_OR_RETURN(
          static_cast<DenseTensor&>(output),
          OnDevice(static_cast<const DenseTensor&>(*alias), own));
      continue;
    }
    const auto& rows = static_cast<const SelectedRows&>(*alias);
    SY_ASSIGN_OR_RETURN(DenseTensor values, OnDevice(rows.values(), own));
    static_cast<SelectedRows&>(output) =
        SelectedRows(rows.height(), rows.rows(), std::move(values));
  }
  return absl::OkStatus();
}

// Returns true if the call says all about its outputs but their elements.
bool IsInferred(const KernelDef& kernel, const KernelContext& call) {
  // A legacy kernel makes its outputs itself.
  if (kernel.origin != KernelOrigin::kPhi) return false;
  for (const TensorBase* input : call.inputs.elements()) {
    if (input == nullptr || input->kind() != TensorKind::kDense) continue;
    // A kernel may hand it on.
    if (static_cast<const DenseTensor*>(input)->lod() != nullptr) return false;
  }
  for (const TensorBase* output : call.outputs.elements()) {
    if (output == nullptr) continue;
    if (output->kind() != TensorKind::kDense || !output->allocated()) {
      return false;
    }
  }
  return true;
}

bool WritesHost(const KernelContext& call) {
  for (const TensorBase* output : call.outputs.elements()) {
    if (output != nullptr && output->allocated() &&
        output->buffer()->place() == Place::Cpu()) {
      return true;
    }
  }
  return false;
}

// Returns true if the kernel only makes views of its inputs.
bool IsView(const KernelDef& kernel, const KernelContext& call) {
  if (kernel.origin != KernelOrigin::kPhi || !MakesViews(call)) return false;
  for (const ArgDef& output : kernel.outputs) {
    if (output.self_allocated) return false;
  }
  return true;
}

// The thunk of every SimKernel.
absl::Status Launch(KernelContext& call) {
  const KernelDef& kernel = *static_cast<const SimKernel*>(call.kernel())->of;
  const Place place = call.device().place();
  const bool to_host = WritesHost(call);
  const bool waits = to_host || !IsInferred(kernel, call);
  auto aliased = std::make_shared<AliasedCall>(kernel, place);
  SY_RETURN_IF_ERROR(aliased->Make(call, /*outlives=*/!waits));
  if (IsView(kernel, call)) {
    SY_RETURN_IF_ERROR(aliased->Run());
    return aliased->Return(&call);
  }
  // A copy to the host waits for the writer of what it reads alone.
  SY_ASSIGN_OR_RETURN(Stream* const stream, to_host ? Stream::OfTransfers(place)
                                                    : Stream::Current(place));
  StreamWork work(stream);
  AddTensors(call, &work);
  SY_RETURN_IF_ERROR(work.Begin());
  SimTask task;
  task.op = kernel.op;
  task.reads = aliased->reads();
  task.writes = aliased->writes();
  if (waits) {
    task.run = [aliased] { return aliased->Run(); };
  } else {
    aliased->DropBuffers();
    task.run = [aliased, op = kernel.op] {
      absl::Status status = aliased->Run();
      if (status.ok()) status = aliased->CheckOutputs();
      return Annotate(status, op);
    };
  }
  SY_RETURN_IF_ERROR(SimStreamOf(*stream).Enqueue(std::move(task)));
  SY_ASSIGN_OR_RETURN(const RefPtr<Event> event, work.End());
  if (!waits) return absl::OkStatus();
  SY_RETURN_IF_ERROR(event->Wait());
  return aliased->Return(&call);
}

}  // namespace

SimKernel::SimKernel(const KernelDef& kernel) : KernelDef(kernel), of(&kernel) {
  key.backend = &SimBackend(*kernel.key.backend);
  thunk = &Launch;
}

}  // namespace switchyard::phi
