// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/run_chain.h"

#include "framework/device/buffer_use.h"

namespace switchyard::static_graph {

absl::Status RunChain::Open(Place place) {
  if (!IsAsynchronous(place)) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(stream_, Stream::Current(place));
  stream_->OpenChain();
  return absl::OkStatus();
}

absl::Status RunChain::Wait() const {
  if (!stream_->last_of_chain()) return absl::OkStatus();
  return stream_->last_of_chain()->Wait();
}

void RunChain::Keep(absl::Span<const DenseTensor> states) const {
  if (stream_ == nullptr) return;
  for (const DenseTensor& state : states) {
    BufferUse* const use = state.buffer()->use();
    if (use == nullptr) continue;
    use->Join();
    use->Clear();
  }
}

void RunChain::Lose(const DenseTensor& state) const {
  if (stream_ == nullptr || !stream_->last_of_chain()) return;
  BufferUse* const use = state.buffer()->use();
  if (use != nullptr && stream_->last_of_chain()->Join() != nullptr) {
    use->SetWriter(stream_->last_of_chain());
  }
}

}  // namespace switchyard::static_graph
