// SPDX-License-Identifier: Apache-2.0
// InferMeta of what the factors of matrices stand for.
#ifndef SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_FACTORS_H_
#define SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_FACTORS_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: int64 [..., rows] for pivots [..., k], of which there are at most rows.
absl::Status PivotPermutationInferMeta(const TensorSpec& pivots, int64_t rows,
                                       TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_FACTORS_H_
