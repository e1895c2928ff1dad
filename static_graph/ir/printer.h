// SPDX-License-Identifier: Apache-2.0
// Printer: a program as text that the parser (parser.h) reads back to the same
// program: Print(Parse(text)) == text for all text that it wrote, with the same
// options. The grammar is in static_graph/README.md.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_PRINTER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_PRINTER_H_

#include <string>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// The options of Print().
struct PrintOptions {
  // Writes loc("examples/digits/demo.py":12) after an operation that has a
  // location.
  bool locations = false;
};

// Returns the whole program, ending with a newline. A value's hint is its name;
// where two have one hint, later ones get a suffix. The rest is numbered. Works
// on programs that the verifier rejects too.
std::string Print(const Program& program, PrintOptions options = {});

// Returns one operation with what is inside it, without a newline at the end,
// for messages: values are named as in the whole program around it.
std::string Print(const Operation& op);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PRINTER_H_
