// SPDX-License-Identifier: Apache-2.0
// TranslatedProgram: the result of translating a foreign program.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PROGRAM_H_

#include <string>
#include <vector>

#include "framework/types/tensor_spec.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// A persistable variable: a state of the translated program.
struct StateVariable {
  std::string name;
  TensorSpec spec;  // Of known shape.
};

// A translated program and the states that it needs.
struct TranslatedProgram {
  ir::Program program;
  // In the program's order; without kRngState, which is no variable
  // (static_graph/dialect/rng_state.h) and which a program has whose operators
  // draw random numbers without a seed of their own.
  std::vector<StateVariable> states;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATED_PROGRAM_H_
