// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/sim/sim_kernel.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/sim/sim_memory.h"
#include "framework/device/transfer.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"

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

// The tensors of a call as a CPU kernel can use them, and the way back.
class AliasedCall {
 public:
  explicit AliasedCall(const KernelContext& call) : call_(call) {}

  // Makes the tensors and attributes; called once.
  absl::Status Make();
  // Requires Make().
  TensorArgs args() const {
    return {{inputs_, call_.inputs.segments()},
            attrs_,
            {outputs_, call_.outputs.segments()}};
  }
  // The blocks of the device that the call touches.
  std::vector<const void*> reads() const { return BlocksOf(inputs_); }
  std::vector<const void*> writes() const { return BlocksOf(outputs_); }

  // Makes the outputs of the call what the kernel made of their aliases. Memory
  // that the kernel took from the host is copied to the device.
  absl::Status Return() const;

 private:
  struct Pair {
    RefPtr<Buffer> device;
    RefPtr<Buffer> alias;
  };

  RefPtr<Buffer> AliasOf(const RefPtr<Buffer>& buffer);
  DenseTensor AliasOf(const DenseTensor& tensor);
  absl::StatusOr<OwnedTensor> AliasOf(const TensorBase& tensor);
  template <typename Tensors>
  std::vector<const void*> BlocksOf(const Tensors& tensors) const;
  absl::StatusOr<DenseTensor> OnDevice(const DenseTensor& alias,
                                       const Buffer* own) const;

  const KernelContext& call_;
  std::vector<Pair> pairs_;
  std::vector<OwnedTensor> owned_;
  std::vector<const TensorBase*> inputs_;
  std::vector<TensorBase*> outputs_;
  std::vector<AttrRef> attrs_;
};

RefPtr<Buffer> AliasedCall::AliasOf(const RefPtr<Buffer>& buffer) {
  if (!buffer || buffer->place() == Place::Cpu()) return buffer;
  for (const Pair& pair : pairs_) {
    if (pair.device == buffer) return pair.alias;
  }
  RefPtr<Buffer> alias = Buffer::Wrap(
      SimArena::Get().Alias(buffer->data()), buffer->size(), Place::Cpu(),
      [](void*) {}, nullptr);
  pairs_.push_back({buffer, alias});
  return alias;
}

DenseTensor AliasedCall::AliasOf(const DenseTensor& tensor) {
  TensorMeta meta = tensor.meta();
  meta.place = Place::Cpu();
  DenseTensor alias(std::move(meta), AliasOf(tensor.buffer()));
  alias.SetLod(tensor.lod());
  return alias;
}

absl::StatusOr<OwnedTensor> AliasedCall::AliasOf(const TensorBase& tensor) {
  OwnedTensor alias = NewTensor(tensor.kind());
  switch (tensor.kind()) {
    case TensorKind::kDense:
      static_cast<DenseTensor&>(*alias) =
          AliasOf(static_cast<const DenseTensor&>(tensor));
      return alias;
    case TensorKind::kSelectedRows: {
      const auto& rows = static_cast<const SelectedRows&>(tensor);
      if (rows.dtype() == DataType::kUndefined) return alias;
      static_cast<SelectedRows&>(*alias) =
          SelectedRows(rows.height(), rows.rows(), AliasOf(rows.values()));
      return alias;
    }
    default:
      return absl::UnimplementedError(
          absl::StrCat("a tensor on sim must be dense or SelectedRows, got ",
                       std::string(Name(tensor.kind()))));
  }
}

absl::Status AliasedCall::Make() {
  for (const TensorBase* input : call_.inputs.elements()) {
    inputs_.push_back(nullptr);
    if (input == nullptr) continue;
    SY_ASSIGN_OR_RETURN(OwnedTensor alias, AliasOf(*input));
    owned_.push_back(std::move(alias));
    inputs_.back() = owned_.back().get();
  }
  for (const TensorBase* output : call_.outputs.elements()) {
    outputs_.push_back(nullptr);
    if (output == nullptr) continue;
    SY_ASSIGN_OR_RETURN(OwnedTensor alias, AliasOf(*output));
    owned_.push_back(std::move(alias));
    outputs_.back() = owned_.back().get();
  }
  for (const AttrRef& attr : call_.attrs) {
    // The kernel takes itself to be on the host.
    attrs_.push_back(attr.type() == AttrType::kPlace ? AttrRef(Place::Cpu())
                                                     : attr);
  }
  return absl::OkStatus();
}

template <typename Tensors>
std::vector<const void*> AliasedCall::BlocksOf(const Tensors& tensors) const {
  std::vector<const void*> blocks;
  for (const TensorBase* tensor : tensors) {
    if (tensor == nullptr) continue;
    for (const Pair& pair : pairs_) {
      if (pair.alias == tensor->buffer()) blocks.push_back(pair.device->data());
    }
  }
  return blocks;
}

// `own` is the buffer that the output came with, or null.
absl::StatusOr<DenseTensor> AliasedCall::OnDevice(const DenseTensor& alias,
                                                  const Buffer* own) const {
  const Place place = call_.device().place();
  RefPtr<Buffer> buffer = alias.buffer();
  const auto pair = std::find_if(
      pairs_.begin(), pairs_.end(),
      [&buffer](const Pair& entry) { return entry.alias == buffer; });
  if (pair == pairs_.end() && buffer && buffer.get() != own) {
    return Transferred(alias, place);
  }
  TensorMeta meta = alias.meta();
  if (pair != pairs_.end()) buffer = pair->device;
  meta.place = buffer ? buffer->place() : place;
  DenseTensor tensor(std::move(meta), std::move(buffer));
  tensor.SetLod(alias.lod());
  return tensor;
}

absl::Status AliasedCall::Return() const {
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    const TensorBase* const alias = outputs_[slot];
    if (alias == nullptr || alias->dtype() == DataType::kUndefined) continue;
    TensorBase& output = *call_.outputs[slot];
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

}  // namespace

absl::Status LaunchOnSim(const KernelDef& kernel, KernelContext& call) {
  AliasedCall aliased(call);
  SY_RETURN_IF_ERROR(aliased.Make());
  SimTask task;
  task.op = kernel.op;
  task.reads = aliased.reads();
  task.writes = aliased.writes();
  task.run = [&kernel, &aliased] {
    // The worker's thread has a context of its own.
    const DeviceContext& host =
        kernel.key.backend->contexts->current(Place::Cpu());
    KernelContext context(host, aliased.args(), &kernel);
    return kernel.thunk(context);
  };
  SimStream& stream = static_cast<const SimContext&>(call.device()).stream();
  SY_RETURN_IF_ERROR(stream.Enqueue(std::move(task)));
  SY_RETURN_IF_ERROR(stream.Synchronize());
  return aliased.Return();
}

KernelDef SimKernelDef(const KernelDef& kernel, KernelThunk thunk) {
  KernelDef def = kernel;
  def.key.backend = &SimBackend(*kernel.key.backend);
  def.thunk = thunk;
  return def;
}

}  // namespace switchyard::phi
