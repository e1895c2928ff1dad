// SPDX-License-Identifier: Apache-2.0
// Convolutions of images whose channels come first, and operations that may
// follow them, read from operations of the dialect `op`.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_CONV_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_CONV_PATTERNS_H_

#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "framework/types/post_ops.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// A convolution of images [batch, channels, height, width]. Refers to the
// operation, which must stay.
struct ConvPattern {
  ir::Value input, filter;
  absl::Span<const int> strides, paddings, dilations;
  std::string_view padding_algorithm;
  int groups = 1;
  bool fused = false;       // Has an epilogue already.
  bool transposed = false;  // The filter is [channels, out channels, ...].

  // Returns the extent of the axis of the filter that results' channels are.
  Dim out_channels() const {
    return filter.tensor_type().shape()[transposed ? 1 : 0];
  }

  // Returns true if the result has the height and width of the input, whatever
  // these are.
  bool keeps_extents() const;
};
// Returns true for an image of a dtype in which the fused operators have
// kernels.
bool IsImage(ir::Value x);
// Returns nullopt if the operation is no convolution, transposed or not, if an
// extent of the filter is unknown, and for halves, for which the fused
// operators have no kernels.
std::optional<ConvPattern> ReadConv(const ir::Operation& op);

// Returns the list of one function, with its numbers as float32.
PostOps MakePostOps(PostOpKind kind, double alpha = 0, double beta = 0);
// Returns the list of the activation function that the operation applies; an
// empty one for any other operation.
PostOps ReadActivation(const ir::Operation& op);
// Returns true for a function, the only one of the list, that costs a few
// instructions an element.
bool IsCheap(PostOps function);

// Returns the addend of `x` if `op` is a sum of two tensors of rank 4, else
// null.
ir::Value ReadAddend(const ir::Operation& op, ir::Value x);
// Returns true for the product of two tensors.
bool IsProduct(const ir::Operation& op);
// Returns true for a pooling of images.
bool IsPooling(const ir::Operation& op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_CONV_PATTERNS_H_
