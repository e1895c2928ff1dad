// SPDX-License-Identifier: Apache-2.0
// InferMeta of spectral_norm. Other normalizations are in normalization.h.
#ifndef SWITCHYARD_PHI_INFERMETA_NORMALIZATION_SPECTRAL_NORM_H_
#define SWITCHYARD_PHI_INFERMETA_NORMALIZATION_SPECTRAL_NORM_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as weight, of rank 2 or more and a floating dtype. u: a number for each
// slice of weight along `dim`, v: one for each element of a slice.
absl::Status SpectralNormInferMeta(const TensorSpec& weight,
                                   const TensorSpec& u, const TensorSpec& v,
                                   int dim, int power_iters, double eps,
                                   TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NORMALIZATION_SPECTRAL_NORM_H_
