// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/detection.h"

#include <cmath>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {

absl::Status NmsInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({Dim::Unknown(), 4})));
  return SetOutput(out, DataType::kInt64, Shape({Dim::Unknown()}));
}

absl::Status MulticlassNms3InferMeta(const TensorSpec& bboxes,
                                     const TensorSpec& scores,
                                     const TensorSpec* rois_num,
                                     TensorSpec* out, TensorSpec* index,
                                     TensorSpec* nms_rois_num) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("bboxes", bboxes, Shape({kAny, kAny, 4})));
  Dim images = bboxes.shape[0];
  if (scores.shape.rank() == 2) {
    SY_RETURN_IF_ERROR(CheckShape("scores", scores,
                                  Shape({bboxes.shape[0], bboxes.shape[1]})));
    // Without numbers, sequences are the images.
    images = SequenceCount(bboxes);
    if (rois_num != nullptr) {
      SY_RETURN_IF_ERROR(CheckShape("rois_num", *rois_num, Shape({kAny})));
      images = rois_num->shape[0];
    }
  } else {
    SY_RETURN_IF_ERROR(
        CheckShape("scores", scores, Shape({images, kAny, bboxes.shape[1]})));
  }
  if (rois_num != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("rois_num", *rois_num, DataType::kInt32));
  }
  SY_RETURN_IF_ERROR(CheckDtype("scores", scores, bboxes.dtype));
  SY_RETURN_IF_ERROR(SetOutput(out, bboxes.dtype, Shape({kAny, 6})));
  SY_RETURN_IF_ERROR(SetOutput(index, DataType::kInt32, Shape({kAny, 1})));
  return SetOutput(nms_rois_num, DataType::kInt32, Shape({images}));
}

absl::Status MulticlassNmsLodInferMeta(const TensorSpec& bboxes,
                                       const TensorSpec& scores, bool mark_none,
                                       TensorSpec* out, TensorSpec* index) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("bboxes", bboxes, Shape({kAny, kAny, 4})));
  SY_RETURN_IF_ERROR(CheckDtype("scores", scores, bboxes.dtype));
  const bool by_box = scores.shape.rank() == 2;
  SY_RETURN_IF_ERROR(
      CheckShape("scores", scores,
                 by_box ? Shape({bboxes.shape[0], bboxes.shape[1]})
                        : Shape({bboxes.shape[0], kAny, bboxes.shape[1]})));
  SY_RETURN_IF_ERROR(SetSequences(
      bboxes.dtype, Shape({kAny, mark_none ? kAny : Dim(6)}), 1, out));
  return SetSequences(DataType::kInt32, Shape({kAny, 1}), 1, index);
}

absl::Status MatrixNmsInferMeta(const TensorSpec& bboxes,
                                const TensorSpec& scores, float gaussian_sigma,
                                TensorSpec* out, TensorSpec* index,
                                TensorSpec* roisnum) {
  if (!(gaussian_sigma > 0) || std::isinf(gaussian_sigma)) {
    return ArgumentError("gaussian_sigma", "a finite number above 0",
                         ShortestText(gaussian_sigma));
  }
  SY_RETURN_IF_ERROR(CheckRank("scores", scores, 3));
  return MulticlassNms3InferMeta(bboxes, scores, nullptr, out, index, roisnum);
}

}  // namespace switchyard::phi
