// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/scan.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/ordering/ordering.h"
#include "phi/infermeta/reduction/reduction.h"

namespace switchyard::phi {
namespace {

absl::Status CheckAxis(const char* argument, const TensorSpec& x, int axis) {
  return NormalizeAxis(argument, axis, x.shape.rank(), /*scalar_ok=*/true)
      .status();
}

}  // namespace

absl::Status CumprodInferMeta(const TensorSpec& x, int dim, bool /*exclusive*/,
                              bool /*reverse*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAxis("dim", x, dim));
  return UnchangedInferMeta(x, out);
}

absl::Status CummaxInferMeta(const TensorSpec& x, int axis, DataType dtype,
                             TensorSpec* out, TensorSpec* indices) {
  SY_RETURN_IF_ERROR(CheckAxis("axis", x, axis));
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64) {
    return TypeError("dtype", "int32 or int64", Name(dtype));
  }
  SY_RETURN_IF_ERROR(SetOutput(indices, dtype, x.shape));
  return UnchangedInferMeta(x, out);
}

}  // namespace switchyard::phi
