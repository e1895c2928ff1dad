// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/fourier/signal.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

absl::Status CheckAxis(int axis) {
  if (axis == 0 || axis == -1) return absl::OkStatus();
  return ArgumentError("axis", "0 or -1", std::to_string(axis));
}

absl::Status CheckLength(std::string_view argument, int length) {
  if (length > 0) return absl::OkStatus();
  return ArgumentError(argument, "1 or more", std::to_string(length));
}

}  // namespace

absl::Status FrameInferMeta(const TensorSpec& x, int frame_length,
                            int hop_length, int axis, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAxis(axis));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckLength("frame_length", frame_length));
  SY_RETURN_IF_ERROR(CheckLength("hop_length", hop_length));
  const int rank = x.shape.rank();
  const Dim length = x.shape[axis == 0 ? 0 : rank - 1];
  Dim frames = Dim::Unknown();
  if (length.known()) {
    if (frame_length > length.value()) {
      return ArgumentError("frame_length", "at most " + ToString(length),
                           std::to_string(frame_length));
    }
    frames = Dim((length.value() - frame_length) / hop_length + 1);
  }
  std::vector<Dim> dims;
  if (axis == 0) dims = {frames, Dim(frame_length)};
  for (int i = axis == 0 ? 1 : 0; i < (axis == 0 ? rank : rank - 1); ++i) {
    dims.push_back(x.shape[i]);
  }
  if (axis != 0) dims.insert(dims.end(), {Dim(frame_length), frames});
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return ArgumentError("x",
                         "of rank " + std::to_string(kMaxRank - 1) + " or less",
                         ToString(x.shape));
  }
  return SetOutput(out, x.dtype, Shape(dims));
}

absl::Status OverlapAddInferMeta(const TensorSpec& x, int hop_length, int axis,
                                 TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAxis(axis));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  SY_RETURN_IF_ERROR(CheckLength("hop_length", hop_length));
  const int rank = x.shape.rank();
  const Dim frames = x.shape[axis == 0 ? 0 : rank - 1];
  const Dim frame_length = x.shape[axis == 0 ? 1 : rank - 2];
  Dim length = Dim::Unknown();
  if (frames == Dim(0) || frame_length == Dim(0)) {
    return ArgumentError("x", "of one frame or more, of one element or more",
                         ToString(x.shape));
  }
  if (frames.known() && frame_length.known()) {
    const int64_t most =
        (std::numeric_limits<int64_t>::max() - frame_length.value()) /
        hop_length;
    if (frames.value() - 1 > most)
      return SizeError("shape", "of fewer elements", ToString(x.shape));
    length = Dim((frames.value() - 1) * hop_length + frame_length.value());
  }
  std::vector<Dim> dims;
  if (axis == 0) dims.push_back(length);
  for (int i = axis == 0 ? 2 : 0; i < (axis == 0 ? rank : rank - 2); ++i) {
    dims.push_back(x.shape[i]);
  }
  if (axis != 0) dims.push_back(length);
  return SetOutput(out, x.dtype, Shape(dims));
}

}  // namespace switchyard::phi
