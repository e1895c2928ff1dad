// SPDX-License-Identifier: Apache-2.0
// GradNode: one step of the graph of gradients. eager/autograd/engine.h walks
// the nodes.
#ifndef SWITCHYARD_EAGER_TENSOR_GRAD_NODE_H_
#define SWITCHYARD_EAGER_TENSOR_GRAD_NODE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard::eager {

class AutogradMeta;
class GradNode;
class Region;  // eager/call/region.h
class Tensor;

// Says where an input came from: output number `output` of `node`'s operator.
// Without a node its gradient is not wanted.
struct Edge {
  RefPtr<GradNode> node;
  uint32_t output = 0;
};

// The arithmetic on gradients that a backward run needs. The engine knows no
// operator: nodes of operators hand it theirs (AutogradOps,
// eager/call/autograd_ops.h). Thread-safe.
class GradArithmetic {
 public:
  // Returns a + b, recorded if grad mode is on.
  virtual absl::StatusOr<Tensor> Add(const Tensor& a,
                                     const Tensor& b) const = 0;
  // Returns a contiguous copy.
  virtual absl::StatusOr<Tensor> Copy(const Tensor& grad) const = 0;
  // Returns a tensor of the shape and dtype of `like`, filled with `value`.
  virtual absl::StatusOr<Tensor> FilledLike(const Tensor& like,
                                            double value) const = 0;
  // The linear maps that the gradients of views are made of. Tensors are dense
  // and contiguous.
  // Returns the elements of `base` in the region.
  virtual absl::StatusOr<Tensor> Take(const Tensor& base,
                                      const Region& region) const = 0;
  // Returns zeros of the base's shape with `part` put where Take() takes it
  // from; elements with one memory add up. It is the transpose of Take().
  virtual absl::StatusOr<Tensor> Put(const Tensor& part,
                                     const Region& region) const = 0;
  // Returns `base` with zeros in the region; undefined if that is all of it.
  virtual absl::StatusOr<Tensor> Clear(const Tensor& base,
                                       const Region& region) const = 0;

 protected:
  ~GradArithmetic() = default;
};

// One application of a node. Spans are borrowed.
struct GradCall {
  // Indexed by output of the operator; undefined where no gradient arrived. The
  // node may move from them.
  absl::Span<Tensor> output_grads;
  // Indexed by edge: true if that gradient is needed.
  absl::Span<const bool> wanted;
  // Indexed by edge; the node fills it in. Undefined stands for zero.
  absl::Span<Tensor> input_grads;
  const GradArithmetic* arithmetic;
};

// One step of the graph of gradients. A node stands for an operator that ran
// (or for a leaf) and turns the gradients of its outputs into those of its
// inputs. Its kinds: OperatorNode (eager/call/operator_node.h), which
// interprets an operator's GradInfo, and AccumulateGrad
// (eager/tensor/accumulate_grad.h).
//
// Owners: a tensor refers to the node that made it, a node to the nodes of its
// inputs; nothing points forward, so there are no cycles. When the last
// reference goes, a chain of any length is freed without recursion. The count
// of references is thread-safe.
class GradNode {
 public:
  GradNode(const GradNode&) = delete;
  GradNode& operator=(const GradNode&) = delete;

  void Ref() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const;
  // Returns true if the caller's is the only reference.
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

  // Returns a name for messages: "softmax", "accumulate_grad".
  virtual std::string_view name() const = 0;
  // Computes call.input_grads. The grad mode of the thread says whether this is
  // recorded.
  virtual absl::Status Apply(const GradCall& call) = 0;
  // Frees what was saved; a later Apply is FailedPrecondition.
  virtual void ReleaseSaved() = 0;
  // Returns the arithmetic for gradients of this node; null where the node
  // knows no operators.
  virtual const GradArithmetic* arithmetic() const { return nullptr; }
  virtual bool is_leaf() const { return false; }

  // Returns a number that grows with every node of the process: consumers have
  // greater numbers than what they consume.
  uint64_t sequence() const { return sequence_; }
  uint32_t num_outputs() const { return num_outputs_; }
  absl::Span<const Edge> edges() const { return edges_; }

  // Hooks and kept gradient of output number `output`; null if there are none.
  AutogradMeta* meta(uint32_t output) const {
    return metas_.empty() ? nullptr : metas_[output].get();
  }
  void SetMeta(uint32_t output, RefPtr<AutogradMeta> meta);

 protected:
  explicit GradNode(uint32_t num_outputs);
  virtual ~GradNode();

  // Adds the edge of the next differentiable input slot.
  void AddEdge(Edge edge) { edges_.push_back(std::move(edge)); }

 private:
  mutable std::atomic<int32_t> count_{1};
  uint32_t num_outputs_;
  uint64_t sequence_;
  absl::InlinedVector<Edge, 2> edges_;
  std::vector<RefPtr<AutogradMeta>> metas_;
  // Links nodes that wait to be destroyed (Unref).
  mutable const GradNode* next_dead_ = nullptr;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_GRAD_NODE_H_
