// SPDX-License-Identifier: Apache-2.0
// Which axes of a [batch, channels, height, width] tensor, or of one with a
// depth before the height, are which, by data_format. Shared by convolutions,
// poolings and batch_norm.
#ifndef SWITCHYARD_PHI_INFERMETA_SPATIAL_H_
#define SWITCHYARD_PHI_INFERMETA_SPATIAL_H_

#include <string_view>

#include "framework/base/quoted.h"
#include "framework/base/status.h"

namespace switchyard::phi {

// The axes of one data_format.
struct SpatialAxes {
  int channel = 1;
  int first = 2;  // Height, or depth; the others follow it.
};

// ArgumentError for another format than "NCHW", "NHWC" and "AnyLayout", by
// which old programs mean "NCHW".
inline absl::StatusOr<SpatialAxes> ParseAxes(std::string_view data_format) {
  if (data_format == "NCHW" || data_format == "AnyLayout") {
    return SpatialAxes{1, 2};
  }
  if (data_format == "NHWC") return SpatialAxes{3, 1};
  return ArgumentError("data_format", "\"NCHW\" or \"NHWC\"",
                       Quoted(data_format));
}

// Does what ParseAxes does for volumes: "NCDHW", "NDHWC" and "AnyLayout".
inline absl::StatusOr<SpatialAxes> ParseVolumeAxes(
    std::string_view data_format) {
  if (data_format == "NCDHW" || data_format == "AnyLayout") {
    return SpatialAxes{1, 2};
  }
  if (data_format == "NDHWC") return SpatialAxes{4, 1};
  return ArgumentError("data_format", "\"NCDHW\" or \"NDHWC\"",
                       Quoted(data_format));
}

// The axes of a tensor with 2 or 3 spatial ones.
inline absl::StatusOr<SpatialAxes> ParseAxes(std::string_view data_format,
                                             int spatial) {
  return spatial == 3 ? ParseVolumeAxes(data_format) : ParseAxes(data_format);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SPATIAL_H_
