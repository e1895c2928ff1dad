// SPDX-License-Identifier: Apache-2.0
// JsonTranslation: the work of TranslateJsonProgram
// (static_graph/translate/json/json_translator.h), in two files: blocks and
// calls, and control flow (json_control.cc).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/json/json_call.h"
#include "static_graph/translate/json/json_ports.h"
#include "static_graph/translate/random_streams.h"

namespace switchyard::static_graph {

// Translates the blocks of one program, operator by operator. Borrows the
// program. Used once.
class JsonTranslation {
 public:
  // `main` is what will be run.
  JsonTranslation(ir::Program* program, const JsonRole& role,
                  const JsonBlock& main)
      : budget_(*program->context(), main.text_size, main.held),
        program_(program),
        main_(program->context(), &program->entry()),
        ports_(program, role),
        random_(program) {}

  // Frees each operator of the block when it is translated.
  absl::Status Run(JsonBlock main);
  std::vector<StateVariable> TakeStates() { return ports_.TakeStates(); }

 private:
  using Values = std::vector<ir::Value>;
  using Method = absl::Status (JsonTranslation::*)(const JsonOperator&);
  // Those that IsJsonOnly() knows, and what needs more than a call.
  static Method MethodOf(std::string_view name);
  absl::Status AddParameter(const JsonOperator& op);
  absl::Status AddFeed(const JsonOperator& op);
  absl::Status AddFetch(const JsonOperator& op);
  absl::Status AddNamed(const JsonOperator& op);
  absl::Status Combine(const JsonOperator& op);
  absl::Status Split(const JsonOperator& op);
  absl::Status Element(const JsonOperator& op);
  absl::Status Fill(const JsonOperator& op);
  absl::Status FillIntegers(const JsonOperator& op);
  absl::Status Branch(const JsonOperator& op);
  absl::Status Loop(const JsonOperator& op);
  // Ends a block; Inner reads what it yields.
  absl::Status Yield(const JsonOperator&) { return absl::OkStatus(); }

  absl::Status Block(const JsonBlock& block);
  absl::Status Operator(const JsonBlock& block, const JsonOperator& op);
  // Translates a block that `builder` fills; returns what it yields and after
  // it the latest values of `written`, which are as before then.
  absl::StatusOr<Values> Inner(const JsonBlock& block, ir::Builder& builder,
                               absl::Span<const int64_t> written);
  // The values from outside that blocks of the operator write over.
  std::vector<int64_t> WrittenBy(const JsonOperator& op) const;
  // Binds results, and after them the latest values of `written`.
  absl::Status Bind(const JsonOperator& op, absl::Span<const ir::Value> results,
                    absl::Span<const int64_t> written);
  absl::Status Translate(const JsonOperator& op);
  absl::Status Call(const JsonOperator& op);
  absl::Status Supply(const JsonOperator& op, const phi::OpInfo& info,
                      JsonCall* call, std::vector<SuppliedAttr>* supplied);
  absl::StatusOr<ir::Value> Draw(const JsonOperator& op,
                                 const phi::OpInfo& info, JsonCall* call);
  absl::Status BindResults(const JsonOperator& op, const phi::OpInfo& info,
                           const phi::ArgList<const ir::Value>& results);
  void Overwrite(const JsonOperator& op,
                 const phi::ArgList<const ir::Value>& results);
  absl::StatusOr<ir::Value> One(const JsonOperator& op, size_t operand) const;
  const Values& ValuesOf(int64_t id) const;
  void Mark(const JsonBlock& block);
  // Counts what a feed, a fetch or a state takes.
  absl::Status TakePort(const JsonOperator& op);

  LoadBudget budget_;
  int64_t left_ = 0;  // Operators that may be translated.
  ir::Program* program_;
  ir::Builder main_;
  ir::Builder* builder_ = &main_;  // Of the block that is translated.
  JsonPorts ports_;
  RandomStreams random_;
  int loops_ = 0;          // Around the operator.
  HashSet<int64_t> used_;  // Values that operators read.
  HashMap<int64_t, Values> values_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATION_H_
