// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/beside_composite.h"

#include <algorithm>

namespace switchyard::phi::selection {

const OpKernels* BesideComposite(const static_graph::DialectOp* record,
                                 const OpKernels* op_kernels) {
  const bool both = record != nullptr && record->composite != nullptr &&
                    record->info->has_infer_meta() && op_kernels != nullptr &&
                    !op_kernels->kernels.empty();
  return both ? op_kernels : nullptr;
}

std::vector<Explanation::Candidate> BeforeComposite(
    std::vector<Explanation::Candidate> candidates) {
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [](const Explanation::Candidate& candidate) {
                                    return candidate.role == Role::kFallback;
                                  }),
                   candidates.end());
  return candidates;
}

}  // namespace switchyard::phi::selection
