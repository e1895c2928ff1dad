// SPDX-License-Identifier: Apache-2.0
// Old names from Python: operators by type, slots and attributes, and
// PaddlePaddle's saved programs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eager/legacy/run_legacy_op.h"
#include "framework/device/transfer.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/selection/policy_text.h"
#include "python/bindings/bind.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/policy_block.h"
#include "python/bindings/programs.h"
#include "python/bindings/relaxed_argument.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/pipeline.h"
#include "static_graph/translate/paddle_program.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

eager::Tensor TensorArgument(const std::string& slot, py::handle object) {
  if (IsTensor(object.ptr())) return GetTensor(object.ptr());
  return eager::Tensor(
      ValueOrThrow(TensorFromObject(slot, object.ptr(), DataType::kUndefined)));
}

// The legacy type of an attribute is the form's: RunLegacyOp converts.
Attribute MakeAttribute(const std::string& name, py::handle value) {
  AttrStorage storage(1);
  AttrType type = AttrType::kDouble;
  if (py::isinstance<py::bool_>(value)) {
    type = AttrType::kBool;
  } else if (py::isinstance<py::str>(value)) {
    type = AttrType::kString;
  } else if (PyIndex_Check(value.ptr())) {
    type = AttrType::kInt64;
  } else if (py::isinstance<py::list>(value) ||
             py::isinstance<py::tuple>(value)) {
    type = AttrType::kInt64s;
    for (const py::handle item : value) {
      if (py::isinstance<py::bool_>(item)) type = AttrType::kBools;
      if (py::isinstance<py::float_>(item)) type = AttrType::kDoubles;
      if (py::isinstance<py::str>(item)) type = AttrType::kStrings;
    }
  }
  return Attribute(ValueOrThrow(storage.Parse(name, type, value.ptr())));
}

py::dict TraceLegacy(const std::string& type, const py::dict& inputs,
                     const py::dict& attrs) {
  std::vector<eager::SlotTensors> slots;
  for (const auto& [key, value] : inputs) {
    eager::SlotTensors slot{py::cast<std::string>(key), {}};
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
      for (const py::handle item : value) {
        slot.tensors.push_back(TensorArgument(slot.slot, item));
      }
    } else {
      slot.tensors.push_back(TensorArgument(slot.slot, value));
    }
    slots.push_back(std::move(slot));
  }
  std::vector<eager::LegacyAttribute> attributes;
  for (const auto& [key, value] : attrs) {
    const auto name = py::cast<std::string>(key);
    // Others may hold what no attribute of ours can, lists of texts.
    const bool read = eager::ReadsLegacyAttribute(type, name);
    attributes.push_back(
        {name, read ? MakeAttribute(name, value) : Attribute()});
  }
  py::dict result;
  for (eager::SlotTensors& slot :
       ValueOrThrow(eager::RunLegacyOp(type, slots, attributes))) {
    py::list tensors;
    for (eager::Tensor& tensor : slot.tensors) {
      tensors.append(
          py::reinterpret_steal<py::object>(WrapTensor(std::move(tensor))));
    }
    const py::str name(slot.slot);
    if (slot.duplicable) {
      result[name] = tensors;
    } else {
      result[name] = tensors[0];
    }
  }
  return result;
}

// Adds lists to a policy that keep a library off the operators whose calls
// decline it in a program. Throws where calls of one operator differ.
void ObeyAttributes(const static_graph::LibraryUses& libraries,
                    phi::selection::Policy* policy) {
  const phi::KernelTable& kernels = phi::KernelTables::Current();
  if (policy->lists != nullptr) {
    ThrowIfError(ArgumentError("library_attributes",
                               "False where the policy has lists of its own",
                               "True"));
  }
  phi::selection::ListParser lists(kernels);
  for (const auto& [library, ops] : libraries) {
    if (kernels.FindBackend(library) == nullptr) continue;
    std::vector<std::string> declined;
    for (const auto& [op, uses] : ops) {
      if (uses.declined == 0 || kernels.Find(op) == nullptr) continue;
      if (uses.used > 0) {
        ThrowIfError(absl::UnimplementedError(
            absl::StrCat("library_attributes: ", uses.used, " calls of ", op,
                         " use ", library, " and ", uses.declined,
                         " decline it; a policy has one list for all calls")));
      }
      declined.push_back(op);
    }
    if (declined.empty()) continue;
    ThrowIfError(lists.Add(/*on=*/false, library, declined));
  }
  policy->lists = lists.Intern();
}

