// SPDX-License-Identifier: Apache-2.0
// Bfloat16Products: products and convolutions of float32 become those of
// bfloat16, and what lies between them follows.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_BFLOAT16_PRODUCTS_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_BFLOAT16_PRODUCTS_H_

#include <string_view>
#include <utility>

#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Goes through the program by the rules of autocast (`amp:` of an operator's
// entry, phi/promotion/autocast.h). An operator that is `narrow` gets its
// float32 operands as bfloat16. One without a rule, or that takes the widest of
// its operands, runs in bfloat16 where all of its float32 operands were made by
// such operators, or are small parameters and constants. All others, `wide`
// ones too, and feeds, fetches, states and the blocks of control flow have
// float32, by a cast. An operator that has no kernel of bfloat16 stays as it
// is.
class Bfloat16Products : public Pass {
 public:
  // `has_kernel` as PassEnvironment has it.
  explicit Bfloat16Products(KernelRule has_kernel = nullptr)
      : has_kernel_(std::move(has_kernel)) {}
  std::string_view name() const override { return "bfloat16_products"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  KernelRule has_kernel_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_BFLOAT16_PRODUCTS_H_
