// SPDX-License-Identifier: Apache-2.0
// AccumulateGrad: the node of a leaf.
#ifndef SWITCHYARD_EAGER_TENSOR_ACCUMULATE_GRAD_H_
#define SWITCHYARD_EAGER_TENSOR_ACCUMULATE_GRAD_H_

#include <atomic>

#include "eager/tensor/grad_node.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard::eager {

// The node of a leaf: adds what arrives to the leaf's gradient. It refers to
// the gradient, not to the tensor, so a leaf and its node are no cycle and the
// leaf may go first.
class AccumulateGrad final : public GradNode {
 public:
  explicit AccumulateGrad(RefPtr<AutogradMeta> meta);

  std::string_view name() const override { return "accumulate_grad"; }
  absl::Status Apply(const GradCall& call) override;
  void ReleaseSaved() override {}
  bool is_leaf() const override { return true; }

  // Drops what still arrives: the leaf no longer requires grad.
  void Disable() { enabled_.store(false); }

 private:
  std::atomic<bool> enabled_{true};
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_ACCUMULATE_GRAD_H_
