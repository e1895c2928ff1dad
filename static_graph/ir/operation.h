// SPDX-License-Identifier: Apache-2.0
// Operation: one step of a program. To create and insert one in one call, use
// Builder (builder.h).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_OPERATION_H_
#define SWITCHYARD_STATIC_GRAPH_IR_OPERATION_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/ir/attribute.h"
#include "static_graph/ir/location.h"
#include "static_graph/ir/op_definition.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph::ir {

class Block;
class Context;
class Region;

// An attribute of an operation, under its name.
struct NamedAttribute {
  Attribute name;  // A kString.
  Attribute value;

  friend bool operator==(const NamedAttribute& a, const NamedAttribute& b) {
    return a.name == b.name && a.value == b.value;
  }
  template <typename H>
  friend H AbslHashValue(H state, const NamedAttribute& a) {
    return H::combine(std::move(state), a.name, a.value);
  }
};

// Holds everything that an operation is created from.
struct OperationState {
  const OpDefinition* definition = nullptr;
  std::vector<Value> operands;  // None null.
  std::vector<Type> results;
  std::vector<NamedAttribute> attributes;  // Any order; names differ.
  int regions = 0;
  Location location;
};

// One step of a program: a definition, operands, results, attributes and, for
// control flow, regions. Its dialect decides what the step means.
//
// An operation is one heap allocation (only the list of attributes is apart):
//
// clang-format off
//   | result n-1 | ... | result 0 | Operation | operand 0 | ... | region 0 | ... |
//                                 ^ Operation*
// clang-format on
//
// so a result finds its operation, and an operand its position, by address
// alone; the numbers of results, operands and regions are fixed when it is
// created. Results are values (value.h); an operand is a link in the use list
// of the value that it uses; a region (block.h) holds one block.
//
// A new operation is detached. Inserted into a block, it belongs to the block
// and dies with it, or by Erase(). Destruction is iterative: a program may be a
// hundred thousand operations long.
class Operation {
 public:
  // Returns a detached operation with empty regions; the caller owns it.
  static Operation* Create(const OperationState& state);

  // Frees a detached operation and all inside it; no use of its results may be
  // left outside.
  void Destroy();
  // Takes it out of its block and frees it; its results must have no uses.
  void Erase();
  // Takes it out of its block; it is then detached.
  void Remove();
  // Moves it to stand right before `other`, in whichever block that is.
  void MoveBefore(Operation* other);

  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const OpDefinition& definition() const { return *definition_; }
  // Makes it an operation of another name; its operands, results, attributes
  // and regions stay, and so its results stay the same values.
  void SetDefinition(const OpDefinition* definition) {
    definition_ = definition;
  }
  std::string_view name() const { return definition_->name; }
  // Asks for a trait or an interface of the definition.
  template <typename T>
  bool has() const {
    return definition_->has<T>();
  }
  template <typename I>
  const I* interface() const {
    return definition_->interface<I>();
  }

  // Returns the bytes that it takes, without what is in its regions.
  size_t size() const;

  // Returns where it comes from; null if nobody said.
  Location location() const { return location_; }
  void SetLocation(Location location) { location_ = location; }

  // ---- Operands ----
  int num_operands() const { return static_cast<int>(num_operands_); }
  Value operand(int i) const { return use(i).value(); }
  OpOperand& use(int i) const { return operand_array()[i]; }
  void SetOperand(int i, Value value) { use(i).Set(value); }
  std::vector<Value> operands() const;

  // ---- Results ----
  int num_results() const { return static_cast<int>(num_results_); }
  Value result(int i) const;
  std::vector<Value> results() const;
  // Returns true if no result has a use.
  bool unused() const;

  // ---- Attributes, sorted by name ----
  absl::Span<const NamedAttribute> attributes() const { return attributes_; }
  // Returns null if there is no attribute of this name.
  Attribute attribute(std::string_view name) const;
  // Adds an attribute, or replaces one of the same name. `name` is a kString.
  void SetAttribute(Attribute name, Attribute value);
  void RemoveAttribute(std::string_view name);

  // ---- Regions ----
  int num_regions() const { return static_cast<int>(num_regions_); }
  Region& region(int i) const;
  // Returns the block of region i.
  Block& block(int i) const;

  // Returns the block that it is in; null if it is detached.
  Block* parent() const { return parent_; }
  // Returns the operation around it; null at the top and if detached.
  Operation* parent_op() const;
  // Return its neighbours in the block; null at the ends.
  Operation* previous() const { return previous_; }
  Operation* next() const { return next_; }
  // Returns true if this is `other` or `other` stands (however deep) inside it.
  bool IsAncestorOf(const Operation* other) const;

 private:
  friend class Block;
  friend class OpOperand;

  explicit Operation(const OperationState& state);
  ~Operation();
  OpOperand* operand_array() const;
  Region* region_array() const;
  void DropOperands();
  void Free();

  const OpDefinition* definition_;
  Location location_;
  std::vector<NamedAttribute> attributes_;
  Block* parent_ = nullptr;
  Operation* previous_ = nullptr;
  Operation* next_ = nullptr;
  uint32_t num_results_;
  uint32_t num_operands_;
  uint32_t num_regions_;
};

// The deleter of OperationPtr.
struct DestroyOperation {
  void operator()(Operation* op) const { op->Destroy(); }
};
// Owns a detached operation until it is inserted: OperationPtr::release().
using OperationPtr = std::unique_ptr<Operation, DestroyOperation>;

// Returns true if the definition says pure, and so does that of every operation
// inside except terminators: it may be removed if unused.
bool IsPure(const Operation& op);

// Returns whose memory a result has, as its AliasInterface says; -1 twice if it
// has none.
ResultAlias GetAlias(const Operation& op, int result);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_OPERATION_H_
