// SPDX-License-Identifier: Apache-2.0
// OnnxCall: one operator of an ONNX model that becomes calls of ours. Lowerings
// (static_graph/translate/onnx/lowerings.h) read the node and add their calls
// through it. Constants, casts, reshapes and extents are onnx_values.h's.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_CALL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/scalar.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/onnx/onnx_node.h"
#include "static_graph/translate/onnx/onnx_translation.h"

namespace switchyard::static_graph {

// An argument of a call of ours: a value, several for an operator that takes a
// list, or none for an optional one that is absent.
struct OnnxArgument {
  OnnxArgument(ir::Value value) : values({value}) {}  // NOLINT: implicit
  OnnxArgument(std::vector<ir::Value> list)           // NOLINT: implicit
      : values(std::move(list)) {}

  std::vector<ir::Value> values;
};

// An attribute of a call of ours, by its name: known, or supplied by values.
struct OnnxAttribute {
  template <typename T,
            typename = std::enable_if_t<!std::is_convertible_v<T, ir::Value>>>
  OnnxAttribute(const char* name, T value)
      : name(name), known(AttrRef(value)) {}
  OnnxAttribute(const char* name, const std::vector<int64_t>& value)
      : name(name), known(AttrRef(absl::MakeConstSpan(value))) {}
  OnnxAttribute(const char* name, const std::string& value)
      : name(name), known(AttrRef(std::string_view(value))) {}
  OnnxAttribute(const char* name, ir::Value value)
      : name(name), supplied({value}) {}
  OnnxAttribute(const char* name, std::vector<ir::Value> values)
      : name(name), supplied(std::move(values)) {}

  const char* name;
  Attribute known;
  std::vector<ir::Value> supplied;  // Empty: it is known.
};

using OnnxArguments = std::vector<OnnxArgument>;
using OnnxAttributes = std::vector<OnnxAttribute>;

// The first problem ends a lowering: later calls do nothing and return null
// values, so that a lowering reads as the arithmetic that it is. Check ok()
// before looping over values that may be null.
class OnnxCall : public OnnxNode {
 public:
  // All outlive it.
  OnnxCall(const ForeignOperator& op, int64_t version, ir::Builder& builder,
           OnnxScope* scope, OnnxTranslation* translation)
      : OnnxNode(op, version),
        builder_(builder),
        scope_(*scope),
        translation_(*translation) {}

  ir::Builder& builder() { return builder_; }
  OnnxScope& scope() { return scope_; }
  OnnxTranslation& translation() { return translation_; }

  // The problems.
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  void Fail(absl::Status status);
  // Unimplemented: "<sentence>".
  void Refuse(std::string_view sentence);
  // Returns a result, or its default after Fail() with its error.
  template <typename T>
  T Checked(absl::StatusOr<T> result) {
    if (result.ok()) return *std::move(result);
    Fail(result.status());
    return T();
  }

  // Inputs and outputs.
  // Fails for an input that is left out or holds nothing.
  ir::Value In(int input);
  std::vector<ir::Value> AllInputs();
  // An output that is left out is not set.
  void Out(int output, ir::Value value);

  // Return the elements that are known before the program runs: a constant's,
  // and a weight's that the model holds. Nothing for others.
  std::optional<Integers> KnownIntegers(ir::Value value);
  std::optional<std::vector<double>> KnownNumbers(ir::Value value);
  // Returns the integers of an attribute of old versions or an input of new
  // ones; nothing if there is neither. Fails where the input is not known.
  std::optional<Integers> AttrOrInput(std::string_view name, int input);
  // Returns an attribute of ours that is an attribute of theirs in old
  // versions, an input in new ones: known if it is, else supplied. `none` where
  // there is neither.
  OnnxAttribute Supplied(const char* ours, std::string_view name, int input,
                         const Integers& none = {});
  // Fails unless all extents are known.
  Integers Extents(ir::Value value);

  // Returns the axis from the front. Fails for one that is out of range.
  int Axis(int64_t axis, int rank);

  // Calls of ours: the first result, and all of them, lists one after another.
  ir::Value Call(std::string_view name, const OnnxArguments& arguments,
                 const OnnxAttributes& attributes = {});
  std::vector<ir::Value> CallAll(std::string_view name,
                                 const OnnxArguments& arguments,
                                 const OnnxAttributes& attributes = {});

  // Returns a constant of the elements `bytes`.
  ir::Value Constant(DataType dtype, const Shape& shape,
                     std::string_view bytes);

 private:
  ir::Builder& builder_;
  OnnxScope& scope_;
  OnnxTranslation& translation_;
  absl::Status status_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_CALL_H_
