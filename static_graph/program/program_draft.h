// SPDX-License-Identifier: Apache-2.0
// ProgramDraft: a program as far as it is built, for GraphBuilder
// (graph_builder.h) and the functions that its calls are made of.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_PROGRAM_DRAFT_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_PROGRAM_DRAFT_H_

#include <string_view>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"
#include "static_graph/program/random_draws.h"
#include "static_graph/program/region_stack.h"
#include "static_graph/program/written_values.h"

namespace switchyard::static_graph {

// The parts of a program under construction that its builder and the functions
// of traced_regions.h share. They refer to each other: a draft stays in place.
struct ProgramDraft {
  ProgramDraft(ir::Context* made_in, std::string_view name)
      : context(made_in),
        program(made_in, name),
        builder(made_in, &program.entry()),
        written(&builder) {}
  ProgramDraft(const ProgramDraft&) = delete;
  ProgramDraft& operator=(const ProgramDraft&) = delete;

  ir::Context* const context;
  ir::Program program;    // Moved from once it is finished.
  ir::Builder builder;    // At the end of the region that is current.
  WrittenValues written;  // What its values are now.
  RandomDraws draws;      // How many random numbers come before the builder.
  RegionStack regions;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_PROGRAM_DRAFT_H_
