// SPDX-License-Identifier: Apache-2.0
// Type inference.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_TYPE_INFERENCE_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_TYPE_INFERENCE_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Infers the types of results again, by each operation's InferTypesInterface,
// and keeps what is known better than before: extents that other passes or a
// file left unknown. An extent that was known stays, and so does the type of a
// result where the operation does not infer.
class TypeInference : public Pass {
 public:
  std::string_view name() const override { return "type_inference"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_TYPE_INFERENCE_H_
