// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise/shrink.h"

#include "framework/base/float_text.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status ShrinkInferMeta(const TensorSpec& x, double threshold,
                             TensorSpec* out) {
  if (!(threshold >= 0)) {
    return ArgumentError("threshold", "at least 0", ShortestText(threshold));
  }
  return UnchangedInferMeta(x, out);
}

}  // namespace switchyard::phi
