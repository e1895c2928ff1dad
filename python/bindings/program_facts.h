// SPDX-License-Identifier: Apache-2.0
// Describes a program to Python: its ports, its text, the kernels that it
// selects and the memory that it plans. The functions throw Python errors.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PROGRAM_FACTS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PROGRAM_FACTS_H_

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "python/bindings/programs.h"

namespace switchyard::python {

// Returns the names of ports or of states.
template <typename Ports>
std::vector<std::string> NamesOf(const Ports& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  return names;
}

// Returns (name, kind, dtype, extents, levels of LoD) of each port; -1 stands
// for an unknown extent.
pybind11::list SpecsOf(absl::Span<const static_graph::ProgramPlan::Port> ports);

// Returns {fetch: keys} of the results whose rows stand for maps (zip_map).
pybind11::dict MapsOf(const PyProgram& program);

// Returns `program` as text in the dialect "op" or "kernel", or as a graph in
// the language of Graphviz ("dot").
std::string ProgramText(const PyProgram& program, const std::string& form);

// Returns the candidates of every operation, and why one was selected, as text
// for people or as JSON. The shapes are those of `feeds`; a feed that is
// missing has the program's own, with its unknown extents. Where selections
// depend on elements and no feed is missing, `program` is run; where the run
// fails, the selections stand as the shapes alone decide them. The run leaves
// `state`, which may be null, as it is.
std::string ExplainProgram(const PyProgram& program,
                           const std::optional<pybind11::dict>& feeds,
                           bool json, PyState* state);

// Returns a line for each operation, by the same rules, but that a run that
// fails is an error. Without feeds nothing runs, and a line says what its
// selection still depends on.
std::vector<std::string> SelectionsOf(
    const PyProgram& program, const std::optional<pybind11::dict>& feeds,
    PyState* state);

// Returns the memory that a run with feeds of these shapes plans, or None where
// a run plans it part by part: ([(place, bytes)], [(place, offset, bytes, first
// step, last step)], [(operator, the operator that it transforms an argument of
// or "", location)]).
pybind11::object PlannedMemoryOf(const PyProgram& program,
                                 const std::optional<pybind11::dict>& feeds);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PROGRAM_FACTS_H_
