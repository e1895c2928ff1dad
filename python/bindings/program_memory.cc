// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "python/bindings/errors.h"
#include "python/bindings/programs.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/ir/printer.h"

namespace py = pybind11;

namespace switchyard::python {

py::object PyProgram::Memory(const std::optional<py::dict>& feeds) const {
  const std::optional<static_graph::PlannedMemory> memory =
      ValueOrThrow(compiled_->Memory(GetShapes(feeds)));
  if (!memory.has_value()) return py::none();
  py::list places, blocks, steps;
  for (const auto& [place, bytes] : memory->places) {
    places.append(py::make_tuple(ToString(place), bytes));
  }
  for (const static_graph::PlannedMemory::Block& block : memory->blocks) {
    blocks.append(py::make_tuple(ToString(block.place), block.offset,
                                 block.bytes, block.first, block.last));
  }
  for (const static_graph::PlannedMemory::Step& step : memory->steps) {
    const static_graph::Instruction& call = *step.call;
    const bool is_call = step.role == static_graph::StepRole::kCall;
    steps.append(py::make_tuple(
        static_graph::NameOf(step.kernel, call),
        is_call ? "" : static_graph::NameOf(/*kernel=*/nullptr, call),
        call.location ? static_graph::ir::ToString(call.location)
                      : std::string()));
  }
  return py::make_tuple(places, blocks, steps);
}

}  // namespace switchyard::python
