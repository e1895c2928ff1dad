// SPDX-License-Identifier: Apache-2.0
// NamedCall: an operation read as a call, with its attributes by name. What
// reads patterns of operators (conv_patterns.h, activation_patterns.h) uses it.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_NAMED_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_NAMED_CALL_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// An operation of the dialect `op` as a call; no call at all for any other, for
// one that shall run on a place of its own, and for one with attributes that
// values supply. Valid while the operation is not changed.
class NamedCall {
 public:
  explicit NamedCall(const ir::Operation& op) {
    if (IsCall(op)) Read(op);
  }
  // No call for operators of other names either: their calls aren't even read.
  NamedCall(const ir::Operation& op,
            std::initializer_list<std::string_view> names) {
    if (!IsCall(op)) return;
    const std::string_view name = op.name().substr(kOpPrefix.size());
    if (std::find(names.begin(), names.end(), name) != names.end()) Read(op);
  }
  bool known() const { return call_.op != nullptr; }
  // Returns true for a call of the operator `name`.
  bool Is(std::string_view name) const {
    return known() && call_.op->info->name == name;
  }
  // Return arguments that are no lists; null where absent or not wanted.
  ir::Value input(int i) const { return call_.inputs.one(i); }
  ir::Value output(int i) const { return call_.outputs.one(i); }
  // Returns an attribute that the operator has.
  template <typename T>
  T Get(std::string_view name) const {
    size_t i = 0;
    while (call_.op->info->attrs[i].name != name) ++i;
    return call_.attrs[i].Get<T>();
  }

 private:
  static bool IsCall(const ir::Operation& op) {
    return op.name().substr(0, kOpPrefix.size()) == kOpPrefix &&
           FindDialectOp(op) != nullptr;
  }
  void Read(const ir::Operation& op) {
    if (op.attribute(kOpDeviceAttr)) return;
    absl::StatusOr<OpCall> call = ReadCall(op);
    if (call.ok() && call->supplied.empty()) call_ = *std::move(call);
  }

  OpCall call_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_NAMED_CALL_H_
