// SPDX-License-Identifier: Apache-2.0
// KernelContext: the arguments of one launch, flat, for kernels that are called
// through their thunk (executors, the legacy adapter). Inputs are as their
// ArgDefs ask: transformed, on the place, contiguous where asked. Outputs have
// metadata and memory, but for views, which their kernel makes.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_
#define SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_

#include "framework/device/device_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// A Tensor[] argument of a kernel; the entries are dense and never null.
class DenseList {
 public:
  DenseList(absl::Span<const TensorBase* const> tensors)  // NOLINT: implicit
      : tensors_(tensors) {}
  size_t size() const { return tensors_.size(); }
  const DenseTensor& operator[](size_t i) const {
    return *static_cast<const DenseTensor*>(tensors_[i]);
  }

 private:
  absl::Span<const TensorBase* const> tensors_;
};

// A Tensor[] result of a kernel; an entry is null if it is not wanted.
class DenseOutputs {
 public:
  DenseOutputs(absl::Span<TensorBase* const> tensors)  // NOLINT: implicit
      : tensors_(tensors) {}
  size_t size() const { return tensors_.size(); }
  DenseTensor* operator[](size_t i) const {
    return static_cast<DenseTensor*>(tensors_[i]);
  }

 private:
  absl::Span<TensorBase* const> tensors_;
};

// Borrows all that it is given. An absent tensor is null.
class KernelContext {
 public:
  KernelContext(const DeviceContext* device,
                absl::Span<const TensorBase* const> inputs, Slots input_slots,
                absl::Span<const AttrRef> attrs,
                absl::Span<TensorBase* const> outputs, Slots output_slots)
      : device_(device),
        inputs_(inputs),
        outputs_(outputs),
        attrs_(attrs),
        input_slots_(input_slots),
        output_slots_(output_slots) {}

  const DeviceContext& device() const { return *device_; }
  const TensorBase* input(int i) const {
    return inputs_[input_slots_.begin(i)];
  }
  absl::Span<const TensorBase* const> input_list(int i) const {
    return inputs_.subspan(input_slots_.begin(i),
                           input_slots_.end(i) - input_slots_.begin(i));
  }
  AttrRef attr(int i) const { return attrs_[i]; }
  TensorBase* output(int i) const { return outputs_[output_slots_.begin(i)]; }
  absl::Span<TensorBase* const> output_list(int i) const {
    return outputs_.subspan(output_slots_.begin(i),
                            output_slots_.end(i) - output_slots_.begin(i));
  }
  const Slots& input_slots() const { return input_slots_; }
  const Slots& output_slots() const { return output_slots_; }

 private:
  const DeviceContext* device_;
  absl::Span<const TensorBase* const> inputs_;
  absl::Span<TensorBase* const> outputs_;
  absl::Span<const AttrRef> attrs_;
  Slots input_slots_;
  Slots output_slots_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_
