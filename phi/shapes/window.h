// SPDX-License-Identifier: Apache-2.0
// WindowAxis: the windows of a convolution or a pooling along one axis.
#ifndef SWITCHYARD_PHI_SHAPES_WINDOW_H_
#define SWITCHYARD_PHI_SHAPES_WINDOW_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard::phi {

// Holds the attributes as operators have them, for (height, width) or (depth,
// height, width); there are as many strides as axes.
struct WindowAttrs {
  absl::Span<const int> strides;
  // {height, width}, or {top, bottom, left, right}, and so on; read if the
  // algorithm is "EXPLICIT" or "WHOLE", which refuses windows that reach
  // beyond. "VALID" is no padding; "SAME" as much as gives ceil(input / stride)
  // outputs, the odd one after.
  absl::Span<const int> paddings;
  std::string_view padding_algorithm;
  absl::Span<const int> dilations = {};  // Empty: 1. "SAME" makes it 1.
};

// Says where the windows of a convolution or a pooling lie along one spatial
// axis, resolved from the attributes that those operators share. InferMeta gets
// output extents from it, kernels the padding. Pooling's adaptive windows,
// which differ in size, are the kernels' own business.
struct WindowAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // Padding.
  int64_t after = 0;
  int64_t output = 1;
};

// Returns an ArgumentError unless the lists have the right lengths, strides and
// dilations are at least 1, paddings are at least 0, and the algorithm is one
// of the four. There are 2 or 3 `axes`.
absl::Status CheckWindowAttrs(const WindowAttrs& attrs, int axes = 2);

// Resolves checked attributes for an axis (0 is height, 1 width, of two).
// `kernel` is at least 1. With `round_up` the last window may reach beyond the
// padding, but starts within the input or the padding before it, as in PyTorch.
// Where not even one window fits, there is one if it reaches beyond the padding
// by less than a stride: `after` is what it needs then. Otherwise, and always
// where the algorithm is "WHOLE", returns an ArgumentError about the argument
// `name`.
absl::StatusOr<WindowAxis> ResolveWindow(const WindowAttrs& attrs, int axis,
                                         int64_t input, int64_t kernel,
                                         std::string_view name,
                                         bool round_up = false);

// Resolves checked attributes of a transposed convolution along an axis: the
// windows whose values x's elements are. So `output` is x's extent, and `input`
// the shortest extent of a result that has all these windows; it may be longer
// by less than a stride. Returns an ArgumentError about the argument `name`,
// which is x, if that would have no element.
absl::StatusOr<WindowAxis> ResolveTransposedWindow(const WindowAttrs& attrs,
                                                   int axis, int64_t extent,
                                                   int64_t kernel,
                                                   std::string_view name);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_WINDOW_H_
