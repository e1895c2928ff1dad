// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/frame_fallbacks.h"

#include <utility>

#include "framework/tensor/selected_rows.h"
#include "phi/selection/fallback_log.h"

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

void NoteFallback(const Step& step, const TensorBase& written) {
  phi::selection::Fallback receipt;
  receipt.op = step.call->op->name;
  if (step.call->location) receipt.location = ir::ToString(step.call->location);
  receipt.from = step.call->home;
  receipt.to = Place::Cpu();
  if (step.role == StepRole::kCall) {
    receipt.count = 1;
  } else {
    receipt.bytes = CopiedBytes(written);
  }
  phi::selection::LogFallback(receipt);
}

}  // namespace switchyard::static_graph
