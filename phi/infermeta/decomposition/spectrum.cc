// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/decomposition/spectrum.h"

#include "framework/types/data_type.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/linear_solve/linear_solve.h"

namespace switchyard::phi {

absl::Status EigInferMeta(const TensorSpec& x, TensorSpec* out_w,
                          TensorSpec* out_v) {
  SY_RETURN_IF_ERROR(EigvalsInferMeta(x, out_w));
  return SetOutput(out_v, ComplexOf(x.dtype), x.shape);
}

absl::Status EigvalsInferMeta(const TensorSpec& x, TensorSpec* eigenvalues) {
  SY_RETURN_IF_ERROR(SquareMatrixInferMeta(x, nullptr));
  const int last = x.shape.rank() - 1;
  Shape shape(x.shape.dims().subspan(0, last));
  if (!shape[last - 1].known()) shape[last - 1] = x.shape[last];
  return SetOutput(eigenvalues, ComplexOf(x.dtype), shape);
}

}  // namespace switchyard::phi
