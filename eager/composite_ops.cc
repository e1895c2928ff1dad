// SPDX-License-Identifier: Apache-2.0
#include "eager/composite_ops.h"

#include <utility>

namespace switchyard::eager {

void EagerOpsBase::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Shape EagerOpsBase::shape(const Tensor& value) const {
  return value.defined() ? value.shape() : Shape();
}

DataType EagerOpsBase::dtype(const Tensor& value) const {
  return value.defined() ? value.dtype() : DataType::kUndefined;
}

Place EagerOpsBase::place(const Tensor& value) const {
  return value.defined() ? value.place() : Place::Cpu();
}

Tensor EagerOpsBase::Call(const EagerOp& op,
                          absl::Span<const Tensor* const> inputs,
                          absl::Span<const AttrRef> attrs) {
  Tensor out;
  if (!status_.ok()) return out;
  Fail(Run(op, inputs, phi::Slots(static_cast<int>(inputs.size())), attrs,
           absl::MakeSpan(&out, 1)));
  return out;
}

std::vector<Tensor> EagerOpsBase::CallAll(
    const EagerOp& op, absl::Span<const Tensor* const> inputs, phi::Slots slots,
    absl::Span<const AttrRef> attrs, size_t count) {
  std::vector<Tensor> outputs(count);
  if (status_.ok()) {
    Fail(Run(op, inputs, slots, attrs, absl::MakeSpan(outputs)));
  }
  return outputs;
}

const Tensor& CompositeCall::optional_input(int i) const {
  static const Tensor kAbsent;  // Owns nothing: trivially destroyed.
  const Tensor* tensor = inputs_[input_slots_.begin(i)];
  return tensor == nullptr ? kAbsent : *tensor;
}

absl::Span<Tensor> CompositeCall::output_list(int i) const {
  const int begin = output_slots_.begin(i), end = output_slots_.end(i);
  for (int slot = begin; slot < end; ++slot) {
    if (wanted_[slot]) return outputs_.subspan(begin, end - begin);
  }
  return {};
}

}  // namespace switchyard::eager
