// SPDX-License-Identifier: Apache-2.0
// InferMeta of eigenvalues of stacks of square matrices, x [..., n, n].
#ifndef SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_SPECTRUM_H_
#define SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_SPECTRUM_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out_w [..., n] and out_v [..., n, n], of the complex dtype that holds the
// numbers of x.
absl::Status EigInferMeta(const TensorSpec& x, TensorSpec* out_w,
                          TensorSpec* out_v);

// eigenvalues: as out_w of EigInferMeta.
absl::Status EigvalsInferMeta(const TensorSpec& x, TensorSpec* eigenvalues);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_SPECTRUM_H_
