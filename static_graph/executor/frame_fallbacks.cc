// SPDX-License-Identifier: Apache-2.0
// The part of BlockFrame that leaves receipts of fallbacks.
#include <utility>

#include "framework/tensor/selected_rows.h"
#include "phi/selection/fallback_log.h"
#include "static_graph/executor/block_frame.h"

namespace switchyard::static_graph {
namespace {

// The bytes of the elements that a copy moves.
int64_t CopiedBytes(const TensorBase& tensor) {
  const auto& dense = tensor.kind() == TensorKind::kSelectedRows
                          ? static_cast<const SelectedRows&>(tensor).values()
                          : static_cast<const DenseTensor&>(tensor);
  return static_cast<int64_t>(dense.byte_size());
}

}  // namespace

absl::Status BlockFrame::FallBack(BlockFrame& frame, FrameStep& step) {
  const Step& made = *step.step;
  SY_RETURN_IF_ERROR(made.kernel->thunk(*step.launch));
  phi::selection::Fallback receipt;
  receipt.op = made.call->op->name;
  if (made.call->location) receipt.location = ir::ToString(made.call->location);
  receipt.from = made.call->home;
  receipt.to = Place::Cpu();
  if (made.role == StepRole::kCall) {
    receipt.count = 1;
  } else {
    receipt.bytes = CopiedBytes(*frame.GetBase(made.outputs[0]));
  }
  phi::selection::LogFallback(receipt);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
