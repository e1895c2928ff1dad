// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/verifier.h"

#include <algorithm>
#include <string>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/identifier.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr size_t kMaxLine = 200;
constexpr int kNeighbours = 2;

// The first line of an operation's text, marked if it is the one at fault.
std::string Line(const Operation& op, bool fault) {
  std::string text = Print(op);
  text = text.substr(0, std::min(text.find('\n'), kMaxLine));
  return (fault ? "\n> " : "\n  ") + text;
}

// "<op>: <message> (at <location>)", then the operation between its
// neighbours.
absl::Status ErrorIn(const Operation& op, std::string_view message) {
  std::string text = std::string(op.name()) + ": " + std::string(message);
  if (op.location()) {
    text += " (at " + ToString(op.location().spec()) + ")";
  }
  const Operation* first = &op;
  for (int i = 0; i < kNeighbours && first->previous() != nullptr; ++i) {
    first = first->previous();
  }
  int left = kNeighbours;
  for (; first != &op; first = first->next()) text += Line(*first, false);
  text += Line(op, true);
  for (const Operation* next = op.next(); next != nullptr && left > 0; --left) {
    text += Line(*next, false);
    next = next->next();
  }
  return absl::InvalidArgumentError(text);
}

absl::Status ErrorIn(const Operation& op, const absl::Status& status) {
  return ErrorIn(
      op, std::string_view(status.message().data(), status.message().size()));
}

int DepthOf(const Operation& op) {
  int depth = 0;
  for (const Operation* at = &op; at != nullptr; at = at->parent_op()) {
    if (++depth > kMaxRegionDepth + 1) break;
  }
  return depth - 1;
}

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), all_(AllOperations(program.entry())) {}

  absl::Status Run() {
    defined_.reserve(all_.size() + program_.entry().num_arguments());
    SY_RETURN_IF_ERROR(VerifyEntryArguments());
    SY_RETURN_IF_ERROR(VerifyBlock(*program_.op(), program_.entry()));
    for (const Operation* op : all_) SY_RETURN_IF_ERROR(VerifyOp(*op));
    return VerifyReturn();
  }

 private:
  absl::Status VerifyEntryArguments();
  absl::Status VerifyBlock(const Operation& owner, const Block& block);
  absl::Status VerifyOp(const Operation& op);
  absl::Status VerifyOperand(const OpOperand& use);
  // The value has a type, and all its uses are in the program.
  absl::Status VerifyValue(const Operation& op, Value value);
  absl::Status VerifyReturn();

  const Program& program_;
  const std::vector<Operation*> all_;
  PooledSet<Value> defined_;
};

absl::Status Verifier::VerifyEntryArguments() {
  PooledSet<std::string_view> names;
  for (Value argument : program_.entry().arguments()) {
    if (argument.role() == ArgumentRole::kNone) {
      return ErrorIn(*program_.op(), "argument " +
                                         std::to_string(argument.index()) +
                                         " must be a feed or a state");
    }
    const std::string_view name = argument.argument_name();
    if (!names.insert(name).second) {
      return ErrorIn(
          *program_.op(),
          "arguments must have different names, got " + Quote(name) + " twice");
    }
  }
  return absl::OkStatus();
}

absl::Status Verifier::VerifyBlock(const Operation& owner, const Block& block) {
  if (block.terminator() == nullptr) {
    return ErrorIn(block.empty() ? owner : *block.back(),
                   "the block must end with a terminator");
  }
  for (Value argument : block.arguments()) {
    const bool inner = &block != &program_.entry();
    if (inner && argument.role() != ArgumentRole::kNone) {
      return ErrorIn(owner,
                     "only the program's arguments may be feeds or "
                     "states, got one in an inner block");
    }
    SY_RETURN_IF_ERROR(VerifyValue(owner, argument));
    defined_.insert(argument);
  }
  return absl::OkStatus();
}

absl::Status Verifier::VerifyValue(const Operation& op, Value value) {
  if (!value.type()) return ErrorIn(op, "every value must have a type");
  for (const OpOperand& use : value.uses()) {
    if (!program_.op()->IsAncestorOf(use.owner())) {
      return ErrorIn(op,
                     "its values must be used in the program only, got a "
                     "use by " +
                         std::string(use.owner()->name()) + " outside");
    }
  }
  return absl::OkStatus();
}

