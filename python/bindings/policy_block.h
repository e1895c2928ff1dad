// SPDX-License-Identifier: Apache-2.0
// PolicyBlock: `switchyard.policy(...)` in Python, a selection policy: for the
// calls of a `with` block, or as an argument (`static.trace(..., policy=)`).
#ifndef SWITCHYARD_PYTHON_BINDINGS_POLICY_BLOCK_H_
#define SWITCHYARD_PYTHON_BINDINGS_POLICY_BLOCK_H_

#include <pybind11/pybind11.h>

#include <vector>

#include "phi/selection/policy.h"

namespace switchyard::python {

// Blocks nest, one object in itself too.
class PolicyBlock {
 public:
  explicit PolicyBlock(const phi::selection::Policy& policy)
      : policy_(policy) {}

  const phi::selection::Policy& policy() const { return policy_; }
  void Enter();
  // Throws unless Enter() was called once more than Exit().
  void Exit();

 private:
  phi::selection::Policy policy_;
  std::vector<phi::selection::Policy> before_;
};

// The policy that an argument means: a PolicyBlock, text
// (phi/selection/policy_text.h), or None for this thread's. Throws for others.
phi::selection::Policy PolicyArgument(pybind11::handle object);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_POLICY_BLOCK_H_
