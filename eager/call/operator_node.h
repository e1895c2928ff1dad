// SPDX-License-Identifier: Apache-2.0
// OperatorNode: the GradNode of any operator. eager/call/run.cc makes it.
#ifndef SWITCHYARD_EAGER_CALL_OPERATOR_NODE_H_
#define SWITCHYARD_EAGER_CALL_OPERATOR_NODE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/core/arg_buffer.h"

namespace switchyard::eager {

// Returns true if some gradient flows into output number `output` (an argument,
// not a slot) of the operator of `grad`: other outputs do not require grad.
bool IsDifferentiable(const phi::GradInfo& grad, int output, DataType dtype);

// Whether the backward operator of `op` reads the elements of its input
// `backward_input` for the gradients of those of `inputs` that require one.
bool ReadsElements(const EagerOp& op, int backward_input,
                   const InputTensors& inputs);

// The GradNode of any operator. It interprets the operator's GradInfo
// (phi/core/grad_info.h): at the call it saves what the backward operator
// takes, at the backward run it calls that operator through Run.
//
// Saved tensors are copies of the DenseTensor (sharing the buffer) and of the
// tensor's position in the graph, not the tensor itself: an in-place operator
// may give the tensor another position later, which must not lead back here.
// Each remembers the version of its buffer. For `no_need_buffer` inputs, and
// those that are read for gradients that nobody needs (EagerOp::reads_alone),
// only the metadata is kept.
class OperatorNode : public GradNode {
 public:
  // Makes the node for a call of `op`, which has a gradient, with these
  // arguments. Call it before the versions of tensors that the call wrote in
  // place move on.
  OperatorNode(const EagerOp& op, const InputTensors& inputs,
               absl::Span<const AttrRef> attrs,
               const phi::ArgSegments& outputs);

  static void* operator new(size_t bytes) { return NewObjectBlock(bytes); }
  static void operator delete(void* node, size_t bytes) {
    DeleteObjectBlock(node, bytes);
  }

  // Keeps of the results what the backward operator takes, and what a missing
  // gradient looks like. Call it after versions moved on.
  void SaveOutputs(const phi::ArgList<const Tensor>& outputs);

  std::string_view name() const override { return op_.info->name; }
  absl::Status Apply(const GradCall& call) override;
  void ReleaseSaved() override;
  const GradArithmetic* arithmetic() const override;

 private:
  // Says in an anomaly of the gradient where the operator was called.
  virtual std::string PlaceText() const;

  struct Saved {
    uint32_t version = 0;
    bool metadata_only = false;
    // For gradients of gradients: the edge that this node has anyway, or one
    // of its own.
    int32_t edge_number = -1;
    Edge edge;
    DenseTensor dense;  // No dtype: an absent optional input, or `other`.
    OwnedTensor other;  // One that is not dense.

    const TensorBase& tensor() const {
      return other == nullptr ? static_cast<const TensorBase&>(dense) : *other;
    }
  };
  struct OutputMeta {
    Shape shape;
    DataType dtype = DataType::kUndefined;
  };

  using Inputs = absl::InlinedVector<Tensor, 4>;

  void Save(const Tensor* input, bool metadata_only, Saved* saved) const;
  // Stale and freed tensors are FailedPrecondition.
  absl::Status CheckVersion(const Saved& saved, const char* argument) const;
  absl::StatusOr<Tensor> Unpack(const Saved& saved,
                                const phi::GradSource& source,
                                const char* argument);
  absl::Status MakeDense(Tensor* gradient) const;
  absl::StatusOr<Tensor> Zeros(const OutputMeta& meta, Place place) const;
  // Returns the input of the backward operator for an output slot that received
  // no gradient.
  absl::StatusOr<Tensor> MissingOutputGrad(const GradCall& call, uint32_t slot,
                                           const phi::InputInfo& info) const;
  absl::Status GatherInputs(const GradCall& call, Inputs* inputs);
  absl::Status CheckCreateGraph(absl::Span<const Tensor> inputs) const;
  const EagerOp& op_;
  bool released_ = false;
  // The tensors that the backward operator takes, except gradients, in its
  // order. The usual node is one allocation.
  absl::InlinedVector<Saved, 2> saved_;
  phi::ArgLayout backward_inputs_;
  phi::ArgLayout outputs_;
  absl::InlinedVector<Attribute, 1> attrs_;
  // Indexed by output slot; empty if there is only one, whose gradient never is
  // missing when the node runs.
  std::vector<OutputMeta> output_metas_;
};

// Knows where the operator was called, besides: what is recorded while
// anomalies are detected (eager/call/anomaly_mode.h).
class PlacedOperatorNode final : public OperatorNode {
 public:
  // `place` is file and line; empty if they are not known.
  PlacedOperatorNode(std::string place, const EagerOp& op,
                     const InputTensors& inputs,
                     absl::Span<const AttrRef> attrs,
                     const phi::ArgSegments& outputs)
      : OperatorNode(op, inputs, attrs, outputs), place_(std::move(place)) {}

 private:
  std::string PlaceText() const override;

  const std::string place_;
};

// Makes the node for a call of `op`; the arguments are OperatorNode's.
OperatorNode* NewOperatorNode(const EagerOp& op, const InputTensors& inputs,
                              absl::Span<const AttrRef> attrs,
                              const phi::ArgSegments& outputs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_OPERATOR_NODE_H_
