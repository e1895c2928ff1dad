// SPDX-License-Identifier: Apache-2.0
// The vocabulary of programs in PaddlePaddle's JSON, which is ours by rule: an
// operator has the name of one of ours, and its operands, which have no names,
// are our inputs in order. Here an operator gets slots with names, and a form
// that knows them, so that it is translated as one of any vocabulary.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

struct DialectOp;  // static_graph/dialect/dialect_op.h

// More tensors than there are in the lists that the operators of a program
// take, which a list of the file may be as often as there are operators.
inline constexpr size_t kMaxInLists = 1 << 22;

// How many tensors a variable holds; without any it is left out.
struct TensorCount {
  bool list = false;
  size_t tensors = 0;
};
using CountFunction = absl::FunctionRef<TensorCount(const std::string&)>;

// Returns the variable that a tensor of a list is.
std::string ElementName(std::string_view list, size_t i);

// The form of one call, by our names. Owns its tables, and is used for one call
// after the other.
struct JsonForm {
  phi::LegacyForm form;
  // How many more tensors may be in lists.
  size_t max_in_lists = kMaxInLists;

  std::vector<phi::LegacySlot> inputs;
  std::vector<phi::LegacySlot> outputs;
  std::vector<phi::LegacyAttr> attrs;
  std::vector<const char*> extra;
  ReusedList<ForeignSlot> named_inputs;
  ReusedList<ForeignSlot> named_outputs;
};

// Returns our operator of that functional name, or that has the place of one
// ("shape64" is shape). "relu_" is relu, unless there is one of the whole name;
// null if there is none.
const DialectOp* FindFunctional(const ir::Context& context,
                                std::string_view name);

// Gives the operands and results of `op`, an operator in terms of ours
// (static_graph/translate/rewrites/json_rewrites.h), the names of our inputs
// and outputs, and `call` the form that has these. Operands are the inputs in
// their order (a generator of random numbers is none) and, after them, the
// attributes that the operator does not name. The variables of a list are its
// elements'. `operands` and `results` count what these hold. The form refers to
// `op`.
//
// ArgumentError for operands that the operator lacks.
absl::Status NameSlots(const phi::OpInfo& info, CountFunction operands,
                       CountFunction results, ForeignOperator* op,
                       JsonForm* call);

// Returns which of our outputs the result of that number is, -1 for none; and
// which operand our input is, -1 for none.
int ResultOf(const phi::OpInfo& info, const ForeignOperator& op, size_t result);
int OperandOf(const phi::OpInfo& info, const ForeignOperator& op, int input);

// Returns what `program` says of the only result of `op`, whose facts `find`
// gives (null for none); nullopt where there is another number of results, or
// it is no tensor.
std::optional<TensorSpec> SpecOfResult(
    const ForeignOperator& op, const ForeignProgram& program,
    absl::FunctionRef<const VariableFacts*(const std::string&)> find);

// Returns the seed that a random operator has of its own.
std::optional<int64_t> SeedOf(const ForeignOperator& op);

// Returns the value of an attribute that an operator must have, as one of
// `type`.
absl::StatusOr<Attribute> AttributeOf(const ForeignOperator& op,
                                      std::string_view name, AttrType type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_
