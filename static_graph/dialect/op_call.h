// SPDX-License-Identifier: Apache-2.0
// OpCall: an operation of the dialects `op` and `kernel` read as a call of its
// operator: inputs and results by slot, attributes in the order of OpInfo,
// defaults filled in. It is what autodiff, lowering and the verifier work on.
// Creating operations is static_graph/dialect/build_op.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// The values are the operation's; the attributes refer into its Context or to
// the operator's constants. Valid while the operation is not changed.
struct OpCall {
  const DialectOp* op = nullptr;
  std::vector<ir::Value> inputs;       // By slot; null where absent.
  std::vector<uint16_t> input_begins;  // One more than there are arguments.
  std::vector<AttrRef> attrs;
  std::vector<ir::Value> outputs;  // By slot; null where not wanted.
  std::vector<uint16_t> output_begins;

  phi::Slots input_slots() const {
    return phi::Slots(input_begins.data(),
                      static_cast<int>(input_begins.size()) - 1);
  }
  phi::Slots output_slots() const {
    return phi::Slots(output_begins.data(),
                      static_cast<int>(output_begins.size()) - 1);
  }
};

// The operator of an operation of the dialect `op` or `kernel`; null for all
// others.
const DialectOp* FindDialectOp(const ir::Operation& op);

// Reads `op`, of one of the two dialects. InvalidArgument, with the operator's
// sentence, for wrong numbers of operands or results and for attributes that
// the operator lacks or that have another type.
absl::StatusOr<OpCall> ReadCall(const ir::Operation& op);

// Metadata as InferMeta wants it, and back.
MetaTensor MetaOf(ir::TensorType type);
ir::TensorSpec SpecOf(const MetaTensor& meta);

// Runs the operator's InferMeta. `inputs` has a null type for each absent slot;
// the result has one entry per output slot, of undefined dtype where `wanted`
// (by slot; empty: all) is false. Errors are not annotated.
struct InferMetaArguments {
  absl::Span<const ir::TensorType> inputs;
  phi::Slots input_slots{0};
  absl::Span<const AttrRef> attrs;
  phi::Slots output_slots{0};
  absl::Span<const bool> wanted;
};
absl::StatusOr<std::vector<MetaTensor>> InferMeta(
    const phi::OpInfo& info, const InferMetaArguments& arguments);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_