absl::Status Verifier::VerifyOperand(const OpOperand& use) {
  const Operation& op = *use.owner();
  const auto error = [&](const char* text) {
    return ErrorIn(op, "operand " + std::to_string(use.index()) + text);
  };
  const Value value = use.value();
  if (!value) return error(" must be a value, got none");
  const Block* home = nullptr;
  if (Contains(defined_, value)) home = value.parent_block();
  // An operation's own regions come before its results.
  const Operation* definer = value.defining_op();
  const bool inside = definer != nullptr && definer->IsAncestorOf(&op);
  for (const Operation* at = &op; at != nullptr && !inside;
       at = at->parent_op()) {
    if (home != nullptr && at->parent() == home) return absl::OkStatus();
  }
  return error(
      " must be defined before it, in the same block or one around it");
}

absl::Status Verifier::VerifyOp(const Operation& op) {
  if (op.num_regions() > 0 && DepthOf(op) > kMaxRegionDepth) {
    return ErrorIn(op, "regions must be at most " +
                           std::to_string(kMaxRegionDepth) + " deep");
  }
  if (op.has<TerminatorTrait>() && op.next() != nullptr) {
    return ErrorIn(op, "a terminator must be the last operation of its block");
  }
  for (int i = 0; i < op.num_operands(); ++i) {
    SY_RETURN_IF_ERROR(VerifyOperand(op.use(i)));
  }
  for (int i = 0; i < op.num_results(); ++i) {
    SY_RETURN_IF_ERROR(VerifyValue(op, op.result(i)));
    defined_.insert(op.result(i));
  }
  for (int i = 0; i < op.num_regions(); ++i) {
    SY_RETURN_IF_ERROR(VerifyBlock(op, op.block(i)));
  }
  if (absl::Status status = VerifySegments(op); !status.ok()) {
    return ErrorIn(op, status);
  }
  if (op.definition().verify == nullptr) return absl::OkStatus();
  const absl::Status status = op.definition().verify(op);
  return status.ok() ? status : ErrorIn(op, status);
}

absl::Status Verifier::VerifyReturn() {
  const Operation* op = program_.return_op();
  if (op == nullptr) {
    return ErrorIn(*program_.entry().back(),
                   "the program must end with builtin.return");
  }
  const std::vector<NamedValue> fetches = program_.fetches();
  PooledSet<std::string_view> names;
  for (const NamedValue& fetch : fetches) {
    if (!names.insert(fetch.name).second) {
      return ErrorIn(*op, "fetches must have different names, got " +
                              Quote(fetch.name) + " twice");
    }
  }
  const std::vector<NamedValue> states = program_.new_states();
  names.clear();
  for (const NamedValue& next : states) {
    if (!names.insert(next.name).second) {
      return ErrorIn(*op, "states must have different names, got " +
                              Quote(next.name) + " twice");
    }
    const Value old = program_.FindArgument(ArgumentRole::kState, next.name);
    if (!old) {
      return ErrorIn(*op, "a new state must be that of an argument, got " +
                              Quote(next.name));
    }
    TensorSpec expected = old.tensor_type().spec();
    const TensorSpec& got = next.value.tensor_type().spec();
    const bool tensors = old.tensor_type() && next.value.tensor_type();
    const bool shapes_fit = MayEqual(expected.shape, got.shape);
    expected.shape = got.shape;
    const bool fits = tensors ? shapes_fit && expected == got
                              : old.type() == next.value.type();
    if (!fits) {
      return ErrorIn(*op, "state " + Quote(next.name) + " must be " +
                              ToString(old.type()) + ", got " +
                              ToString(next.value.type()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Verify(const Program& program) {
  const Operation& op = *program.op();
  // The entry block's owner is itself subject to its definition's rules.
  SY_RETURN_IF_ERROR(op.definition().verify(op));
  return Verifier(program).Run();
}

}  // namespace switchyard::static_graph::ir
