// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composes.h"

#include "phi/selection/candidate_loop.h"

namespace switchyard::phi::selection {

Policy BeforeComposite(const Policy& policy) {
  Policy before = policy;
  before.allow_fallback = false;
  return before;
}

bool Composes(const OpKernels& op_kernels, const Query& query,
              const Policy& policy) {
  if (policy.prefer != nullptr && policy.prefer->Compose(op_kernels.kernels)) {
    return true;
  }
  NullRecorder silent;
  Selection selection;
  TryCandidates(op_kernels.candidates(query.dtype), query,
                BeforeComposite(policy), &silent, &selection);
  return selection.kernel == nullptr;
}

}  // namespace switchyard::phi::selection
