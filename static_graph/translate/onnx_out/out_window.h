// SPDX-License-Identifier: Apache-2.0
// OutWindow: the windows of convolutions and poolings as ONNX says them, for
// the families that have some.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_WINDOW_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_WINDOW_H_

#include <string_view>
#include <vector>

#include "static_graph/translate/onnx_out/out_call.h"

namespace switchyard::static_graph {

// Returns whether the channels are the last axis of `input`.
bool ChannelsLast(OutCall& call);
// Return `x`, of `rank` axes, with its channels moved: to axis 1, and back.
OnnxName ChannelsFirst(OutCall& call, const OnnxName& x, int rank);
OnnxName ChannelsBack(OutCall& call, const OnnxName& x, int rank);

// Returns the attributes that say where a window's padding is, of `spatial`
// axes: of paddings by axis or by side, or of an algorithm.
std::vector<WrittenAttribute> PadsOf(OutCall& call, int spatial);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_WINDOW_H_
