// SPDX-License-Identifier: Apache-2.0
// DialectOp: the static graph's facts of one operator, as constant data.
// ops_gen emits one for each YAML entry (`dialect_softmax` in
// //static_graph/dialect:softmax); RegisterDialects (register_dialects.h) makes
// the IR operation `op.softmax` of it, BuildOp (build_op.h) creates one,
// autodiff and lowering read it. It is not the operator's description itself:
// that is phi/core/op_info.h, which the eager executor shares.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_DIALECT_OP_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_DIALECT_OP_H_

#include <array>
#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "framework/types/attribute.h"
#include "phi/core/arg_list.h"
#include "phi/core/grad_info.h"
#include "phi/core/op_info.h"

namespace switchyard::static_graph {

namespace ir {
class Builder;  // static_graph/ir/builder.h
class Value;    // static_graph/ir/value.h
}  // namespace ir

// The values that a call takes; an absent optional one is null.
using InputValues = phi::ArgList<const ir::Value>;

// The arguments of a composite. An absent input is a null value; outputs are
// null where not wanted.
using CompositeArgs = phi::OpArgs<ir::Value, ir::Value* const>;

// Writes a call out as other operators, at the builder's insertion point: runs
// the operator's body of phi/composite (composite_ops.h). Errors are not yet
// annotated with the operator's name.
using CompositeBuilder = absl::Status (*)(ir::Builder& builder,
                                          const CompositeArgs& args);

// Facts of an operator that only passes ask for, as traits of the operations
// op.<name> and kernel.<name> (op_traits.h); the others are phi::Trait's.
// `traits:` in YAML.
enum class DialectTrait : uint32_t {
  kIdentity = 1u << 0,
  kSameSize = 1u << 1,
  kPermutes = 1u << 2,
  kFilled = 1u << 3,
};

// Returns the traits as bits.
constexpr uint32_t DialectTraits(std::initializer_list<DialectTrait> traits) {
  uint32_t bits = 0;
  for (DialectTrait trait : traits) bits |= static_cast<uint32_t>(trait);
  return bits;
}

// One change that makes a saved call of the version before `to` one of version
// `to`. `upgrades:` in YAML; op_upgrades.h applies it.
struct OpUpgrade {
  enum class Kind : uint8_t {
    kAddAttr,      // Has `value` in older programs.
    kConvertAttr,  // Had a narrower type.
    kAddInput,     // Is absent in older programs, ...
    kAddOutput,    // ... and so is this.
    kJoinPostOps,  // Was three attributes: a function's name and its numbers.
  };
  int32_t to;
  Kind kind;
  const char* name;  // Of the attribute, input or output, as it is today.
  AttrRef value = {};
  std::array<const char*, 3> joined = {};  // Those three.
};

// Aggregate; generated code initialises the members in this order.
struct DialectOp {
  const phi::OpInfo* info;
  // Null: the operator has no gradient.
  const phi::GradInfo* grad = nullptr;
  // The operator that `grad->backward` describes; null without gradient.
  const DialectOp* backward = nullptr;
  // Null: the entry has no `composite:`.
  CompositeBuilder composite = nullptr;
  // The entry has no `kernel:`: each call must be written out by `composite`
  // before it is lowered.
  bool composite_only = false;
  uint32_t traits = 0;                        // DialectTraits().
  absl::Span<const OpUpgrade> upgrades = {};  // By version.

  constexpr bool has(DialectTrait trait) const {
    return (traits & static_cast<uint32_t>(trait)) != 0;
  }
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_DIALECT_OP_H_
