// SPDX-License-Identifier: Apache-2.0
// InferMeta of squeeze_excite.
#ifndef SWITCHYARD_PHI_INFERMETA_CONV_SQUEEZE_EXCITE_H_
#define SWITCHYARD_PHI_INFERMETA_CONV_SQUEEZE_EXCITE_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x [batch, channels, height, width]; squeeze [hidden, channels, 1, 1], excite
// [channels, hidden, 1, 1], a bias for the first extent of each; out as x.
absl::Status SqueezeExciteInferMeta(const TensorSpec& x,
                                    const TensorSpec& squeeze,
                                    const TensorSpec* squeeze_bias,
                                    const TensorSpec& excite,
                                    const TensorSpec* excite_bias,
                                    TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CONV_SQUEEZE_EXCITE_H_