// The choices of an imported program: fusions round otherwise, unless it
// updates states.
static_graph::RelaxedChoices RelaxedOfImport(py::handle relaxed, bool updates) {
  using static_graph::Fusion;
  static_graph::RelaxedChoices choices;
  choices.fusion = updates ? Fusion::kExact : Fusion::kRelaxed;
  choices = RelaxedArgument(relaxed, choices);
  if (updates && choices.fusion != Fusion::kExact) {
    ThrowIfError(ArgumentError("relaxed: fusion",
                               "exact in a program that updates states",
                               "'relaxed'"));
  }
  return choices;
}

// `stages` may be null; else the program's text at each stage of loading is
// added to it: (name, text). `relaxed` changes the choices of an imported
// program: fusion if it trains nothing, else none. `without` names passes that
// are left out.
py::tuple LoadPaddle(const std::string& path, const std::string& weights,
                     py::handle policy, std::optional<py::list> stages,
                     bool library_attributes, py::handle relaxed,
                     const std::vector<std::string>& without) {
  static_graph::LoweringOptions lowering;
  lowering.policy = PolicyArgument(policy);
  lowering.place = phi::dispatch::Environment::Current().default_place;
  const std::shared_ptr<static_graph::ir::Context> context = NewContext();
  absl::StatusOr<static_graph::LoadedProgram> loaded =
      static_graph::LoadPaddleProgram(context.get(), path, weights);
  ThrowIfFileError(loaded.status());
  if (library_attributes) ObeyAttributes(loaded->libraries, &lowering.policy);
  using AfterPass =
      std::function<void(std::string_view, const static_graph::ir::Program&)>;
  AfterPass after_pass;
  if (stages.has_value()) {
    after_pass = [&](std::string_view name,
                     const static_graph::ir::Program& program) {
      stages->append(
          py::make_tuple(std::string(name), static_graph::ir::Print(program)));
    };
    after_pass("imported", loaded->program);
  }
  lowering.relaxed = RelaxedOfImport(
      relaxed, loaded->startup.has_value() ||
                   !static_graph::LeavesStates(loaded->program));
  const auto compiled = [&](static_graph::ir::Program program,
                            AfterPass after) -> py::object {
    ThrowIfError(static_graph::Optimize(program, phi::KernelTables::Current(),
                                        lowering, std::move(after), without,
                                        /*verified=*/true));
    return py::cast(PyProgram(context, std::move(program), lowering,
                              /*verified=*/true));
  };
  PyState state;
  for (static_graph::NamedTensor& named : loaded->states) {
    DenseTensor tensor = std::move(named.tensor);
    if (tensor.place() != lowering.place) {
      tensor = ValueOrThrow(Transferred(tensor, lowering.place));
    }
    state.Set(named.name, eager::Tensor(std::move(tensor)));
  }
  py::object startup = py::none();
  if (loaded->startup.has_value()) {
    startup = compiled(*std::move(loaded->startup), nullptr);
  }
  return py::make_tuple(
      compiled(std::move(loaded->program), std::move(after_pass)),
      std::move(state), std::move(startup), loaded->needs_startup);
}

}  // namespace

void BindLegacy(py::module_& module) {
  module.def("has_legacy", &eager::HasLegacyType, py::arg("op_type"));
  module.def("trace_legacy", &TraceLegacy, py::arg("op_type"),
             py::arg("inputs"), py::arg("attrs"));
  module.def("load_paddle_program", &LoadPaddle, py::arg("path"),
             py::arg("weights") = "", py::arg("policy") = py::none(),
             py::arg("stages") = py::none(),
             py::arg("library_attributes") = false,
             py::arg("relaxed") = py::none(),
             py::arg("without") = std::vector<std::string>(),
             "(Program, State, startup, needs_startup) of a PaddlePaddle "
             "program and its weights; startup is the Program that initialises "
             "the State, or None. A list of `stages` gets (name, text) as "
             "imported and after each pass.");
}

}  // namespace switchyard::python
