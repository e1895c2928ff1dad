// SPDX-License-Identifier: Apache-2.0
// Context: the owner of uniqued types and attributes and of op definitions.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_
#define SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "static_graph/ir/attribute.h"
#include "static_graph/ir/op_definition.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

// The options of a Context.
struct ContextOptions {
  // Names that no dialect registered get a definition without traits instead
  // of an error: for tools that read any program.
  bool allow_unknown_ops = false;
};

// Owns the uniqued types and attributes of any number of programs and the op
// definitions that they use. It is no singleton: a program's builder makes one,
// registers dialects with it, and keeps it alive longer than every program,
// type and attribute made from it. What it hands out never moves.
//
// Thread safety: as a standard container. Many threads may read programs of one
// Context at once, but only one may build or change them.
class Context {
 public:
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  TensorType GetTensorType(const TensorSpec& spec);
  // Returns the type of a dense, strided tensor.
  TensorType GetTensorType(DataType dtype, const Shape& shape);

  // Returns an attribute of operators; copies what `value` refers to. All NaNs
  // of one width are one attribute; 0.0 and -0.0 are two.
  Attribute GetAttribute(AttrRef value);
  Attribute GetString(std::string_view text) { return GetAttribute(text); }
  Attribute GetStrings(absl::Span<const std::string> texts);
  Attribute GetSymbol(std::string_view name);
  // Returns a constant with the given bytes, row-major. ArgumentError unless
  // `type` is dense and strided, of known shape, and `bytes` as long as it says
  // (bools: 0 or 1).
  absl::StatusOr<Attribute> GetConstant(TensorType type,
                                        std::string_view bytes);

  // Makes operations of this name possible. AlreadyExistsError if the name is
  // taken, InvalidArgumentError unless it reads "dialect.name".
  absl::Status RegisterOp(OpDefinition definition);
  // Returns null if nobody registered the name.
  const OpDefinition* FindOp(std::string_view name) const;
  // Returns what FindOp() finds, or a stand-in where unknown operations are
  // allowed; NotFoundError otherwise.
  absl::StatusOr<const OpDefinition*> GetOp(std::string_view name);
  // Returns all registered definitions, sorted by name.
  std::vector<const OpDefinition*> RegisteredOps() const;

 private:
  struct Tables;

  Attribute Unique(AttributeKind kind, TensorType type, std::string bytes);

  ContextOptions options_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_
