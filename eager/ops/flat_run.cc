// SPDX-License-Identifier: Apache-2.0
#include "eager/ops/flat_run.h"

#include <utility>

#include "eager/call/run.h"
#include "framework/base/op_error.h"

namespace switchyard::eager {

phi::ArgBuffer<Tensor> FlatRun(const EagerOp& op,
                               const phi::ArgBuffer<const Tensor*>& inputs,
                               absl::Span<const AttrRef> attrs) {
  phi::ArgLayout layout;
  absl::Status status = inputs.Check();
  if (status.ok()) {
    status = phi::LayOutOutputs(*op.info, inputs.segments(), attrs, &layout);
  }
  if (!status.ok()) ThrowIfError(Annotate(status, op.info->name));
  phi::ArgBuffer<Tensor> outputs(std::move(layout));
  ThrowIfError(
      Run(op, inputs.view(), attrs, outputs.mutable_view().elements()));
  return outputs;
}

}  // namespace switchyard::eager
