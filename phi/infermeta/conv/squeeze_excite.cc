// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/squeeze_excite.h"

#include "phi/infermeta/checks.h"

namespace switchyard::phi {

absl::Status SqueezeExciteInferMeta(const TensorSpec& x,
                                    const TensorSpec& squeeze,
                                    const TensorSpec* squeeze_bias,
                                    const TensorSpec& excite,
                                    const TensorSpec* excite_bias,
                                    TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, 4));
  const Dim channels = x.shape[1];
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("squeeze", squeeze, x.dtype,
                         Shape({Dim::Unknown(), channels, Dim(1), Dim(1)})));
  const Dim hidden = squeeze.shape[0];
  SY_RETURN_IF_ERROR(CheckDtypeAndShape(
      "excite", excite, x.dtype, Shape({channels, hidden, Dim(1), Dim(1)})));
  if (squeeze_bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtypeAndShape("squeeze_bias", *squeeze_bias,
                                          x.dtype, Shape({hidden})));
  }
  if (excite_bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtypeAndShape("excite_bias", *excite_bias, x.dtype,
                                          Shape({channels})));
  }
  return SetOutput(out, x.dtype, x.shape);
}

}  // namespace switchyard::phi
