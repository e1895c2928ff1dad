// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program description or an error. A description is sound
// again after it was written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "static_graph/translate/parsed_program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto program = static_graph::ParseProgramDesc(std::string(bytes));
  if (!program.ok()) {
    if (program.status().message().empty()) __builtin_trap();
    return 0;
  }
  switchyard::translate::ProgramDesc written;
  for (const auto& block : (*program)->blocks()) {
    auto* const copy = written.add_blocks();
    copy->set_idx(written.blocks_size() - 1);
    copy->set_parent_idx(copy->idx() == 0 ? -1 : 0);
    for (const auto& variable : block.vars()) {
      static_graph::SpecOfVariable(variable).IgnoreError();
      *copy->add_vars() = variable;
    }
    for (int i = 0; i < block.ops_size(); ++i) {
      *copy->add_ops() = block.ops(i);
      if (block.TypeOf(i) != block.ops(i).type()) __builtin_trap();
    }
  }
  const auto again =
      static_graph::ParseProgramDesc(written.SerializeAsString());
  if (!again.ok()) __builtin_trap();
  return 0;
}
