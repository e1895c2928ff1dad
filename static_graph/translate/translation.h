// SPDX-License-Identifier: Apache-2.0
// Translation: the state of the translation of one program, beside the values
// of its variables (static_graph/translate/variable_scope.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATION_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/ir/program.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/control/sub_blocks.h"
#include "static_graph/translate/json/json_call.h"
#include "static_graph/translate/random_streams.h"
#include "static_graph/translate/stand_ins.h"
#include "static_graph/translate/translated_ports.h"

namespace switchyard::static_graph {

// An operator of the main block that runs a block, for its gradient
// (static_graph/translate/control_gradient.h).
struct RanBlock {
  const ir::Operation* operation = nullptr;  // Null: nothing of it lasts.
  HashMap<std::string, ir::Value> before;    // What the variables held that
                                             // the block reads.
  HashMap<std::string, ir::Value> after;     // Its results, by variable.
};

// The translation of one program.
struct Translation {
  // All outlive the translation, the role apart. `fetches`: the variables that
  // leave it.
  Translation(const ForeignProgram& program,
              absl::Span<const std::string> fetches,
              absl::Span<const std::string> libraries, const ProgramRole& role,
              ir::Program* into);

  const ForeignProgram& program;
  const bool json;  // Of the vocabulary kPaddleJson.
  ProgramRole role;
  ir::Program* into;
  LoadBudget budget;
  TranslatedPorts ports;
  SharedVariables shared;
  RandomStreams random;
  // The backends whose attributes become policies of operations.
  absl::Span<const std::string> libraries;
  HashMap<int, RanBlock> ran;  // By the number of the block.
  // Operators of the program, as it has them, that MapOperator took.
  OperatorSet mapped;
  // The operator of the program that is being translated; -1: none, or several.
  int block = -1;
  int index = -1;
  StandIns stand_ins;
  JsonForm json_form;  // Of the call that is translated.
  int loops = 0;       // That are being translated, one inside the other.
  // How many more operators may be translated (LoadBudget::MaxTranslated).
  int64_t operators_left;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATION_H_
