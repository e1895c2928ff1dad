// SPDX-License-Identifier: Apache-2.0
// WithInferMeta: what operators yield that are written as others and have no
// InferMeta of their own. It is asked only where kernels were added to such an
// operator (phi/core/added_kernels.h): dispatch and programs must know results
// before a kernel runs. A composite needs none of this.
#ifndef SWITCHYARD_PHI_CORE_COMPOSED_META_H_
#define SWITCHYARD_PHI_CORE_COMPOSED_META_H_

#include "absl/base/optimization.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Does for an operator without InferMeta what OpInfo::InferMeta does, by its
// composite. `op` may be a copy of the operator's record.
using ComposedInferMeta = absl::Status (*)(const OpInfo& op,
                                           const InferMetaContext& context);

// Sets the process's one such function (static_graph/dialect/composed_meta.h);
// to be called before kernels are added to these operators. Thread-safe.
void SetComposedInferMeta(ComposedInferMeta infer_meta);

namespace internal {
const OpInfo* FindWithInferMeta(const OpInfo& op);
}  // namespace internal

// Returns `op`; if it has no InferMeta a record of the same operator that has
// one, or null before SetComposedInferMeta(). `op` and what is returned are
// never freed. Thread-safe.
inline const OpInfo* WithInferMeta(const OpInfo& op) {
  if (ABSL_PREDICT_TRUE(op.has_infer_meta())) return &op;
  return internal::FindWithInferMeta(op);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_COMPOSED_META_H_
