// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_ops.h"

namespace switchyard::eager {

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
  const absl::Status status =
      eager::Run(op, inputs, attrs, absl::MakeSpan(&out, 1));
  if (!status.ok()) Fail(status);
  return out;
}

std::vector<Tensor> EagerOpsBase::CallAll(const EagerOp& op,
                                          const InputTensors& inputs,
                                          absl::Span<const AttrRef> attrs,
                                          size_t count) {
  std::vector<Tensor> outputs(count);
  const absl::Status status =
      eager::Run(op, inputs, attrs, absl::MakeSpan(outputs));
  if (!status.ok()) Fail(status);
  return outputs;
}

}  // namespace switchyard::eager
