// SPDX-License-Identifier: Apache-2.0
// Region: the elements of a tensor that a view of it reaches, and the linear
// maps between the two, which the gradients of views are made of.
#ifndef SWITCHYARD_EAGER_CALL_REGION_H_
#define SWITCHYARD_EAGER_CALL_REGION_H_

#include <optional>

#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::eager {

// Returns false if the two surely have no element's memory in common; takes
// what lies between the first and the last element of each for its own.
bool MayOverlap(const DenseTensor& a, const DenseTensor& b);

// Returns true if some elements have one memory, as those of `expand` do.
bool OverlapsItself(const DenseTensor& tensor);

// The elements of a contiguous base that a view of it reaches. A value.
class Region {
 public:
  // Returns nothing if the base is not contiguous or does not contain `view`.
  static std::optional<Region> Of(const TensorMeta& base,
                                  const DenseTensor& view);

  // Returns the elements of `base`, which has the base's shape: a view where
  // the region is all of it, a copy otherwise. Arguments of these three are
  // contiguous and on the host; SizeError and ResourceExhausted are possible.
  absl::StatusOr<DenseTensor> Take(const DenseTensor& base) const;
  // Returns zeros of the base's shape with `view` put where Take() takes it
  // from; elements with one memory add up. It is the transpose of Take().
  absl::StatusOr<DenseTensor> Put(const DenseTensor& view) const;
  // Returns `base` with zeros in the region; undefined if that is all of it.
  absl::StatusOr<DenseTensor> Clear(const DenseTensor& base) const;

 private:
  Shape base_shape_, shape_;
  Strides strides_ = {};
  int64_t offset_ = 0;        // From the base's first element.
  bool whole_ = false;        // All of the base, in its order.
  bool overlapping_ = false;  // OverlapsItself().
};

// The node of a step between a base and its views. Each step is linear, so the
// gradient of one is another of these four, recorded if grad mode is on.
class RegionNode final : public GradNode {
 public:
  enum class Step {
    kTake,   // view = base[region]
    kPut,    // base = zeros, base[region] += view
    kClear,  // base with zeros in the region
    kWrite,  // base with base[region] = view: the edges are base and view
  };

  // Makes the node of a step that takes what `from` leads to.
  RegionNode(Step step, const Region& region, const GradArithmetic* arithmetic,
             Edge from);
  // Makes a node of kWrite.
  RegionNode(const Region& region, const GradArithmetic* arithmetic, Edge base,
             Edge view);

  std::string_view name() const override { return "view"; }
  absl::Status Apply(const GradCall& call) override;
  void ReleaseSaved() override {}
  const GradArithmetic* arithmetic() const override { return arithmetic_; }

 private:
  absl::StatusOr<Tensor> Run(Step step, const Tensor& x,
                             const GradArithmetic& arithmetic) const;

  Step step_;
  Region region_;
  const GradArithmetic* arithmetic_;
};

// The node of a view that was made under no_grad() and whose base was written
// by a recorded operator since: no gradient through it is right, so each is an
// error.
class StaleViewNode final : public GradNode {
 public:
  StaleViewNode() : GradNode(1) {}
  std::string_view name() const override { return "view"; }
  absl::Status Apply(const GradCall& call) override;
  void ReleaseSaved() override {}
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_REGION_H_
