// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection.h"

#include "phi/infermeta/checks.h"

namespace switchyard::phi {

absl::Status NmsInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({Dim::Unknown(), 4})));
  return SetOutput(out, DataType::kInt64, Shape({Dim::Unknown()}));
}

absl::Status MulticlassNmsInferMeta(const TensorSpec& bboxes,
                                    const TensorSpec& scores, TensorSpec* out,
                                    TensorSpec* index,
                                    TensorSpec* nms_rois_num) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("bboxes", bboxes, Shape({kAny, kAny, 4})));
  const Dim images = bboxes.shape[0];
  SY_RETURN_IF_ERROR(
      CheckShape("scores", scores, Shape({images, kAny, bboxes.shape[1]})));
  SY_RETURN_IF_ERROR(CheckDtype("scores", scores, bboxes.dtype));
  SY_RETURN_IF_ERROR(SetOutput(out, bboxes.dtype, Shape({kAny, 6})));
  SY_RETURN_IF_ERROR(SetOutput(index, DataType::kInt32, Shape({kAny, 1})));
  return SetOutput(nms_rois_num, DataType::kInt32, Shape({images}));
}

}  // namespace switchyard::phi
