// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translation.h"

#include <algorithm>

namespace switchyard::static_graph {

Translation::Translation(const ForeignProgram& program,
                         absl::Span<const std::string> fetches,
                         absl::Span<const std::string> counting,
                         const ProgramRole& role, ir::Program* into)
    : program(program),
      json(program.vocabulary() == Vocabulary::kPaddleJson),
      role(role),
      into(into),
      budget(*into->context(), program.file_size(), program.held()),
      ports(into, &budget),
      shared(program, fetches, &budget),
      random(into),
      counting(counting),
      mapped(program) {
  int64_t operators = 0;
  for (int i = 0; i < program.blocks_size(); ++i) {
    operators += program.blocks(i).ops_size();
  }
  operators_left = LoadBudget::MaxTranslated(operators);
}

bool Translation::Counts(std::string_view attribute) const {
  return std::find(counting.begin(), counting.end(), attribute) !=
         counting.end();
}

}  // namespace switchyard::static_graph
