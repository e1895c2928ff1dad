// SPDX-License-Identifier: Apache-2.0
// InferMeta of the operators that read weights of few bits.
#ifndef SWITCHYARD_PHI_INFERMETA_LINALG_QUANTIZED_WEIGHT_H_
#define SWITCHYARD_PHI_INFERMETA_LINALG_QUANTIZED_WEIGHT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Rows of numbers of `bits` bits along the last axis of `weight`, each with a
// scale for every `group` of them, or one. `extents` says how many there are
// in a row, and what becomes of its axis.
absl::Status DequantizeWeightInferMeta(const TensorSpec& weight,
                                       const TensorSpec& scale, int bits,
                                       int group,
                                       absl::Span<const int64_t> extents,
                                       TensorSpec* out);

// x, whose last axis has as many numbers as a row of the matrix `weight`.
absl::Status LinearQuantizedInferMeta(const TensorSpec& x,
                                      const TensorSpec& weight,
                                      const TensorSpec& scale,
                                      const TensorSpec* bias, int bits,
                                      int group, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINALG_QUANTIZED_WEIGHT_H_
