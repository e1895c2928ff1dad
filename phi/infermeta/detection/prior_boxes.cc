// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/prior_boxes.h"

#include <cmath>
#include <string>
#include <vector>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

using Floats = absl::Span<const float>;

absl::Status CheckCount(std::string_view argument, Floats values,
                        size_t count) {
  if (values.size() == count) return absl::OkStatus();
  return ArgumentError(argument, std::to_string(count) + " numbers",
                       std::to_string(values.size()));
}

absl::Status CheckPositive(std::string_view argument, Floats values) {
  for (const float value : values) {
    if (value > 0 && std::isfinite(value)) continue;
    return ArgumentError(argument, "finite numbers above 0",
                         ShortestText(value));
  }
  return absl::OkStatus();
}

absl::Status CheckSome(std::string_view argument, Floats values) {
  SY_RETURN_IF_ERROR(CheckPositive(argument, values));
  if (!values.empty()) return absl::OkStatus();
  return ArgumentError(argument, "one number or more", "none");
}

absl::Status CheckVariances(Floats variances) {
  SY_RETURN_IF_ERROR(CheckCount("variances", variances, 4));
  return CheckPositive("variances", variances);
}

absl::Status CheckStep(std::string_view argument, float step) {
  if (step >= 0 && std::isfinite(step)) return absl::OkStatus();
  return ArgumentError(argument, "a finite number from 0", ShortestText(step));
}

// The number of ratios of a cell's boxes: 1, and what is not near another.
size_t CountRatios(Floats aspect_ratios, bool flip) {
  std::vector<float> ratios = {1.0f};
  for (const float ratio : aspect_ratios) {
    bool known = false;
    for (const float other : ratios) {
      known = known || std::fabs(ratio - other) < 1e-6;
    }
    if (known) continue;
    ratios.push_back(ratio);
    if (flip) ratios.push_back(1 / ratio);
  }
  return ratios.size();
}

// Sets both outputs, of one shape.
absl::Status SetBoxes(const TensorSpec& input, Dim count, bool flat,
                      TensorSpec* boxes, TensorSpec* variances) {
  Shape shape({input.shape[2], input.shape[3], count, 4});
  if (flat) {
    SY_ASSIGN_OR_RETURN(const Dim all, Product(shape.dims().first(3)));
    shape = Shape({all, 4});
  }
  SY_RETURN_IF_ERROR(SetOutput(boxes, input.dtype, shape));
  return SetOutput(variances, input.dtype, shape);
}

}  // namespace

absl::Status PriorBoxInferMeta(const TensorSpec& input, const TensorSpec& image,
                               Floats min_sizes, Floats max_sizes,
                               Floats aspect_ratios, Floats variances,
                               bool flip, float step_w, float step_h,
                               TensorSpec* out, TensorSpec* var) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  SY_RETURN_IF_ERROR(CheckRank("image", image, 4));
  SY_RETURN_IF_ERROR(CheckSome("min_sizes", min_sizes));
  if (!max_sizes.empty()) {
    SY_RETURN_IF_ERROR(CheckCount("max_sizes", max_sizes, min_sizes.size()));
  }
  for (size_t i = 0; i < max_sizes.size(); ++i) {
    if (max_sizes[i] > min_sizes[i]) continue;
    return ArgumentError(
        "max_sizes", "above min_sizes",
        ShortestText(max_sizes[i]) + " beside " + ShortestText(min_sizes[i]));
  }
  SY_RETURN_IF_ERROR(CheckPositive("aspect_ratios", aspect_ratios));
  SY_RETURN_IF_ERROR(CheckVariances(variances));
  SY_RETURN_IF_ERROR(CheckStep("step_w", step_w));
  SY_RETURN_IF_ERROR(CheckStep("step_h", step_h));
  const size_t count =
      CountRatios(aspect_ratios, flip) * min_sizes.size() + max_sizes.size();
  return SetBoxes(input, static_cast<int64_t>(count), false, out, var);
}

absl::Status DensityPriorBoxInferMeta(const TensorSpec& input,
                                      const TensorSpec& image,
                                      Floats fixed_sizes, Floats fixed_ratios,
                                      absl::Span<const int> densities,
                                      Floats variances, bool flatten_to_2d,
                                      float step_w, float step_h,
                                      TensorSpec* out, TensorSpec* var) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  SY_RETURN_IF_ERROR(CheckRank("image", image, 4));
  SY_RETURN_IF_ERROR(CheckSome("fixed_sizes", fixed_sizes));
  SY_RETURN_IF_ERROR(CheckSome("fixed_ratios", fixed_ratios));
  if (densities.size() != fixed_sizes.size()) {
    return ArgumentError("densities",
                         std::to_string(fixed_sizes.size()) + " numbers",
                         std::to_string(densities.size()));
  }
  SY_RETURN_IF_ERROR(CheckVariances(variances));
  SY_RETURN_IF_ERROR(CheckStep("step_w", step_w));
  SY_RETURN_IF_ERROR(CheckStep("step_h", step_h));
  constexpr int kMax = 1 << 15;
  int64_t count = 0;
  for (const int density : densities) {
    if (density < 1 || density > kMax) {
      return ArgumentError("densities", "in [1, 32768]",
                           std::to_string(density));
    }
    const int64_t squares = int64_t{density} * density;
    count += squares * static_cast<int64_t>(fixed_ratios.size());
  }
  return SetBoxes(input, count, flatten_to_2d, out, var);
}

absl::Status AnchorGeneratorInferMeta(const TensorSpec& input,
                                      Floats anchor_sizes, Floats aspect_ratios,
                                      Floats variances, Floats stride,
                                      TensorSpec* anchors,
                                      TensorSpec* variances_out) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  SY_RETURN_IF_ERROR(CheckSome("anchor_sizes", anchor_sizes));
  SY_RETURN_IF_ERROR(CheckSome("aspect_ratios", aspect_ratios));
  SY_RETURN_IF_ERROR(CheckVariances(variances));
  SY_RETURN_IF_ERROR(CheckCount("stride", stride, 2));
  SY_RETURN_IF_ERROR(CheckPositive("stride", stride));
  const size_t count = anchor_sizes.size() * aspect_ratios.size();
  return SetBoxes(input, static_cast<int64_t>(count), false, anchors,
                  variances_out);
}

}  // namespace switchyard::phi
