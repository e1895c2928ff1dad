// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_row.h"

#include <algorithm>
#include <tuple>

namespace switchyard::phi {
namespace {

// Position among the backends; none of them is left out, so that a new
// enumerator is a compiler warning here.
int BackendRank(Backend backend) {
  switch (backend) {
    case Backend::kGpudnn:
      return 0;
    case Backend::kGpu:
      return 1;
    case Backend::kOnednn:
      return 2;
    case Backend::kCpu:
      return 3;
    case Backend::kReference:
      return 4;
  }
  return kNumBackends;
}

}  // namespace

int CandidateRank(Backend backend, Form form) {
  return 2 * BackendRank(backend) + (form == Form::kPhi ? 0 : 1);
}

bool CandidateBefore(const KernelDef& a, const KernelDef& b) {
  const auto rank = [](const KernelDef& def) {
    return std::make_tuple(static_cast<int>(def.key.dtype),
                           CandidateRank(def.key.backend, def.form),
                           std::string_view(def.kernel));
  };
  return rank(a) < rank(b);
}

const OpRow* KernelTable::Find(std::string_view op) const {
  const auto* row =
      std::lower_bound(rows_.begin(), rows_.end(), op,
                       [](const OpRow* candidate, std::string_view name) {
                         return std::string_view(candidate->op) < name;
                       });
  if (row == rows_.end() || (*row)->op != op) return nullptr;
  return *row;
}

}  // namespace switchyard::phi
