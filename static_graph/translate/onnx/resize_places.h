// SPDX-License-Identifier: Apache-2.0
// Where the elements of a resized axis lie in the input, by each mode of
// coordinates.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RESIZE_PLACES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RESIZE_PLACES_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Places are computed in this dtype.
inline constexpr DataType kWide = DataType::kFloat64;

// How one axis is resized, as [1] of float64 (`extent`: int64).
struct ResizedAxis {
  int axis = 0;
  ir::Value scale;
  ir::Value extent;        // Of the result.
  ir::Value input_extent;  // In float64.
  bool shrinks = false;    // By a scale that is known.
  // The ends of the region of tf_crop_and_resize, as parts of the input; null
  // in other modes.
  ir::Value start, end;
};

// Return a call of an operator of two arguments, and a number as [1].
ir::Value Two(OnnxCall& call, const char* ours, ir::Value a, ir::Value b);
ir::Value Wide(OnnxCall& call, double number);

// Sets the ends of the region of the axis number `at` of `axes`, in the mode
// that has one. Fails for regions of another number of axes.
void ReadRegion(OnnxCall& call, int axes, int at, ResizedAxis* axis);
// Returns whether an axis of equal extents stays as it is.
bool IsWhole(OnnxCall& call, const ResizedAxis& axis);
// Returns the places in the input, which may lie outside. Half a pixel is half
// of one of either.
ir::Value Places(OnnxCall& call, const ResizedAxis& axis);
// Returns `y` with `extrapolation_value` where a region leaves the input.
ir::Value Extrapolated(OnnxCall& call, ir::Value y, const ResizedAxis& axis);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RESIZE_PLACES_H_
