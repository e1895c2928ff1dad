// SPDX-License-Identifier: Apache-2.0
// TranslatedPorts: what goes into a program that is being translated and what
// comes out of it, in any vocabulary.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PORTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PORTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The purpose of a program in JSON, whose operators don't tell it.
struct ProgramRole {
  // It gives variables their first values: a value that it sets or shows under
  // a name becomes a state of that name instead of a fetch.
  bool startup = false;
  // The variables that are states, though the program takes them as feeds; null
  // for none. Outlive the translation.
  const HashSet<std::string>* variables = nullptr;
};

// A state, and the variable that holds its latest value.
struct PortState {
  std::string variable;
  StateVariable state;
  ir::Value argument;
};

// Collects the feeds, states and fetches of a program, and ends it.
class TranslatedPorts {
 public:
  // Both outlive the object.
  TranslatedPorts(ir::Program* program, LoadBudget* budget)
      : program_(program), budget_(budget) {}

  // Return the value that goes in. ArgumentError for a name that is there
  // already, and for a state that is no dense tensor of known shape.
  absl::StatusOr<ir::Value> AddFeed(const std::string& name,
                                    const TensorSpec& spec);
  absl::StatusOr<ir::Value> AddState(const std::string& name,
                                     const std::string& variable,
                                     const TensorSpec& spec);
  // Adds `value` to the results, which are in the order of the columns, and
  // within a column in that of the calls.
  absl::Status AddFetch(const std::string& name, int64_t column,
                        ir::Value value);
  // Returns the column after those of all fetches.
  int64_t next_column() const { return static_cast<int64_t>(fetches_.size()); }
  // Adds a state whose first value the program gives: `value`.
  absl::Status Initialize(const std::string& name, ir::Value value);

  // Ends the program. `latest` returns the value that a state has become, null
  // where that says nothing; `advance` adds the new value of the state that
  // random numbers come from. A second fetch of a name gets a number.
  absl::Status Return(
      absl::FunctionRef<absl::StatusOr<ir::Value>(const PortState&)> latest,
      absl::FunctionRef<absl::Status(std::vector<ir::NamedValue>*)> advance);
  // Returns the states in their order, once.
  std::vector<StateVariable> TakeStates();

 private:
  struct Fetch {
    int64_t column;
    ir::NamedValue value;
  };

  // Counts what the program keeps for a port.
  absl::Status Take(const std::string& name);

  ir::Program* program_;
  LoadBudget* budget_;
  std::vector<PortState> states_;
  std::vector<Fetch> fetches_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PORTS_H_
