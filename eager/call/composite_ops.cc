// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_ops.h"

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
  Fail(Run(op, inputs, attrs, absl::MakeSpan(&out, 1)));
  return out;
}

std::vector<Tensor> EagerOpsBase::CallAll(const EagerOp& op,
                                          const InputTensors& inputs,
                                          absl::Span<const AttrRef> attrs,
                                          size_t count) {
  std::vector<Tensor> outputs(count);
  if (status_.ok()) {
    Fail(Run(op, inputs, attrs, absl::MakeSpan(outputs)));
  }
  return outputs;
}

}  // namespace switchyard::eager
