// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/squeeze_excite.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/conv_epilogue.h"

namespace switchyard::phi {
namespace {

absl::Status CheckWeights(std::string_view argument, const TensorSpec& meta,
                          DataType dtype, const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, dtype));
  return CheckShape(argument, meta, shape);
}

}  // namespace

absl::Status SqueezeExciteInferMeta(const TensorSpec& x,
                                    const TensorSpec& squeeze,
                                    const TensorSpec* squeeze_bias,
                                    const TensorSpec& excite,
                                    const TensorSpec* excite_bias,
                                    std::string_view activation,
                                    std::string_view gate, TensorSpec* out) {
  if (x.shape.rank() != 4) {
    return ArgumentError("x", "of rank 4", ToString(x.shape));
  }
  const Dim channels = x.shape[1];
  SY_RETURN_IF_ERROR(
      CheckWeights("squeeze", squeeze, x.dtype,
                   Shape({Dim::Unknown(), channels, Dim(1), Dim(1)})));
  const Dim hidden = squeeze.shape[0];
  SY_RETURN_IF_ERROR(CheckWeights("excite", excite, x.dtype,
                                  Shape({channels, hidden, Dim(1), Dim(1)})));
  if (squeeze_bias != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckWeights("squeeze_bias", *squeeze_bias, x.dtype, Shape({hidden})));
  }
  if (excite_bias != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckWeights("excite_bias", *excite_bias, x.dtype, Shape({channels})));
  }
  SY_RETURN_IF_ERROR(CheckEpilogueActivation("activation", activation));
  SY_RETURN_IF_ERROR(CheckEpilogueActivation("gate", gate));
  return SetOutput(out, x.dtype, x.shape);
}

}  // namespace switchyard::phi
