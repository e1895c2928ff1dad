// SPDX-License-Identifier: Apache-2.0
#include "eager/call/repeats.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "eager/autograd/grad_mode.h"
#include "eager/call/region.h"
#include "eager/call/run.h"
#include "framework/base/small_array.h"
#include "framework/base/status.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"

namespace switchyard::eager {
namespace {

constexpr int kInline = 8;

bool Present(const Tensor* tensor) {
  return tensor != nullptr && tensor->defined();
}

// full_like reads no element; the dtype and the shape are the input's. where
// broadcasts three, and is not among those of the trait.
bool ActsOnElements(const EagerOp& op) {
  const std::string_view name = op.info->name;
  return (op.info->has(phi::Trait::kElementwise) || name == "full_like" ||
          name == "where") &&
         !op.inplace && !op.info->has(phi::Trait::kInplaceOnly);
}

bool IsPlain(const Tensor& tensor) {
  return tensor.kind() == TensorKind::kDense &&
         tensor.place() == Place::Cpu() && tensor.dense().allocated() &&
         tensor.dtype() != DataType::kString &&
         tensor.dense().meta().layout == LayoutDescriptor() &&
         tensor.dense().lod() == nullptr &&
         !(tensor.requires_grad() && CurrentGradMode() == GradMode::kOn);
}

// The extents of a result, and the axes along which all inputs repeat elements.
struct Repeated {
  int rank = 0;
  std::array<Dim, kMaxRank> extents = {};
  std::array<bool, kMaxRank> axes = {};
  bool any = false;

  Shape Full() const { return ShapeOf(extents); }
  Shape Once() const {
    std::array<Dim, kMaxRank> once = extents;
    for (int i = 0; i < rank; ++i) {
      if (axes[i]) once[i] = Dim(1);
    }
    return ShapeOf(once);
  }

 private:
  Shape ShapeOf(const std::array<Dim, kMaxRank>& of) const {
    return Shape(absl::MakeConstSpan(of.data(), rank));
  }
};

// Takes inputs of one rank, and single elements: where others lie depends on
// the operator.
Repeated AxesOf(const InputTensors& inputs) {
  Repeated found, none;
  for (const Tensor* input : inputs.elements()) {
    if (!Present(input)) continue;
    if (!IsPlain(*input)) return none;
    found.rank = std::max(found.rank, input->shape().rank());
  }
  found.extents.fill(Dim(1));
  found.axes.fill(true);
  for (const Tensor* input : inputs.elements()) {
    if (!Present(input)) continue;
    const DenseTensor& dense = input->dense();
    if (dense.numel() == 1) continue;
    if (dense.shape().rank() != found.rank) return none;
    for (int i = 0; i < found.rank; ++i) {
      const Dim extent = dense.shape()[i];
      if (extent == Dim(1)) continue;
      // Extents that don't agree are refused where all elements are computed.
      if (found.extents[i] != Dim(1) && found.extents[i] != extent) return none;
      found.extents[i] = extent;
      found.axes[i] = found.axes[i] && dense.strides()[i] == 0;
    }
  }
  for (int i = 0; i < found.rank; ++i) {
    found.axes[i] = found.axes[i] && found.extents[i] != Dim(1);
    found.any = found.any || found.axes[i];
  }
  return found;
}

// The view of an input that has one of each of the elements along `axes`.
Tensor OnceOf(const Tensor& input, const Repeated& repeated) {
  const DenseTensor& dense = input.dense();
  if (dense.numel() == 1) return input;
  std::array<Dim, kMaxRank> extents = {};
  for (int i = 0; i < repeated.rank; ++i) {
    extents[i] = repeated.axes[i] ? Dim(1) : dense.shape()[i];
  }
  DenseTensor once;
  once.SetView(dense, Shape(absl::MakeConstSpan(extents.data(), repeated.rank)),
               dense.strides(), dense.offset());
  return Tensor(std::move(once));
}

}  // namespace

bool internal::LargeRepeats(const Tensor& tensor) {
  return OverlapsItself(tensor.dense()) && IsPlain(tensor);
}

absl::Status SpreadOut(Tensor* tensor) {
  if (!tensor->defined() || !IsPlain(*tensor) ||
      !OverlapsItself(tensor->dense())) {
    return absl::OkStatus();
  }
  const DenseTensor& view = tensor->dense();
  SY_ASSIGN_OR_RETURN(
      DenseTensor whole,
      DenseTensor::Allocate(view.dtype(), view.shape(), CpuAllocator()));
  CopyStrided(ElementSize(view.dtype()), view.shape(), view.raw_data(),
              view.strides(), const_cast<void*>(whole.raw_data()),
              whole.strides());
  *tensor = Tensor(std::move(whole));
  return absl::OkStatus();
}

namespace {

// Returns false, and does nothing, where each element is to be computed.
absl::StatusOr<bool> RunOnce(const EagerOp& op, const InputTensors& inputs,
                             absl::Span<const AttrRef> attrs,
                             absl::Span<Tensor> outputs) {
  if (outputs.size() != 1 || !SomeRepeats(inputs.elements())) return false;
  if (!ActsOnElements(op)) return false;
  const Repeated repeated = AxesOf(inputs);
  if (!repeated.any) return false;
  SmallArray<Tensor, kInline> views(inputs.size());
  SmallArray<const Tensor*, kInline> once(inputs.size());
  for (size_t slot = 0; slot < views.size(); ++slot) {
    once[slot] = inputs[slot];
    if (!Present(inputs[slot])) continue;
    views[slot] = OnceOf(*inputs[slot], repeated);
    once[slot] = &views[slot];
  }
  Tensor out;
  const RepeatsScope scope(true);
  SetKeepsRepeats(false);
  SY_RETURN_IF_ERROR(Run(op, {{once.data(), once.size()}, inputs.segments()},
                         attrs, absl::MakeSpan(&out, 1)));
  if (!out.defined() || !IsPlain(out) || out.shape() != repeated.Once()) {
    return false;
  }
  Strides strides = out.dense().strides();
  for (int i = 0; i < repeated.rank; ++i) {
    if (repeated.axes[i]) strides[i] = 0;
  }
  DenseTensor full;
  full.SetView(out.dense(), repeated.Full(), strides, out.dense().offset());
  outputs[0] = Tensor(std::move(full));
  ++internal::kept_repeats;
  return true;
}

}  // namespace

absl::Status RunKeeping(const EagerOp& op, const InputTensors& inputs,
                        absl::Span<const AttrRef> attrs,
                        absl::Span<Tensor> outputs) {
  SY_ASSIGN_OR_RETURN(const bool done, RunOnce(op, inputs, attrs, outputs));
  return done ? absl::OkStatus() : Run(op, inputs, attrs, outputs);
}

}  // namespace switchyard::eager
