// SPDX-License-Identifier: Apache-2.0
// CallSelector: selects for calls of operators in a program that is lowered.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_SELECTOR_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_SELECTOR_H_

#include <optional>
#include <vector>

#include "framework/base/hash_map.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/selection.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// A call with what selection is asked about it, and the answer. `query` borrows
// from the rest, so it stays where it is.
struct AskedCall {
  AskedCall() = default;
  AskedCall(const AskedCall&) = delete;
  AskedCall& operator=(const AskedCall&) = delete;

  std::vector<TensorMeta> metas;
  std::vector<const TensorMeta*> inputs;  // In metas; null where absent.
  std::vector<TensorSpec> outputs;
  std::vector<const TensorSpec*> wanted;  // Null where not wanted.
  phi::selection::Query query;
  phi::selection::Selection selection;
};

// Keeps what the types of values don't say: the place of each, and whether it
// is surely contiguous.
class CallSelector {
 public:
  // The known facts of a value beyond its type.
  struct Facts {
    Place place;
    bool contiguous = true;
  };

  // Borrows its arguments.
  CallSelector(const phi::KernelTable* table, const LoweringOptions* options)
      : table_(*table), options_(*options) {}

  const phi::KernelTable& table() const { return table_; }
  const LoweringOptions& options() const { return options_; }

  // Returns what was set, or what holds for arguments and constants.
  Facts facts(ir::Value value) const;
  void SetFacts(ir::Value value, Facts facts) { facts_[value] = facts; }

  // Describes a call, under the types and facts of its values.
  absl::Status Ask(const OpCall& call, AskedCall* asked) const;
  // Selects for a call under `policy`, on `device` if there is one. Candidates
  // that the extents of a run decide stay, and those that strides decide.
  // Errors begin with the operator's name; NotFound if no kernel is linked.
  absl::Status Select(const OpCall& call, std::optional<Place> device,
                      const phi::selection::Policy& policy,
                      AskedCall* asked) const;
  // Selects for a call, under `policy`, whose inputs are in `layout` where that
  // describes their shapes, and strided elsewhere.
  absl::StatusOr<phi::selection::Selection> SelectInLayout(
      const OpCall& call, LayoutDescriptor layout,
      const phi::selection::Policy& policy) const;

 private:
  const phi::KernelTable& table_;
  const LoweringOptions& options_;
  PooledMap<ir::Value, Facts> facts_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_SELECTOR_H_
