// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on rows of features.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_RECOMMENDATION_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_RECOMMENDATION_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x, a matrix of two columns or more, with its sequences; without the
// first two columns unless `use_cvm`. cvm: a matrix of x's dtype with two
// columns, and one row or as many as x.
absl::Status CvmInferMeta(const TensorSpec& x, const TensorSpec& cvm,
                          bool use_cvm, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_RECOMMENDATION_H_
