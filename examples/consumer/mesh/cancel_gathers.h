// SPDX-License-Identifier: Apache-2.0
// CancelGathers: a pass over the dialect `mesh`.
#ifndef CONSUMER_MESH_CANCEL_GATHERS_H_
#define CONSUMER_MESH_CANCEL_GATHERS_H_

#include "static_graph/pass/pass.h"

namespace mesh {

// Removes a cut of a gathered value that is placed so already, and a gather of
// what was cut: neither moves an element in the end.
class CancelGathers : public switchyard::static_graph::Pass {
 public:
  std::string_view name() const override { return "cancel_gathers"; }
  switchyard::static_graph::Exactness exactness() const override {
    return switchyard::static_graph::Exactness::kExact;
  }
  absl::StatusOr<bool> Run(
      switchyard::static_graph::ir::Program& program) override;
};

}  // namespace mesh

#endif  // CONSUMER_MESH_CANCEL_GATHERS_H_
