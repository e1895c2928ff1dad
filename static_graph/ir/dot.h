// SPDX-License-Identifier: Apache-2.0
// PrintDot: a program as a picture's source, in the language of Graphviz.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_DOT_H_
#define SWITCHYARD_STATIC_GRAPH_IR_DOT_H_

#include <string>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// Returns `program` as a directed graph: a box an operation, named without its
// dialect, with the shape of its first result; an ellipse a feed or a fetch; an
// edge from each operation to those that use its results. Constants and states
// are left out. A region is a cluster, its arguments are edges from the
// operation around it. `dot -Tsvg` draws it.
std::string PrintDot(const Program& program);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_DOT_H_
