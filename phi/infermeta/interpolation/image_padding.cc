// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/interpolation/image_padding.h"

#include <string>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// Holds the facts in which pad2d and pad3d differ.
struct ImagePadding {
  int spatial;
  absl::Span<const std::string_view> modes;
  std::string_view first, last;  // Formats by where the channels are.
};

constexpr std::string_view kModes2d[] = {"constant", "reflect", "edge"};
constexpr std::string_view kModes3d[] = {"constant", "reflect", "replicate",
                                         "circular"};
constexpr ImagePadding kPad2d = {2, kModes2d, "NCHW", "NHWC"};
constexpr ImagePadding kPad3d = {3, kModes3d, "NCDHW", "NDHWC"};

absl::Status CheckMode(const ImagePadding& kind, std::string_view mode) {
  std::string known;
  for (const std::string_view one : kind.modes) {
    if (one == mode) return absl::OkStatus();
    known += (known.empty() ? "one of " : ", ") + Quoted(one);
  }
  return ArgumentError("mode", known, Quoted(mode));
}

// Checks that there is what a padding repeats.
absl::Status CheckPadding(std::string_view mode, AttrValue padding,
                          Dim extent) {
  if (!padding.known()) return absl::OkStatus();
  if (padding.value() < 0) {
    return ArgumentError("paddings", "without negative numbers",
                         ToString(padding));
  }
  if (mode == "constant" || padding.value() == 0 || !extent.known()) {
    return absl::OkStatus();
  }
  const int64_t least = mode == "reflect" ? padding.value() + 1 : 1;
  if (extent.value() >= least) return absl::OkStatus();
  return ArgumentError("x",
                       "of extents from " + std::to_string(least) +
                           " to be padded by " + ToString(padding),
                       ToString(extent));
}

absl::Status Infer(const ImagePadding& kind, const TensorSpec& x,
                   AttrValues paddings, std::string_view mode,
                   std::string_view data_format, TensorSpec* out) {
  if (x.shape.rank() != kind.spatial + 2) {
    return ArgumentError("x", "of rank " + std::to_string(kind.spatial + 2),
                         ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckMode(kind, mode));
  if (data_format != kind.first && data_format != kind.last) {
    return ArgumentError("data_format",
                         Quoted(kind.first) + " or " + Quoted(kind.last),
                         Quoted(data_format));
  }
  const size_t count = 2 * static_cast<size_t>(kind.spatial);
  if (paddings.size() != count) {
    return ArgumentError("paddings", std::to_string(count) + " numbers",
                         std::to_string(paddings.size()));
  }
  Shape shape = x.shape;
  for (size_t i = 0; i < count; ++i) {
    const int pair = static_cast<int>(i / 2);
    const int axis = (data_format == kind.last ? 1 : 2) +
                     (kind.spatial == 3 ? 2 - pair : pair);
    SY_RETURN_IF_ERROR(CheckPadding(mode, paddings[i], x.shape[axis]));
    SY_ASSIGN_OR_RETURN(shape[axis], Add(shape[axis], paddings[i].dim()));
  }
  return SetOutput(out, x.dtype, shape);
}

}  // namespace

absl::Status Pad2dInferMeta(const TensorSpec& x, AttrValues paddings,
                            std::string_view mode, std::string_view data_format,
                            TensorSpec* out) {
  return Infer(kPad2d, x, paddings, mode, data_format, out);
}

absl::Status Pad3dInferMeta(const TensorSpec& x, AttrValues paddings,
                            std::string_view mode, std::string_view data_format,
                            TensorSpec* out) {
  return Infer(kPad3d, x, paddings, mode, data_format, out);
}

}  // namespace switchyard::phi
