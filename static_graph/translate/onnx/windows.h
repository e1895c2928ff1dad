// SPDX-License-Identifier: Apache-2.0
// OnnxWindow: the windows of ONNX's convolutions and poolings.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WINDOWS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WINDOWS_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// The windows over the spatial axes of a tensor, a number for each axis.
struct OnnxWindow {
  int spatial = 0;  // The number of axes after batch and channels.
  Integers kernel;
  Integers strides;
  Integers dilations;
  Integers before;  // Pads at the beginning and the end of each axis.
  Integers after;
};

// Reads the attributes of a window over `x` whose kernel has these extents.
// `auto_pad` is resolved where the extents are known: SAME makes an output of
// ceil(extent / stride), with the dilated kernel's pads, the odd one at the end
// (SAME_UPPER) or the beginning. Fails where it needs extents that are unknown,
// and for lists of another length.
OnnxWindow ReadWindow(OnnxCall& call, ir::Value x, const Integers& kernel);

// Returns the pads as ours has them: before and after each axis, in turn.
Integers PadPairs(const OnnxWindow& window);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WINDOWS_H_
