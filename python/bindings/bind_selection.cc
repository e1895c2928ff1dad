// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/selection/fallback_log.h"
#include "phi/selection/policy_text.h"
#include "python/bindings/bind.h"
#include "python/bindings/constructor.h"
#include "python/bindings/errors.h"
#include "python/bindings/explain_words.h"
#include "python/bindings/known_operators.h"
#include "python/bindings/op_function.h"
#include "python/bindings/policy_block.h"
#include "tools/explain/explain_command.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using phi::dispatch::Environment;
using phi::dispatch::SelectionRecorder;

// `with record_selections() as log:`; the list fills when the block ends.
class Recording {
 public:
  py::list Enter() {
    if (scope_ != nullptr) {
      ThrowIfError(absl::FailedPreconditionError(
          "record_selections: must be left before it is entered again"));
    }
    scope_ = std::make_unique<SelectionRecorder>();
    log_ = py::list();
    return log_;
  }
  void Exit() {
    if (scope_ == nullptr) {
      ThrowIfError(absl::FailedPreconditionError(
          "record_selections: must be entered before it is left"));
    }
    // Recording ends, whether or not there is memory for the list.
    const std::unique_ptr<SelectionRecorder> ended = std::move(scope_);
    for (const std::string& line : ended->lines()) log_.append(line);
  }

 private:
  std::unique_ptr<SelectionRecorder> scope_;
  py::list log_;
};

