// SPDX-License-Identifier: Apache-2.0
// The elements of pooling's windows, one window beside another: for windows
// with gaps, and for results that our poolings don't have.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_GATHERED_WINDOWS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_GATHERED_WINDOWS_H_

#include <vector>

#include "static_graph/translate/onnx/windows.h"

namespace switchyard::static_graph {

// The extents of the axes after batch and channels. Fails where one is unknown.
Integers SpatialExtents(OnnxCall& call, ir::Value x);
// Pads x itself, with `fill`.
ir::Value Padded(OnnxCall& call, ir::Value x, const OnnxWindow& window,
                 double fill);
// The least number of a dtype, which no maximum is of other numbers.
double LeastOf(DataType dtype);
// The extent of a window with its gaps.
int64_t WideOf(const OnnxWindow& window, size_t axis);
// The number of windows along an axis of `padded` elements.
int64_t CountWindows(OnnxCall& call, const OnnxWindow& window, size_t axis,
                     int64_t padded);
// The number of windows along each spatial axis of x, which is not padded.
Integers WindowCounts(OnnxCall& call, ir::Value x, const OnnxWindow& window);
// Gathers the elements of `counts` windows along a new last axis; elements
// outside x are `fill`. Allocates every element of every window.
ir::Value Gathered(OnnxCall& call, ir::Value x, OnnxWindow window,
                   const Integers& counts, double fill);
ir::Value SumOfLast(OnnxCall& call, ir::Value x);
// Maxima, and their places in a plane of x.
std::vector<ir::Value> MaxOfGathered(OnnxCall& call, ir::Value x,
                                     const OnnxWindow& window);
// Means; pads count where `count_include_pad` says so.
ir::Value MeanOfGathered(OnnxCall& call, ir::Value x, const OnnxWindow& window);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_GATHERED_WINDOWS_H_
