// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/recommendation.h"

#include <cstdint>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status CvmInferMeta(const TensorSpec& x, const TensorSpec& cvm,
                          bool use_cvm, TensorSpec* out) {
  constexpr int64_t kCounts = 2;
  SY_RETURN_IF_ERROR(CheckRank("x", x, 2));
  const Dim width = x.shape[1];
  if (width.known() && width.value() < kCounts) {
    return ArgumentError("x", "of 2 columns or more", ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckDtype("cvm", cvm, x.dtype));
  Shape expected({x.shape[0], Dim(kCounts)});
  if (cvm.shape.rank() == 2 && cvm.shape[0] == Dim(1)) expected[0] = Dim(1);
  SY_RETURN_IF_ERROR(CheckShape("cvm", cvm, expected));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, out));
  if (out == nullptr || use_cvm || !width.known()) return absl::OkStatus();
  out->shape[1] = Dim(width.value() - kCounts);
  return absl::OkStatus();
}

}  // namespace switchyard::phi
