// SPDX-License-Identifier: Apache-2.0
// Steps after a convolution that scale or shift whole channels, and the calls
// that compute its weights with these steps in them.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_CONV_WEIGHTS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_CONV_WEIGHTS_H_

#include <optional>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// A step that maps each channel of an image by itself:
//   kMultiply   x * factor        kAdd  x + factor        kSubtract  x - factor
//   kAffine     scale * x + bias, of two numbers
//   kNormalize  a batch norm by its running statistics
// `factor` has one element, or one for each channel and else extents of 1.
struct ChannelPattern {
  enum class Kind { kMultiply, kAdd, kSubtract, kAffine, kNormalize };
  Kind kind;
  int operand = 0;     // Which operand is the image.
  ir::Value factor;    // Of the first three.
  double scale = 1;    // kAffine.
  double bias = 0;     // kAffine.
  double epsilon = 0;  // kNormalize, as the following.
  ir::Value mean, variance, gamma, beta;
};
// Reads `op` as such a step on the image `x`, one of its operands.
std::optional<ChannelPattern> ReadChannelStep(const ir::Operation& op,
                                              ir::Value x);

// Returns, for a batch norm that leaves its running statistics as they are, the
// operand that result number `result` is; null for any other.
ir::Value UnchangedStatistic(const ir::Operation& op, int result);

// Builds the calls, at the builder's insertion point. Each number that scales
// or shifts channels is a vector, of one element or one for each channel.
class ConvBuilder {
 public:
  ConvBuilder(ir::Builder* builder, DataType dtype)
      : builder_(*builder), dtype_(dtype) {}

  // Takes the steps in their order. Errors are BuildOp's.
  absl::Status Add(const ChannelPattern& step);

  // Holds the arguments that a fused call has beside the convolution's.
  struct Epilogue {
    ir::Value residual;  // Null where absent, as the following.
    PostOps post_ops;
    ir::Value out_scale, out_shift;  // Of one element each.
  };
  // Returns the result of the convolution with the steps that were added in its
  // weights, and of the epilogue.
  absl::StatusOr<ir::Value> Build(const ConvPattern& conv,
                                  const Epilogue& epilogue);

 private:
  absl::StatusOr<ir::Value> Reshaped(ir::Value x,
                                     absl::Span<const int64_t> shape);
  absl::StatusOr<ir::Value> Product(ir::Value x, ir::Value y);
  absl::Status Scale(ir::Value factor);
  absl::Status Shift(ir::Value addend, bool subtract);
  absl::Status AddNormalization(const ChannelPattern& step);
  absl::StatusOr<ir::Value> Number(double number);

  ir::Builder& builder_;
  DataType dtype_;
  ir::Value scale_, shift_;  // Null: none yet.
};

// Returns true if the context has the operators that ConvBuilder needs.
bool CanBuildConv(const ir::Context& context);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_CONV_WEIGHTS_H_
