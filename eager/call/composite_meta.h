// SPDX-License-Identifier: Apache-2.0
// CompositeMeta: runs an operator's InferMeta around its composite; and where
// that makes tensors.
#ifndef SWITCHYARD_EAGER_CALL_COMPOSITE_META_H_
#define SWITCHYARD_EAGER_CALL_COMPOSITE_META_H_

#include <vector>

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"
#include "framework/types/place.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/op_info.h"

namespace switchyard::eager {

// Runs the operator's InferMeta for a call that a composite answers, as
// phi/dispatch does for kernels. A composite checks nothing itself: Infer()
// runs before it, so it may index by whatever InferMeta checks, and Check()
// runs after it. Borrows all that it is given; used by one call on one thread.
// Errors lack the operator's name.
class CompositeMeta {
 public:
  // `results` are null where not wanted.
  CompositeMeta(const phi::OpInfo& info,
                const phi::ArgList<Tensor* const>& results)
      : info_(info), results_(results) {}

  // Returns an error for absent inputs that are not optional, and what
  // InferMeta refuses. An operator that is a call of others (`composite:`
  // without `infer_meta:` in YAML) has no InferMeta: the others check their own
  // arguments.
  absl::Status Infer(const InputTensors& inputs,
                     absl::Span<const AttrRef> attrs);

  // Returns Internal unless each wanted result has the dtype and shape that
  // were inferred; an optional one may be undefined.
  absl::Status Check() const;

 private:
  absl::Status CheckAbsent(int argument) const;
  absl::Status Mismatch(size_t slot, const Tensor& result) const;

  static constexpr size_t kFewOutputs = 2;

  const phi::OpInfo& info_;
  phi::ArgList<Tensor* const> results_;
  // Indexed by output slot: in `few_`, or where there are more in `many_`. Null
  // before anything was inferred.
  TensorSpec* outputs_ = nullptr;
  TensorSpec few_[kFewOutputs];
  std::vector<TensorSpec> many_;
};

// Returns where a composite makes tensors of nothing: on the device that some
// input lies on, else on the thread's default place. The state of random
// numbers is always on the host.
Place ComposedPlace(const phi::OpInfo& info, const InputTensors& inputs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_COMPOSITE_META_H_
