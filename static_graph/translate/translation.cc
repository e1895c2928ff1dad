// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translation.h"

namespace switchyard::static_graph {

Translation::Translation(const ForeignProgram& program,
                         absl::Span<const std::string> fetches,
                         absl::Span<const std::string> libraries,
                         const ProgramRole& role, ir::Program* into)
    : program(program),
      json(program.vocabulary() == Vocabulary::kPaddleJson),
      role(role),
      into(into),
      budget(*into->context(), program.file_size(), program.held()),
      ports(into, &budget),
      shared(program, fetches, &budget),
      random(into),
      libraries(libraries),
      mapped(program) {
  int64_t operators = 0;
  for (int i = 0; i < program.blocks_size(); ++i) {
    operators += program.blocks(i).ops_size();
  }
  operators_left = LoadBudget::MaxTranslated(operators);
}

}  // namespace switchyard::static_graph
