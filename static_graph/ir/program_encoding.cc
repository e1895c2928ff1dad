// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/program_encoding.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/encoding.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph::ir {
namespace {

class ProgramEncoder {
 public:
  std::string Encode(const Program& program) {
    encoder_.Text(program.name());
    Write(program.entry());
    return encoder_.Finish();
  }

 private:
  // The recursion is as deep as regions are nested, which the verifier bounds.
  void Write(const Block& block) {
    encoder_.U32(static_cast<uint32_t>(block.num_arguments()));
    for (Value argument : block.arguments()) {
      Define(argument);
      encoder_.U32(static_cast<uint32_t>(argument.role()));
      encoder_.Write(argument.argument_name_attribute());
    }
    encoder_.U32(static_cast<uint32_t>(block.size()));
    for (const Operation* op : block) Write(*op);
  }

  void Write(const Operation& op) {
    encoder_.Name(op.name());
    encoder_.Write(op.location());
    encoder_.U32(static_cast<uint32_t>(op.num_operands()));
    for (Value operand : op.operands()) encoder_.U32(numbers_.at(operand));
    encoder_.U32(static_cast<uint32_t>(op.attributes().size()));
    for (const NamedAttribute& attribute : op.attributes()) {
      encoder_.Write(attribute.name);
      encoder_.Write(attribute.value);
    }
    encoder_.U32(static_cast<uint32_t>(op.num_regions()));
    for (int i = 0; i < op.num_regions(); ++i) Write(op.block(i));
    encoder_.U32(static_cast<uint32_t>(op.num_results()));
    for (Value result : op.results()) Define(result);
  }

  // Values are numbered in the order in which they are written.
  void Define(Value value) {
    encoder_.Write(value.type());
    encoder_.Write(value.hint_attribute());
    numbers_.emplace(value, static_cast<uint32_t>(numbers_.size()));
  }

  Encoder encoder_;
  PooledMap<Value, uint32_t> numbers_;
};

class ProgramDecoder {
 public:
  ProgramDecoder(Context* context, std::string_view bytes)
      : context_(context), decoder_(context, bytes) {}

  absl::StatusOr<Program> Decode() {
    SY_RETURN_IF_ERROR(decoder_.ReadTable());
    Program program(context_, decoder_.Text());
    SY_RETURN_IF_ERROR(ReadBlock(program.entry(), 1));
    if (!decoder_.ok() || !decoder_.at_end()) return Malformed();
    return program;
  }

 private:
  struct ValueHead {
    Type type;
    Attribute hint;
  };

  absl::Status Malformed() const { return decoder_.Malformed("the program"); }

  absl::StatusOr<ValueHead> ReadHead() {
    ValueHead head;
    head.type = decoder_.ReadType();
    head.hint = decoder_.ReadAttribute();
    if (!head.type || (head.hint && !IsString(head.hint))) return Malformed();
    return head;
  }

  static bool IsString(Attribute attribute) {
    return attribute && attribute.As<std::string_view>().has_value();
  }

  absl::Status ReadBlock(Block& block, int depth) {
    if (depth > kMaxRegionDepth + 1) return Malformed();
    const uint32_t arguments = decoder_.U32();
    for (uint32_t i = 0; i < arguments; ++i) {
      SY_RETURN_IF_ERROR(ReadArgument(block));
    }
    const uint32_t operations = decoder_.U32();
    for (uint32_t i = 0; i < operations; ++i) {
      SY_RETURN_IF_ERROR(ReadOperation(block, depth));
    }
    return decoder_.ok() ? absl::OkStatus() : Malformed();
  }

  absl::Status ReadArgument(Block& block) {
    SY_ASSIGN_OR_RETURN(const ValueHead head, ReadHead());
    const uint32_t role = decoder_.U32();
    const Attribute name = decoder_.ReadAttribute();
    const bool named = role != static_cast<uint32_t>(ArgumentRole::kNone);
    if (!decoder_.ok() || role > static_cast<uint32_t>(ArgumentRole::kState) ||
        (named ? !IsString(name) : static_cast<bool>(name))) {
      return Malformed();
    }
    Value argument =
        block.AddArgument(head.type, static_cast<ArgumentRole>(role), name);
    argument.SetHint(head.hint);
    values_.push_back(argument);
    return absl::OkStatus();
  }

  absl::Status ReadOperation(Block& block, int depth) {
    OperationState state;
    const std::string_view name = decoder_.ReadName();
    state.location = decoder_.ReadLocation();
    if (!decoder_.ok()) return Malformed();
    const auto definition = context_->GetOp(name);
    if (!definition.ok()) {
      return absl::NotFoundError(absl::StrCat(
          "encoded program: ", std::string(definition.status().message())));
    }
    state.definition = *definition;
    SY_RETURN_IF_ERROR(ReadOperands(&state));
    SY_RETURN_IF_ERROR(ReadAttributes(&state));
    SY_ASSIGN_OR_RETURN(const std::vector<OperationPtr> regions,
                        ReadRegions(depth));
    state.regions = static_cast<int>(regions.size());
    std::vector<Attribute> hints;
    const uint32_t results = decoder_.U32();
    for (uint32_t i = 0; i < results; ++i) {
      SY_ASSIGN_OR_RETURN(const ValueHead head, ReadHead());
      state.results.push_back(head.type);
      hints.push_back(head.hint);
    }
    if (!decoder_.ok()) return Malformed();
    Operation* op = Operation::Create(state);
    block.push_back(op);
    for (size_t i = 0; i < regions.size(); ++i) {
      op->block(static_cast<int>(i)).TakeBody(regions[i]->block(0));
    }
    for (size_t i = 0; i < hints.size(); ++i) {
      values_.push_back(op->result(static_cast<int>(i)));
      values_.back().SetHint(hints[i]);
    }
    return absl::OkStatus();
  }

  absl::Status ReadOperands(OperationState* state) {
    const uint32_t count = decoder_.U32();
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t number = decoder_.U32();
      if (!decoder_.ok() || number >= values_.size()) return Malformed();
      state->operands.push_back(values_[number]);
    }
    return absl::OkStatus();
  }

  absl::Status ReadAttributes(OperationState* state) {
    const uint32_t count = decoder_.U32();
    HashSet<Attribute> names;
    for (uint32_t i = 0; i < count; ++i) {
      const Attribute name = decoder_.ReadAttribute();
      const Attribute value = decoder_.ReadAttribute();
      if (!decoder_.ok() || !IsString(name) || !value ||
          !names.insert(name).second) {
        return Malformed();
      }
      state->attributes.push_back({name, value});
    }
    return absl::OkStatus();
  }

  // Detached operations, each of which holds a region until its owner exists.
  absl::StatusOr<std::vector<OperationPtr>> ReadRegions(int depth) {
    std::vector<OperationPtr> regions;
    const uint32_t count = decoder_.U32();
    for (uint32_t i = 0; i < count; ++i) {
      OperationState state;
      state.definition = context_->FindOp(kProgramOp);
      state.regions = 1;
      regions.emplace_back(Operation::Create(state));
      SY_RETURN_IF_ERROR(ReadBlock(regions.back()->block(0), depth + 1));
    }
    return regions;
  }

  Context* context_;
  Decoder decoder_;
  std::vector<Value> values_;  // By number.
};

}  // namespace

std::string EncodeProgram(const Program& program) {
  return ProgramEncoder().Encode(program);
}

absl::StatusOr<Program> DecodeProgram(Context* context,
                                      std::string_view bytes) {
  RegisterBuiltinDialect(context);
  return ProgramDecoder(context, bytes).Decode();
}

}  // namespace switchyard::static_graph::ir