// __exit__ of a class with Exit(). Not pybind11's own, which allocates before
// it calls: a block must end when memory is out, too.
template <typename Block>
PyObject* ExitBlock(PyObject* self, PyObject*) {
  try {
    py::cast<Block&>(py::handle(self)).Exit();
    Py_RETURN_NONE;
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

template <typename Block>
void AddExit(py::class_<Block>& block) {
  static PyMethodDef exit = {"__exit__", ExitBlock<Block>, METH_VARARGS,
                             "Ends the block."};
  block.attr("__exit__") = py::reinterpret_steal<py::object>(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(block.ptr()), &exit));
}

// Operators by backend, as `on` and `off` take them.
using ListsByBackend =
    std::optional<std::map<std::string, std::vector<std::string>>>;

using Names = std::optional<std::vector<std::string>>;

const phi::selection::OperatorLists* MakeLists(const ListsByBackend& on,
                                               const ListsByBackend& off,
                                               const Names& decompose) {
  phi::selection::ListParser lists(phi::KernelTables::Current());
  for (const bool is_on : {true, false}) {
    const ListsByBackend& given = is_on ? on : off;
    if (!given.has_value()) continue;
    for (const auto& [backend, ops] : *given) {
      ThrowIfError(lists.Add(is_on, backend, ops));
    }
  }
  if (decompose.has_value()) ThrowIfError(lists.Decompose(*decompose));
  return lists.Intern();
}

phi::selection::Policy MakePolicy(const std::optional<std::string>& origin,
                                  const Names& backends, bool allow_fallback,
                                  bool strict, bool allow_thread_variant,
                                  const ListsByBackend& on,
                                  const ListsByBackend& off,
                                  const Names& prefer, const Names& decompose) {
  phi::selection::Policy policy;
  if (origin.has_value()) {
    policy.origin = phi::ParseOrigin(*origin);
    if (!policy.origin.has_value()) {
      ThrowIfError(
          ArgumentError("policy: origin", "\"phi\" or \"fluid\"", *origin));
    }
  }
  if (backends.has_value()) {
    policy.backends = ValueOrThrow(phi::selection::ParseBackends(
        "policy: backends", *backends, phi::KernelTables::Current()));
  }
  policy.allow_fallback = allow_fallback;
  policy.strict = strict;
  policy.allow_thread_variant = allow_thread_variant;
  policy.lists = MakeLists(on, off, decompose);
  if (prefer.has_value()) {
    policy.prefer = ValueOrThrow(phi::selection::ParsePreferences(
        *prefer, phi::KernelTables::Current()));
  }
  return policy;
}

// An operator or an in-place variant by name; null if there is none.
const eager::EagerOp* FindEagerOp(absl::Span<const eager::EagerOp* const> known,
                                  const std::string& name) {
  if (const OpFunction* function = FindOpFunction(name.c_str())) {
    return function->eager;
  }
  for (const eager::EagerOp* op : known) {
    if (op->info->name == name) return op;
  }
  return nullptr;
}

std::string Explain(const std::string& name, const py::dict& arguments,
                    const std::optional<std::string>& place,
                    const std::optional<std::string>& policy, bool json) {
  phi::selection::ExplainRequest request;
  request.op = name;
  request.policy = Environment::Current().policy;
  request.place = Environment::Current().default_place;
  request.json = json;
  const phi::KernelTable& kernels = phi::KernelTables::Current();
  if (place.has_value()) {
    const std::optional<Place> parsed = ParsePlace(*place);
    if (!parsed.has_value()) {
      ThrowIfError(ArgumentError("explain: place", "a name like cpu or gpu:0",
                                 "'" + *place + "'"));
    }
    request.place = *parsed;
  }
  if (policy.has_value()) {
    request.policy =
        ValueOrThrow(phi::selection::ParsePolicy(*policy, kernels));
  }
  const std::vector<const eager::EagerOp*> known = KnownOperators();
  std::vector<const phi::OpInfo*> infos;
  for (const eager::EagerOp* op : known) infos.push_back(op->info);
  // That there is no such operator is said with the nearest name.
  if (const eager::EagerOp* op = FindEagerOp(known, name)) {
    // Where the operator moves tensors to, if it has such an attribute.
    if (place.has_value() && op->info->attr_index("place") >= 0) {
      arguments["place"] = *place;
      request.place = Environment::Current().default_place;
    }
    const auto words = MakeExplainWords(*op, arguments.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (!words.ok()) ThrowIfError(Annotate(words.status(), name));
    request.inputs = words->inputs;
    request.attrs = words->attrs;
    request.recorded = words->recorded;
  }
  return ValueOrThrow(phi::selection::RunExplain(request, infos, kernels)).text;
}

std::pair<std::string, bool> ExplainCommand(
    const std::vector<std::string>& words) {
  const phi::KernelTable& kernels = phi::KernelTables::Current();
  phi::selection::ExplainRequest request;
  request = ValueOrThrow(
      phi::selection::ParseExplainArguments(words, kernels, request));
  if (request.help) {
    return {std::string(phi::selection::ExplainUsage()), true};
  }
  std::vector<const phi::OpInfo*> infos;
  for (const eager::EagerOp* op : KnownOperators()) infos.push_back(op->info);
  const phi::selection::ExplainReport report =
      ValueOrThrow(phi::selection::RunExplain(request, infos, kernels));
  return {report.text, report.fits};
}

}  // namespace

void BindSelection(py::module_& module) {
  py::class_<Recording> recording(
      module, "record_selections",
      "A context; `as log` is a list that has, after the block, one line for\n"
      "each operator that ran: which kernel, where it is written, and which\n"
      "transforms its inputs took.");
  AddConstructor(recording, [] { return Recording(); });
  recording.def("__enter__", &Recording::Enter);
  AddExit(recording);
  py::class_<PolicyBlock> block(
      module, "policy",
      "Another selection policy: for the calls of a\n"
      "`with` block, or for static.trace(...). `on`\n"
      "and `off` are dicts from backends to lists of\n"
      "operators: those alone, or not those. `prefer`\n"
      "is a list of backends and origins (\"legacy\",\n"
      "\"phi\"), whose kernels are tried first, in its\n"
      "order; it admits none that is not admitted.\n"
      "`decompose` is a list of operators whose kernels\n"
      "are refused: what they are made of runs.");
  AddConstructor<const std::optional<std::string>&, const Names&, bool, bool,
                 bool, const ListsByBackend&, const ListsByBackend&,
                 const Names&, const Names&>(
      block,
      [](const std::optional<std::string>& origin, const Names& backends,
         bool allow_fallback, bool strict, bool allow_thread_variant,
         const ListsByBackend& on, const ListsByBackend& off,
         const Names& prefer, const Names& decompose) {
        return PolicyBlock(MakePolicy(origin, backends, allow_fallback, strict,
                                      allow_thread_variant, on, off, prefer,
                                      decompose));
      },
      py::arg("origin") = py::none(), py::arg("backends") = py::none(),
      py::arg("allow_fallback") = false, py::arg("strict") = false,
      py::arg("allow_thread_variant") = false, py::arg("on") = py::none(),
      py::arg("off") = py::none(), py::arg("prefer") = py::none(),
      py::arg("decompose") = py::none());
  block.def("__enter__", &PolicyBlock::Enter);
  AddExit(block);
  block.def("__str__",
            [](const PolicyBlock& self) { return ToString(self.policy()); });
  module.def("explain_command", &ExplainCommand, py::arg("words"),
             "What ./sy explain prints for these words, and whether a kernel "
             "fits.");
  module.def(
      "explain", &Explain, py::arg("op"), py::arg("arguments"),
      py::arg("place") = py::none(), py::arg("policy") = py::none(),
      py::arg("json") = false,
      "What ./sy explain prints for a call of `op` with these arguments, "
      "on this\nthread's default place and under its policy unless they "
      "are given.");
  module.def(
      "fallback_log",
      [] {
        py::list result;
        for (const auto& fallback : phi::selection::FallbackLog()) {
          py::dict entry;
          entry["op"] = fallback.op;
          entry["location"] = fallback.location;
          entry["from"] = ToString(fallback.from);
          entry["to"] = ToString(fallback.to);
          entry["bytes"] = fallback.bytes;
          entry["count"] = fallback.count;
          result.append(entry);
        }
        return result;
      },
      "Fallbacks to the CPU that this thread's calls took, and those of the "
      "programs that\nit ran, by their locations; an eager call's is \"\".");
  module.def("clear_fallback_log", &phi::selection::ClearFallbackLog);
}

}  // namespace switchyard::python
