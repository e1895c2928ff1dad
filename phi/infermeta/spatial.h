// SPDX-License-Identifier: Apache-2.0
// Which axes of a [batch, channels, height, width] tensor are which, by
// data_format. Shared by convolutions, poolings and batch_norm.
#ifndef SWITCHYARD_PHI_INFERMETA_SPATIAL_H_
#define SWITCHYARD_PHI_INFERMETA_SPATIAL_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::phi {

// The axes of one data_format.
struct SpatialAxes {
  int channel = 1;
  int first = 2;  // Height; width follows it.
};

// ArgumentError for another format than "NCHW", "NHWC" and "AnyLayout", by
// which old programs mean "NCHW".
inline absl::StatusOr<SpatialAxes> ParseAxes(std::string_view data_format) {
  if (data_format == "NCHW" || data_format == "AnyLayout") {
    return SpatialAxes{1, 2};
  }
  if (data_format == "NHWC") return SpatialAxes{3, 1};
  return ArgumentError("data_format", "\"NCHW\" or \"NHWC\"",
                       "\"" + std::string(data_format) + "\"");
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SPATIAL_H_
