// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composes.h"

#include <algorithm>

#include "phi/selection/candidate_loop.h"
#include "phi/selection/composite_parts.h"

namespace switchyard::phi::selection {

namespace {

// Returns true if all extents and attributes of the call are known: then no
// composite ends because it needs one.
bool IsKnown(const Query& query) {
  for (const TensorMeta* input : query.inputs.elements()) {
    if (input != nullptr && !input->shape.known()) return false;
  }
  return std::none_of(query.attrs.begin(), query.attrs.end(),
                      [](const AttrRef& attr) { return attr.supplied(); });
}

}  // namespace

Policy BeforeComposite(const Policy& policy) {
  Policy before = policy;
  before.allow_fallback = false;
  return before;
}

bool Composes(const OpKernels& op_kernels, const Query& query,
              const Policy& policy) {
  if (PrefersComposite(op_kernels, policy)) return true;
  NullRecorder silent;
  Selection selection;
  TryCandidates(op_kernels.candidates(query.dtype), query,
                BeforeComposite(policy), &silent, &selection);
  return selection.kernel == nullptr;
}

bool ComposesBeforeFallback(const OpKernels& op_kernels, const Query& query,
                            const Policy& policy, const KernelTable& table) {
  const auto candidates = op_kernels.candidates(query.dtype);
  if (candidates.empty()) return false;
  NullRecorder silent;
  Selection selection;
  TryCandidates(candidates, query, BeforeComposite(policy), &silent,
                &selection);
  if (selection.kernel != nullptr || !selection.residual.empty()) return false;
  return !policy.allow_fallback || query.place == Place::Cpu() ||
         (IsKnown(query) &&
          PartsHaveKernels(query.op->name, query.dtype, query.place, table));
}

}  // namespace switchyard::phi::selection
