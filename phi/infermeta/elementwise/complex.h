// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators between complex numbers and their parts. The contract
// of InferMeta functions is in phi/core/infer_meta_context.h; no output is set
// when an error is returned.
#ifndef SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_COMPLEX_H_
#define SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_COMPLEX_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's shape; float32 of complex64, float64 of complex128, else x's dtype.
absl::Status RealOfInferMeta(const TensorSpec& x, TensorSpec* out);

// out: as RealOfInferMeta says. x must be complex.
absl::Status PartInferMeta(const TensorSpec& x, TensorSpec* out);

// out: the broadcast shape; complex64 of float32 parts, complex128 of float64
// ones. TypeError for parts of other dtypes, or of two.
absl::Status ComplexInferMeta(const TensorSpec& real, const TensorSpec& imag,
                              TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_COMPLEX_H_
