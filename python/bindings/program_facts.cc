// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/program_facts.h"

#include <utility>

#include "python/bindings/errors.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/ir/dot.h"
#include "static_graph/ir/printer.h"

namespace py = pybind11;

namespace switchyard::python {

py::list SpecsOf(absl::Span<const static_graph::ProgramPlan::Port> ports) {
  py::list specs;
  for (const static_graph::ProgramPlan::Port& port : ports) {
    py::list extents;
    for (int axis = 0; axis < port.meta.shape.rank(); ++axis) {
      const Dim dim = port.meta.shape[axis];
      extents.append(dim.known() ? dim.value() : -1);
    }
    specs.append(py::make_tuple(port.name, Name(port.meta.kind),
                                Name(port.meta.dtype), py::tuple(extents),
                                int{port.meta.lod_levels}));
  }
  return specs;
}

py::dict MapsOf(const PyProgram& program) {
  py::dict maps;
  for (const auto& [name, value] : program.graph().fetches()) {
    const static_graph::ir::Operation* const op = value.defining_op();
    if (op == nullptr || op->name() != "op.zip_map") continue;
    const static_graph::OpCall call = ValueOrThrow(static_graph::ReadCall(*op));
    py::list keys;
    for (const std::string& text :
         call.attrs[0].Get<absl::Span<const std::string>>()) {
      keys.append(py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
          text.data(), static_cast<Py_ssize_t>(text.size()),
          "surrogateescape")));
    }
    for (const int64_t number :
         call.attrs[1].Get<absl::Span<const int64_t>>()) {
      keys.append(number);
    }
    maps[py::str(name)] = keys;
  }
  return maps;
}

std::string ProgramText(const PyProgram& program, const std::string& form) {
  if (form == "kernel") {
    static_graph::CompileOptions options = program.options();
    options.keep_text = true;
    return ValueOrThrow(static_graph::Executable::Compile(
                            program.graph(),
                            program.executable().kernel_table(), options))
        ->lowered_text();
  }
  if (form == "dot") return static_graph::ir::PrintDot(program.graph());
  if (form != "op") {
    ThrowIfError(
        ArgumentError("text: form", "\"op\", \"kernel\" or \"dot\"", form));
  }
  return static_graph::ir::Print(program.graph());
}

std::string ExplainProgram(const PyProgram& program,
                           const std::optional<py::dict>& feeds, bool json,
                           PyState* state) {
  using static_graph::ExplanationForm;
  const auto form = json ? ExplanationForm::kJson : ExplanationForm::kText;
  static_graph::StepList steps =
      ValueOrThrow(program.executable().Steps(program.FeedShapes(feeds)));
  const bool all =
      feeds.has_value() && feeds->size() == program.executable().feeds().size();
  if (all && !steps.final()) {
    absl::StatusOr<static_graph::StepList> ran =
        program.StepsOfRun(*feeds, state);
    // A run may be refused: the list for the shapes has the reason.
    if (ran.ok()) steps = *std::move(ran);
  }
  return program.executable().TextOf(steps, form);
}

std::vector<std::string> SelectionsOf(const PyProgram& program,
                                      const std::optional<py::dict>& feeds,
                                      PyState* state) {
  static_graph::StepList steps =
      ValueOrThrow(program.executable().Steps(program.FeedShapes(feeds)));
  if (!feeds.has_value() || steps.final()) return TranscriptOf(steps);
  return TranscriptOf(ValueOrThrow(program.StepsOfRun(*feeds, state)));
}

py::object PlannedMemoryOf(const PyProgram& program,
                           const std::optional<py::dict>& feeds) {
  const std::optional<static_graph::PlannedMemory> memory =
      ValueOrThrow(program.executable().Memory(program.FeedShapes(feeds)));
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
