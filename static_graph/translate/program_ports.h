// SPDX-License-Identifier: Apache-2.0
// FindPorts: the inputs and outputs of a program.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_PROGRAM_PORTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_PROGRAM_PORTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"

namespace switchyard::static_graph {

// Where values enter and leave a program.
struct ProgramPorts {
  struct Fetch {
    std::string name;  // The variable's; a number is added to a second one.
    std::string variable;
  };
  std::vector<std::string> feeds;  // Variables.
  std::vector<Fetch> fetches;
};

// Returns true for an operator that only moves data into or out of a program
// and is not translated: feed, fetch, read and the operators that make its
// readers.
bool IsPort(std::string_view type);

// Finds the feeds and fetches of a program by its main block: feed and fetch
// operators by column, and the outputs of read operators. Without feed
// operators, feeds are the variables that are read before they are written;
// without fetch operators, fetches are the variables that are written and not
// read later, unless only a gradient needs them or they are the condition of a
// loop. ArgumentError for a feed or fetch operator without a variable, or of
// the same column as another.
absl::StatusOr<ProgramPorts> FindPorts(const ForeignBlock& block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_PROGRAM_PORTS_H_
