// SPDX-License-Identifier: Apache-2.0
// JsonPorts: what goes into a program in JSON and what comes out of it.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The purpose of a program.
struct JsonRole {
  // It gives variables their first values: what it sets or shows under a name
  // becomes a state of that name instead of a fetch.
  bool startup = false;
  // The variables that are states, though the program takes them as feeds; null
  // for none. Outlive the translation.
  const HashSet<std::string>* variables = nullptr;
};

// Collects the parameters, feeds and fetches of a program that is being
// translated, operator by operator, and ends it. Borrows the program.
class JsonPorts {
 public:
  JsonPorts(ir::Program* program, const JsonRole& role)
      : program_(program), role_(role) {}

  // Return the value that the operator yields.
  absl::StatusOr<ir::Value> AddParameter(const JsonOperator& op);
  absl::StatusOr<ir::Value> AddFeed(const JsonOperator& op);
  // Adds `value` as what `fetch` takes out, by its column.
  absl::Status AddFetch(const JsonOperator& op, ir::Value value);
  // Adds `value` as what is set as a parameter or shown under a name; it comes
  // out after those before.
  absl::Status AddNamed(const JsonOperator& op, ir::Value value);

  // Ends the program. `latest` tells what a parameter's value has become;
  // `advance` adds the new value of the state that random numbers come from.
  absl::Status Return(
      absl::FunctionRef<ir::Value(int64_t id)> latest,
      absl::FunctionRef<absl::Status(std::vector<ir::NamedValue>*)> advance);
  std::vector<StateVariable> TakeStates() { return std::move(states_); }

 private:
  struct Fetch {
    int64_t column;
    ir::NamedValue value;
  };
  struct Parameter {
    std::string name;
    int64_t id;
    ir::Value argument;
  };

  absl::StatusOr<ir::Value> AddState(const std::string& name,
                                     const JsonOperator& op);
  // Adds `value` as the first one of a variable.
  absl::Status Initialize(const std::string& name, ir::Value value);

  ir::Program* program_;
  JsonRole role_;
  std::vector<StateVariable> states_;
  std::vector<Parameter> parameters_;
  std::vector<ir::NamedValue> initial_;
  std::vector<Fetch> fetches_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_PORTS_H_
