// SPDX-License-Identifier: Apache-2.0
// Int8Fusion: a convolution between quantisers becomes one of integers.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_INT8_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_INT8_FUSION_H_

#include <string_view>
#include <utility>

#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Makes conv2d_int8 of a convolution, with the epilogue that conv_fusion gave
// it, whose image and filter a quantiser and dequantiser in one have gone
// through with scales that no run changes; or whose filter is held in integers
// of 8 bits (dequantize_weight), one scale for each channel. The filter becomes
// integers, by operations that the executor computes once; the image by
// quantize_int8, or where a convolution of integers alone made it, by that one.
// Relaxed: sums are exact, and so round otherwise than in float32.
class Int8Fusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit Int8Fusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "int8_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_INT8_FUSION_H_
