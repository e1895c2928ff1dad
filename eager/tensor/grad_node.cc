// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/grad_node.h"

#include "eager/tensor/autograd_meta.h"

namespace switchyard::eager {
namespace {

std::atomic<uint64_t> next_sequence{1};

// Nodes of this thread whose last reference went while another was being
// destroyed.
struct Graveyard {
  const GradNode* first = nullptr;
  bool digging = false;
};
thread_local Graveyard graveyard;

}  // namespace

GradNode::GradNode(uint32_t num_outputs)
    : num_outputs_(num_outputs),
      sequence_(next_sequence.fetch_add(1, std::memory_order_relaxed)) {}

GradNode::~GradNode() = default;

void GradNode::Unref() const {
  // The only owner is alone with it: no locked instruction is needed.
  if (count_.load(std::memory_order_acquire) != 1 &&
      count_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  // Destroying a node drops its edges and so may destroy the next: put that
  // one into the list instead of going deeper.
  next_dead_ = graveyard.first;
  graveyard.first = this;
  if (graveyard.digging) return;
  graveyard.digging = true;
  while (const GradNode* node = graveyard.first) {
    graveyard.first = node->next_dead_;
    delete node;
  }
  graveyard.digging = false;
}

void GradNode::SetMeta(uint32_t output, RefPtr<AutogradMeta> meta) {
  if (metas_.empty()) metas_.resize(num_outputs_);
  metas_[output] = std::move(meta);
}

}  // namespace switchyard::eager
