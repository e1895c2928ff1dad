// SPDX-License-Identifier: Apache-2.0
// AllOpInfos: every operator that the YAML files describe. For tests, tools and
// loaders of programs; code that knows its operator refers to `info_<op>`
// (phi/core/signatures/<op>.gen.h) and links no other.
#ifndef SWITCHYARD_PHI_CORE_SIGNATURES_EVERY_OPERATOR_H_
#define SWITCHYARD_PHI_CORE_SIGNATURES_EVERY_OPERATOR_H_

#include "absl/types/span.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Returns the records of all operators, sorted by name.
absl::Span<const OpInfo* const> AllOpInfos();

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_SIGNATURES_EVERY_OPERATOR_H_
