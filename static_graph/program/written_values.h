// SPDX-License-Identifier: Apache-2.0
// WrittenValues: what the values of a program that is being built are now,
// where in-place variants wrote them.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_WRITTEN_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_WRITTEN_VALUES_H_

#include <string_view>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Follows a program from one MakeValueForm() to the next. Errors have the
// location of the builder, which it borrows.
class WrittenValues {
 public:
  explicit WrittenValues(const ir::Builder* builder) : builder_(*builder) {}

  // Makes values of the in-place variants so far, outside of regions.
  absl::Status MakeValueForm(ir::Program* program);

  // Returns what stands for `value` since in-place variants became values.
  // ArgumentError, as of `argument`, for one that was lost then.
  absl::StatusOr<ir::Value> Resolve(std::string_view argument,
                                    ir::Value value) const;
  // Replace each value, null ones aside; named ones are arguments of their own.
  absl::Status ResolveAll(std::string_view argument,
                          std::vector<ir::Value>* values) const;
  absl::Status ResolveNamed(std::vector<ir::NamedValue>* values) const;
  // Makes of `wrt` the values that gradients are taken of. ArgumentError for a
  // feed that was written, or a state that was with its gradient.
  absl::Status ResolveTargets(std::vector<ir::Value>* wrt) const;
  // Returns true for a value that something was written to.
  bool written(ir::Value value) const { return Contains(current_, value); }

 private:
  const ir::Builder& builder_;
  // The values that stand for written ones; null for what was lost.
  HashMap<ir::Value, ir::Value> current_;
  HashSet<ir::Value> recorded_;  // Those written with their gradient.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_WRITTEN_VALUES_H_
