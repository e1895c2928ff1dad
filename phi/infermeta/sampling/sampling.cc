// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sampling/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

// The samples of a box along an axis.
constexpr int64_t kMaxSamples = 1 << 20;

absl::Status CheckPooled(std::string_view argument, int extent, int ratio) {
  if (extent <= 0) {
    return ArgumentError(argument, "1 or more", std::to_string(extent));
  }
  const int64_t samples = int64_t{extent} * std::max(ratio, 1);
  if (samples <= kMaxSamples) return absl::OkStatus();
  return ArgumentError(argument, "at most 1048576 with its samples",
                       std::to_string(samples));
}

}  // namespace

absl::Status RoiAlignInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                               const TensorSpec* boxes_num, int pooled_height,
                               int pooled_width, double spatial_scale,
                               int sampling_ratio, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny, kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckShape("boxes", boxes, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckDtype("boxes", boxes, x.dtype));
  if (boxes_num != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("boxes_num", *boxes_num, DataType::kInt32));
    SY_RETURN_IF_ERROR(
        CheckShape("boxes_num", *boxes_num, Shape({x.shape[0]})));
  }
  SY_RETURN_IF_ERROR(
      CheckPooled("pooled_height", pooled_height, sampling_ratio));
  SY_RETURN_IF_ERROR(CheckPooled("pooled_width", pooled_width, sampling_ratio));
  if (!(spatial_scale > 0) || std::isinf(spatial_scale)) {
    return ArgumentError("spatial_scale", "a finite number above 0",
                         ShortestText(spatial_scale));
  }
  return SetOutput(
      out, x.dtype,
      Shape({boxes.shape[0], x.shape[1], pooled_height, pooled_width}));
}

absl::Status RoiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                              const TensorSpec* boxes_num, int pooled_height,
                              int pooled_width, double spatial_scale,
                              TensorSpec* out, TensorSpec* arg_max) {
  TensorSpec pooled;
  SY_RETURN_IF_ERROR(RoiAlignInferMeta(x, boxes, boxes_num, pooled_height,
                                       pooled_width, spatial_scale,
                                       /*sampling_ratio=*/1, &pooled));
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, pooled.shape));
  return SetOutput(arg_max, DataType::kInt64, pooled.shape);
}

absl::Status PrroiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                                const TensorSpec* boxes_num, int pooled_height,
                                int pooled_width, double spatial_scale,
                                TensorSpec* out) {
  if (boxes_num != nullptr && boxes_num->dtype == DataType::kInt64) {
    TensorSpec numbers = *boxes_num;
    numbers.dtype = DataType::kInt32;
    return RoiAlignInferMeta(x, boxes, &numbers, pooled_height, pooled_width,
                             spatial_scale, /*sampling_ratio=*/1, out);
  }
  return RoiAlignInferMeta(x, boxes, boxes_num, pooled_height, pooled_width,
                           spatial_scale, /*sampling_ratio=*/1, out);
}

absl::Status PsroiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                                const TensorSpec* boxes_num, int pooled_height,
                                int pooled_width, int output_channels,
                                double spatial_scale, TensorSpec* out) {
  TensorSpec pooled;
  SY_RETURN_IF_ERROR(RoiAlignInferMeta(x, boxes, boxes_num, pooled_height,
                                       pooled_width, spatial_scale,
                                       /*sampling_ratio=*/1, &pooled));
  const int64_t bins = int64_t{pooled_height} * pooled_width;
  if (output_channels < 1 || output_channels > kMaxSamples) {
    return ArgumentError("output_channels", "in [1, 1048576]",
                         std::to_string(output_channels));
  }
  const Dim channels = x.shape[1];
  if (channels.known() && (channels.value() / bins != output_channels ||
                           channels.value() % bins != 0)) {
    return ArgumentError(
        "x", "of output_channels * pooled_height * pooled_width channels",
        ToString(x.shape));
  }
  return SetOutput(
      out, x.dtype,
      Shape({boxes.shape[0], output_channels, pooled_height, pooled_width}));
}

}  // namespace switchyard::phi
