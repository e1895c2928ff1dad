// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program description or an error. A description is sound
// again after it was written, and an operator is read as protobuf reads it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_desc/testing.h"

namespace {

using switchyard::static_graph::ForeignOperator;

// Returns whether an operator equals its message, except for the values.
bool Agree(const ForeignOperator& op,
           const switchyard::translate::OpDesc& message) {
  bool same = op.type == message.type() &&
              op.inputs.size() == size_t(message.inputs_size()) &&
              op.outputs.size() == size_t(message.outputs_size()) &&
              op.attrs.size() == size_t(message.attrs_size());
  for (int i = 0; same && i < message.inputs_size(); ++i) {
    same = op.inputs[i].name == message.inputs(i).parameter() &&
           op.inputs[i].count() == message.inputs(i).arguments_size();
  }
  for (int i = 0; same && i < message.attrs_size(); ++i) {
    same = op.attrs[i].name == message.attrs(i).name() &&
           op.attrs[i].written_kind == message.attrs(i).type();
  }
  return same;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto program = static_graph::ParseProgramDesc(std::string(bytes));
  if (!program.ok()) {
    if (program.status().message().empty()) __builtin_trap();
    return 0;
  }
  const switchyard::translate::ProgramDesc written =
      static_graph::AsMessage(**program);
  for (int b = 0; b < (*program)->blocks_size(); ++b) {
    const static_graph::ParsedBlock& block = (*program)->blocks(b);
    for (int i = 0; i < block.vars_size(); ++i) {
      (*program)->SpecOf(block.facts(i)).IgnoreError();
    }
    for (int i = 0; i < block.ops_size(); ++i) {
      const ForeignOperator op = block.ops(i);
      if (block.TypeOf(i) != op.type) __builtin_trap();
      if (!Agree(op, written.blocks(b).ops(i))) __builtin_trap();
      for (const static_graph::ForeignAttr& attr : op.attrs) {
        attr.Value().IgnoreError();
      }
    }
  }
  const auto again =
      static_graph::ParseProgramDesc(written.SerializeAsString());
  if (!again.ok()) __builtin_trap();
  return 0;
}
