// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/op_function.h"

#include <cstring>
#include <unordered_map>

#include "python/bindings/py_call.h"

namespace switchyard::python {
namespace {

// Its other members are set when the module is imported.
PyTypeObject op_function_type = {};

// Functions live as long as the process, and this map with them.
std::unordered_map<std::string, OpFunction*>& Functions() {
  static auto* functions = new std::unordered_map<std::string, OpFunction*>();
  return *functions;
}

// Returns true for `rng` and `stream`, which are keyword-only: a random
// operator draws its own.
bool KeywordOnly(const phi::OpInfo& info, const char* name) {
  return info.has(phi::Trait::kRandom) &&
         (std::strcmp(name, "rng") == 0 || std::strcmp(name, "stream") == 0);
}

void AddParameter(OpFunction* f, const char* name) {
  const int position = static_cast<int>(f->names->size());
  f->names->push_back(PyUnicode_InternFromString(name));
  if (!KeywordOnly(*f->info, name)) f->order->push_back(position);
}

template <typename Argument>
bool HasLists(absl::Span<const Argument> arguments) {
  for (const Argument& argument : arguments) {
    if (argument.list) return true;
  }
  return false;
}

int OnlyShownOutput(const phi::OpInfo& info) {
  int only = -1;
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    if (info.outputs[i].intermediate) continue;
    if (only >= 0) return -1;
    only = static_cast<int>(i);
  }
  return only;
}

bool HasInplaceVariant(const PythonOp& op) {
  if (op.eager->info->has(phi::Trait::kInplaceOnly)) return false;
  for (const phi::OutputInfo& output : op.eager->info->outputs) {
    if (output.inplace_of >= 0) return true;
  }
  return false;
}

OpFunction* MakeFunction(const PythonOp& op, bool inplace) {
  OpFunction* f = PyObject_New(OpFunction, &op_function_type);
  if (f == nullptr) return nullptr;
  f->info = op.eager->info;
  f->eager = op.eager;
  f->dialect = op.dialect;
  f->inplace = nullptr;
  f->fuller = nullptr;
  f->name = new std::string(f->info->name);
  if (inplace) {
    f->name->push_back('_');
    auto* form = new eager::EagerOp(*op.eager);
    form->inplace = true;
    f->eager = form;
  }
  f->names = new std::vector<PyObject*>();
  f->order = new std::vector<int>();
  for (const phi::InputInfo& input : f->info->inputs) {
    AddParameter(f, input.name);
  }
  for (const phi::AttrInfo& attr : f->info->attrs) AddParameter(f, attr.name);
  f->list_outputs = HasLists(f->info->outputs);
  f->only = OnlyShownOutput(*f->info);
  f->def = {f->name->c_str(),
            reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(CallOp)),
            METH_FASTCALL | METH_KEYWORDS,
            inplace
                ? "The in-place variant: writes its first argument's memory."
                : op.doc};
  return f;
}

// Returns the name of the module that the functions claim to belong to.
PyObject* ModuleName() {
  static PyObject* const name = PyUnicode_InternFromString("switchyard.ops");
  return name;
}

int AddFunction(const PythonOp& op, bool inplace, PyObject* module) {
  OpFunction* f = MakeFunction(op, inplace);
  if (f == nullptr) return -1;
  if (inplace) Functions()[f->info->name]->inplace = f;
  PyObject* function =
      PyCFunction_NewEx(&f->def, reinterpret_cast<PyObject*>(f), ModuleName());
  if (function == nullptr) return -1;
  const int rc = PyObject_SetAttrString(module, f->name->c_str(), function);
  Py_DECREF(function);
  Functions()[*f->name] = f;
  return rc;
}

}  // namespace

int AddOpFunctions(PyObject* module) {
  Py_SET_REFCNT(&op_function_type, 1);
  op_function_type.tp_name = "switchyard._core.OpFunction";
  op_function_type.tp_basicsize = sizeof(OpFunction);
  op_function_type.tp_flags = Py_TPFLAGS_DEFAULT;
  if (PyType_Ready(&op_function_type) < 0) return -1;
  for (const PythonOp& op : PythonOps()) {
    if (AddFunction(op, false, module) < 0) return -1;
    if (HasInplaceVariant(op) && AddFunction(op, true, module) < 0) return -1;
  }
  return 0;
}

PyObject* MakeOpFunction(const PythonOp& op) {
  OpFunction* f = MakeFunction(op, false);
  if (f == nullptr) return nullptr;
  PyObject* function =
      PyCFunction_NewEx(&f->def, reinterpret_cast<PyObject*>(f), ModuleName());
  if (function != nullptr) Functions()[*f->name] = f;
  return function;
}

const OpFunction* FindOpFunction(const char* name) {
  return FindMutableOpFunction(name);
}

OpFunction* FindMutableOpFunction(const char* name) {
  const auto found = Functions().find(name);
  return found == Functions().end() ? nullptr : found->second;
}

}  // namespace switchyard::python
