// SPDX-License-Identifier: Apache-2.0
#include "eager/ops/flat_run.h"

#include <utility>

#include "eager/run.h"
#include "framework/base/op_error.h"

namespace switchyard::eager {

phi::api::FlatResults<Tensor> FlatRun(
    const EagerOp& op, const phi::api::FlatInputs<Tensor>& inputs,
    absl::Span<const AttrRef> attrs) {
  phi::api::FlatResults<Tensor>::Begins begins(op.info->outputs.size() + 1);
  absl::Status status = inputs.Check();
  if (status.ok()) {
    status = phi::OutputSlots(*op.info, inputs.slots(), attrs, begins.data());
  }
  if (!status.ok()) ThrowIfError(Annotate(status, op.info->name));
  phi::api::FlatResults<Tensor>::Tensors outputs(begins.back());
  ThrowIfError(Run(op, inputs.tensors(), inputs.slots(), attrs,
                   absl::MakeSpan(outputs)));
  return {std::move(outputs), std::move(begins)};
}

}  // namespace switchyard::eager
