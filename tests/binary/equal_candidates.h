// SPDX-License-Identifier: Apache-2.0
// FindEqualCandidates: kernels that selection could never choose, since another
// of the same rank takes every call that they take. What a table does with its
// kernels' order is phi/core/kernel_table.h's.
#ifndef SWITCHYARD_TESTS_BINARY_EQUAL_CANDIDATES_H_
#define SWITCHYARD_TESTS_BINARY_EQUAL_CANDIDATES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "phi/core/kernel_table.h"

namespace switchyard {

// Returns a sentence, with file and line of both, for each two kernels of one
// operator, dtype, device, rank and origin of which the first, as the table
// orders them, takes all that the second takes: tensors of the same kinds and
// dtypes, under no condition that the second lacks.
std::vector<std::string> FindEqualCandidates(
    absl::Span<const phi::OpKernels* const> operators);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_BINARY_EQUAL_CANDIDATES_H_
