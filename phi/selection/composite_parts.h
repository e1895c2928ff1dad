// SPDX-License-Identifier: Apache-2.0
// PartsHaveKernels: whether the operators that one is composed of (`uses` of
// its entry) run on a device.
#ifndef SWITCHYARD_PHI_SELECTION_COMPOSITE_PARTS_H_
#define SWITCHYARD_PHI_SELECTION_COMPOSITE_PARTS_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "phi/core/kernel_table.h"

namespace switchyard::phi::selection {

// The operators that one is composed of, without those whose results are views
// of their inputs, which run anywhere: their names, with spaces between.
struct CompositeParts {
  const char* op;
  const char* parts;
};

// Returns those of all operators that have a composite, by name; generated.
absl::Span<const CompositeParts> AllCompositeParts();

// Returns whether `table` has for each part of `op` a kernel of `dtype` on the
// device of `place`, or else for each of the part's own parts. False for an
// operator that has no composite. A search of strings: for calls that no cache
// answers.
bool PartsHaveKernels(std::string_view op, DataType dtype, Place place,
                      const KernelTable& table);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_COMPOSITE_PARTS_H_
