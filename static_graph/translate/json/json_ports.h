// SPDX-License-Identifier: Apache-2.0
// JsonPorts: what goes into a program in JSON and what comes out of it.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "static_graph/translate/json/json_program.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// Collects the parameters, feeds and fetches of a program that is being
// translated, operator by operator, and ends it. Borrows the program.
class JsonPorts {
 public:
  explicit JsonPorts(ir::Program* program) : program_(program) {}

  // Return the value that the operator yields.
  absl::StatusOr<ir::Value> AddParameter(const JsonOperator& op);
  absl::StatusOr<ir::Value> AddFeed(const JsonOperator& op);
  // Adds `value` as what `fetch` takes out, by its column.
  absl::Status AddFetch(const JsonOperator& op, ir::Value value);
  // Adds `value` as what is set as a parameter or shown under a name; it comes
  // out behind those before.
  absl::Status AddNamed(const JsonOperator& op, ir::Value value);

  // Ends the program. `latest` tells what a parameter's value has become.
  void Return(absl::FunctionRef<ir::Value(int64_t id)> latest);
  std::vector<StateVariable> TakeStates() { return std::move(states_); }

 private:
  struct Fetch {
    int64_t column;
    ir::NamedValue value;
  };
  struct Parameter {
    int64_t id;
    ir::Value argument;
  };

  ir::Program* program_;
  std::vector<StateVariable> states_;
  std::vector<Parameter> parameters_;  // In the order of `states_`.
  std::vector<Fetch> fetches_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_
