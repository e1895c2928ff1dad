// SPDX-License-Identifier: Apache-2.0
// OnnxTranslation: the state of the translation of one ONNX model, and
// OnnxScope: the values of a graph's names.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/ir/attribute.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"
#include "static_graph/ir/program.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// Runs an operation on constants: one kConstant attribute for each operand, in
// order; returns one for each result. The loader supplies it
// (static_graph/program/fold_operation.h), for translators run no operator.
using FoldConstants = std::function<absl::StatusOr<std::vector<ir::Attribute>>(
    const ir::Operation& op, absl::Span<const ir::Attribute> operands)>;

// The names that a graph, or the body of a function, has written so far. Each
// is written once. A graph inside another sees the names of that one; the body
// of a function sees its own, and the attributes of its call.
class OnnxScope {
 public:
  // That of the model's graph.
  OnnxScope() = default;
  // That of a graph inside another one.
  explicit OnnxScope(const OnnxScope* around) : around_(around) {}
  // That of the body of a function.
  OnnxScope(const ForeignOperator* call, const OnnxBlock* body)
      : call_(call), body_(body) {}
  // All outlive the scope.

  // Returns the value of a name; null for one that was not written.
  ir::Value Get(const std::string& name) const;
  // ArgumentError for a name that this graph wrote already.
  absl::Status Set(const std::string& name, ir::Value value);
  // Returns whether the names of the model's graph are seen from here.
  bool in_model() const { return outermost().call_ == nullptr; }

  // Inputs of a function that its call leaves out.
  void SetAbsent(const std::string& name) { absent_.insert(name); }
  bool IsAbsent(const std::string& name) const {
    return Contains(outermost().absent_, name);
  }
  // Reads an attribute that the call of the function has, or its default.
  // Returns false if there is neither.
  bool AttributeOfCall(const std::string& name, ForeignAttr* attr) const;

 private:
  const OnnxScope& outermost() const {
    return around_ == nullptr ? *this : around_->outermost();
  }

  const OnnxScope* around_ = nullptr;
  const ForeignOperator* call_ = nullptr;
  const OnnxBlock* body_ = nullptr;
  HashMap<std::string, ir::Value> values_;
  HashSet<std::string> absent_;
};

// The translation of one model.
struct OnnxTranslation {
  // Both outlive it.
  OnnxTranslation(const OnnxProgram& model, ir::Program* into)
      : model(model),
        into(into),
        budget(*into->context(), model.file_size(), model.held()) {}

  // Returns the value of a name: a node's result, or a tensor of the model's
  // graph. A weight becomes a state when it is first read; a short list of
  // integers is a constant, since it says extents and axes. ArgumentError for a
  // name that has no value.
  absl::StatusOr<ir::Value> Read(ir::Builder& builder, const OnnxScope& scope,
                                 const std::string& name);

  const OnnxProgram& model;
  ir::Program* into;
  LoadBudget budget;
  FoldConstants fold;  // Null: nothing is folded.
  std::vector<StateVariable> states;
  HashMap<std::string, ir::Value> tensors;  // Of the model's graph.
  int functions = 0;  // That are being translated, one inside the other.
  // How many more operators may be translated.
  int64_t operators_left = 0;
  // The state of random operators without a seed; null until one is there.
  ir::Value rng;
  int64_t streams = 0;

 private:
  absl::StatusOr<ir::Value> ReadTensor(ir::Builder& builder,
                                       const std::string& name, int number);
};

// Returns the tensor as a constant at the insertion point.
absl::StatusOr<ir::Value> BuildConstant(ir::Builder& builder,
                                        const DenseTensor& tensor);

// Builds the constant of a variable of the model that holds a tensor, or texts.
absl::StatusOr<ir::Value> BuildHeld(ir::Builder& builder,
                                    const OnnxProgram& model,
                                    const VariableFacts& facts);

// Builds an operation whose result are these texts: an attribute of it holds
// them. Unimplemented where the context lacks the operator for it.
absl::StatusOr<ir::Value> BuildTexts(ir::Builder& builder,
                                     const OnnxTexts& texts);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATION_H_
