// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translation.h"

namespace switchyard::static_graph {
namespace {

// Each level of loops takes two or three times as many as it has operators.
constexpr int64_t kMaxTimes = 256;

}  // namespace

Translation::Translation(const ParsedProgram& program,
                         absl::Span<const std::string> fetches,
                         ir::Program* into)
    : program(program),
      into(into),
      shared(program, fetches),
      random(into),
      mapped(program) {
  int64_t operators = 0;
  for (const ParsedBlock& block : program.blocks()) {
    operators += block.ops_size();
  }
  operators_left = operators * kMaxTimes;
}

}  // namespace switchyard::static_graph
