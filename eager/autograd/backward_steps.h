// SPDX-License-Identifier: Apache-2.0
// BackwardSteps: the nodes of one backward run. The run itself is engine.cc.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_BACKWARD_STEPS_H_
#define SWITCHYARD_EAGER_AUTOGRAD_BACKWARD_STEPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// A node on the way of one run.
struct Step {
  GradNode* node = nullptr;
  // Edges of needed nodes that lead here and have not yet delivered.
  uint32_t awaited = 0;
  bool needed = false;    // It runs, if a gradient arrives.
  bool captured = false;  // Grad() returns a gradient that arrives.
  bool started = false;   // It is an output and its gradient is there.
  absl::InlinedVector<uint32_t, 2> inputs;  // By edge; kNoStep: not wanted.
  absl::InlinedVector<Tensor, 1> grads;     // By output; as they add up.
};

constexpr uint32_t kNoStep = ~0u;

// Holds the nodes that one backward run reaches, by number and by node. Borrows
// the nodes, which the graph keeps alive; owns the gradients that are on their
// way. Steps are numbered in the order in which they are added; adding one
// invalidates references to the others. A run has one of its own, used by its
// thread alone. After std::bad_alloc it can only be destroyed.
class BackwardSteps {
 public:
  size_t size() const { return steps_.size(); }
  // The number of a step is not checked.
  Step& operator[](size_t number) { return steps_[number]; }
  const Step& operator[](size_t number) const { return steps_[number]; }
  std::vector<Step>::iterator begin() { return steps_.begin(); }
  std::vector<Step>::iterator end() { return steps_.end(); }

  // Returns the number of the node's step; kNoStep if it has none.
  uint32_t Find(const GradNode* node) const {
    return table_.empty() ? kNoStep : table_[SlotOf(node)];
  }
  // Returns the number of the node's step, which it adds if there is none.
  uint32_t Add(GradNode* node) {
    const uint32_t known = Find(node);
    if (known != kNoStep) return known;
    const auto number = static_cast<uint32_t>(steps_.size());
    if (table_.size() < 2 * (steps_.size() + 1)) Grow();
    steps_.emplace_back();
    steps_.back().node = node;
    steps_.back().grads.resize(node->num_outputs());
    table_[SlotOf(node)] = number;
    return number;
  }

 private:
  // Returns the slot that has the node's number, or is free for it; one is
  // always free.
  size_t SlotOf(const GradNode* node) const {
    // The product with 2^64 over the golden ratio mixes all bits of an address
    // into the upper half.
    const uint64_t mixed =
        reinterpret_cast<uintptr_t>(node) * uint64_t{0x9E3779B97F4A7C15};
    size_t slot = static_cast<size_t>(mixed >> 32) & (table_.size() - 1);
    while (table_[slot] != kNoStep && steps_[table_[slot]].node != node) {
      slot = (slot + 1) & (table_.size() - 1);
    }
    return slot;
  }
  void Grow() {
    table_ =
        std::vector<uint32_t>(std::max<size_t>(16, 2 * table_.size()), kNoStep);
    for (uint32_t i = 0; i < steps_.size(); ++i) {
      table_[SlotOf(steps_[i].node)] = i;
    }
  }

  std::vector<Step> steps_;
  // An open hash table of the steps' numbers, whose keys are in the steps; a
  // power of two, at most half full.
  std::vector<uint32_t> table_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_BACKWARD_STEPS_H_
