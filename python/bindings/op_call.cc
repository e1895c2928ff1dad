// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/op_call.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/run.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/graph.h"
#include "python/bindings/objects.h"

namespace switchyard::python {
namespace {

// Elements from which on the GIL is released: handing it over costs about as
// much as a vectorised pass over this many.
constexpr int64_t kReleaseElements = 1 << 15;

// The object behind a function: the operator and its parameters as users see
// them: positions are inputs first, then attributes.
struct OpFunction {
  PyObject_HEAD const PythonOp* op;
  PyMethodDef def;
  std::vector<PyObject*>* names;  // Interned, by position.
  int positional;                 // Parameters that may be given by position.
  std::vector<int>* order;        // The n-th positional parameter's position.

  const phi::OpInfo& info() const { return *op->eager->info; }
};

// Pieces of the sentence for a wrong call.
PyObject* CallError(const OpFunction& f, const std::string& what) {
  PyErr_Format(PyExc_TypeError, "%s: %s", f.info().name, what.c_str());
  return nullptr;
}

// Tensors that the call made of numbers and arrays, and all its input slots.
struct Inputs {
  std::vector<eager::Tensor> made;
  std::vector<const eager::Tensor*> slots;
  std::vector<PyObject*> objects;  // By slot, null if absent.
  std::vector<uint16_t> begins;
  bool traced = false;
  int64_t elements = 0;
};

class OpCall {
 public:
  explicit OpCall(const OpFunction& f)
      : f_(f), storage_(f.info().attrs.size()) {
    bound_.resize(f.names->size(), nullptr);
  }

  // False with an error set if the arguments do not fit the signature.
  bool Bind(PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    if (count > f_.positional) {
      CallError(f_, "takes " + std::to_string(f_.positional) +
                        " arguments by position, got " + std::to_string(count));
      return false;
    }
    for (Py_ssize_t i = 0; i < count; ++i) bound_[(*f_.order)[i]] = args[i];
    if (kwnames == nullptr) return true;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); ++k) {
      if (!BindKeyword(PyTuple_GET_ITEM(kwnames, k), args[count + k])) {
        return false;
      }
    }
    return true;
  }

  PyObject* Run() {
    absl::Status status = FlattenInputs();
    if (status.ok()) status = ParseAttributes();
    if (!status.ok()) return SetError(Annotate(status, f_.info().name));
    if (inputs_.traced) return RunTraced();
    status = ConvertInputs();
    if (!status.ok()) return SetError(Annotate(status, f_.info().name));
    return RunEager();
  }

 private:
  bool BindKeyword(PyObject* name, PyObject* value) {
    int found = -1;
    for (size_t i = 0; i < f_.names->size(); ++i) {
      PyObject* own = (*f_.names)[i];
      if (own == name || PyUnicode_Compare(own, name) == 0) {
        found = static_cast<int>(i);
        break;
      }
    }
    if (found < 0) {
      CallError(
          f_, std::string("has no argument '") + PyUnicode_AsUTF8(name) + "'");
      return false;
    }
    if (bound_[found] != nullptr) {
      CallError(f_, std::string("got two values for '") +
                        PyUnicode_AsUTF8(name) + "'");
      return false;
    }
    bound_[found] = value;
    return true;
  }

  absl::Status FlattenInputs() {
    const phi::OpInfo& info = f_.info();
    inputs_.begins.push_back(0);
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      SY_RETURN_IF_ERROR(FlattenInput(info.inputs[i], bound_[i]));
      if (inputs_.objects.size() > 0xffff) {
        return ArgumentError(info.inputs[i].name, "at most 65535 tensors",
                             "more");
      }
      inputs_.begins.push_back(static_cast<uint16_t>(inputs_.objects.size()));
    }
    for (PyObject* object : inputs_.objects) {
      inputs_.traced |= object != nullptr && IsValue(object);
    }
    return absl::OkStatus();
  }

  absl::Status FlattenInput(const phi::InputInfo& input, PyObject* object) {
    if (object == nullptr || object == Py_None) {
      if (!input.optional) {
        return TypeError(input.name,
                         input.list ? "a list of tensors" : "a tensor",
                         object == nullptr ? "nothing" : "None");
      }
      inputs_.objects.push_back(nullptr);
      return absl::OkStatus();
    }
    if (!input.list) {
      inputs_.objects.push_back(object);
      return absl::OkStatus();
    }
    if (!PyList_Check(object) && !PyTuple_Check(object)) {
      return TypeError(input.name, "a list of tensors",
                       Py_TYPE(object)->tp_name);
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      inputs_.objects.push_back(PySequence_Fast_GET_ITEM(object, i));
    }
    return absl::OkStatus();
  }

  absl::Status ParseAttributes() {
    const phi::OpInfo& info = f_.info();
    for (size_t i = 0; i < info.attrs.size(); ++i) {
      const phi::AttrInfo& attr = info.attrs[i];
      PyObject* object = bound_[info.inputs.size() + i];
      if (object == nullptr) {
        if (!attr.has_default) {
          return TypeError(attr.name, std::string(Name(attr.type)), "nothing");
        }
        attrs_.push_back(attr.default_value);
        continue;
      }
      SY_ASSIGN_OR_RETURN(const AttrRef value,
                          storage_.Parse(attr.name, attr.type, object));
      attrs_.push_back(value);
    }
    return absl::OkStatus();
  }

  // The dtype that a plain number takes: that of the first tensor.
  DataType DtypeForNumbers() const {
    for (PyObject* object : inputs_.objects) {
      if (object != nullptr && IsTensor(object))
        return TensorOf(object).dtype();
    }
    return DataType::kUndefined;
  }

  absl::Status ConvertInputs() {
    const phi::OpInfo& info = f_.info();
    const phi::Slots slots(inputs_.begins.data(),
                           static_cast<int>(info.inputs.size()));
    inputs_.made.reserve(inputs_.objects.size());  // Addresses must not move.
    for (size_t slot = 0; slot < inputs_.objects.size(); ++slot) {
      PyObject* object = inputs_.objects[slot];
      if (object == nullptr) {
        inputs_.slots.push_back(nullptr);
        continue;
      }
      if (!IsTensor(object)) {
        const char* name = info.inputs[slots.argument_of(slot)].name;
        if (IsNumber(object)) {
          SY_ASSIGN_OR_RETURN(eager::Tensor made,
                              NumberAsTensor(name, object, DtypeForNumbers()));
          inputs_.made.push_back(std::move(made));
        } else {
          SY_ASSIGN_OR_RETURN(
              DenseTensor dense,
              TensorFromObject(name, object, DataType::kUndefined));
          inputs_.made.emplace_back(std::move(dense));
        }
        inputs_.slots.push_back(&inputs_.made.back());
      } else {
        inputs_.slots.push_back(&TensorOf(object));
      }
      inputs_.elements += inputs_.slots.back()->numel();
    }
    return absl::OkStatus();
  }

  PyObject* RunEager() {
    const phi::Slots slots(inputs_.begins.data(),
                           static_cast<int>(f_.info().inputs.size()));
    std::vector<eager::Tensor> outputs;
    absl::Status status;
    if (inputs_.elements >= kReleaseElements) {
      PyThreadState* released = PyEval_SaveThread();
      status =
          eager::Run(*f_.op->eager, inputs_.slots, slots, attrs_, &outputs);
      PyEval_RestoreThread(released);
    } else {
      status =
          eager::Run(*f_.op->eager, inputs_.slots, slots, attrs_, &outputs);
    }
    if (!status.ok()) return SetError(status);
    std::vector<PyObject*> objects;
    for (eager::Tensor& tensor : outputs) {
      objects.push_back(WrapTensor(std::move(tensor)));
    }
    return Results(std::move(objects));
  }

  PyObject* RunTraced() {
    std::vector<PyObject*> objects;
    const absl::Status status = TraceCall(*f_.op->dialect, inputs_.objects,
                                          inputs_.begins, attrs_, &objects);
    if (!status.ok()) return SetError(status);
    return Results(std::move(objects));
  }

  // One result as it is, several as a tuple, a list as a list; intermediate
  // ones are left out. Takes over the references.
  PyObject* Results(std::vector<PyObject*> objects) {
    const phi::OpInfo& info = f_.info();
    if (info.outputs.size() == 1 && info.outputs[0].list) {
      PyObject* list = PyList_New(static_cast<Py_ssize_t>(objects.size()));
      for (size_t i = 0; i < objects.size(); ++i) {
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), objects[i]);
      }
      return list;
    }
    std::vector<PyObject*> shown;
    for (size_t i = 0; i < objects.size(); ++i) {
      if (info.outputs[i].intermediate) {
        Py_XDECREF(objects[i]);
      } else {
        shown.push_back(objects[i]);
      }
    }
    if (shown.size() == 1) return shown[0];
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(shown.size()));
    for (size_t i = 0; i < shown.size(); ++i) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), shown[i]);
    }
    return tuple;
  }

  const OpFunction& f_;
  AttrStorage storage_;
  std::vector<PyObject*> bound_;
  std::vector<AttrRef> attrs_;
  Inputs inputs_;
};

PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames) {
  OpCall call(*reinterpret_cast<OpFunction*>(self));
  if (!call.Bind(args, count, kwnames)) return nullptr;
  return call.Run();
}

// Its other members are set when the module is imported.
PyTypeObject op_function_type = {};

// Functions live as long as the process, and this map with them.
std::unordered_map<std::string, PyObject*>& Functions() {
  static auto* functions = new std::unordered_map<std::string, PyObject*>();
  return *functions;
}

// What draws its own random numbers is not asked for them: `rng` and `stream`
// are keyword-only.
bool KeywordOnly(const phi::OpInfo& info, const char* name) {
  return info.has(phi::Trait::kRandom) &&
         (std::strcmp(name, "rng") == 0 || std::strcmp(name, "stream") == 0);
}

void AddParameter(OpFunction* f, const char* name) {
  const int position = static_cast<int>(f->names->size());
  f->names->push_back(PyUnicode_InternFromString(name));
  if (!KeywordOnly(f->info(), name)) {
    f->order->push_back(position);
    f->positional = static_cast<int>(f->order->size());
  }
}

PyObject* MakeFunction(const PythonOp& op, PyObject* module_name) {
  auto* f = PyObject_New(OpFunction, &op_function_type);
  if (f == nullptr) return nullptr;
  f->op = &op;
  f->names = new std::vector<PyObject*>();
  f->order = new std::vector<int>();
  f->positional = 0;
  for (const phi::InputInfo& input : f->info().inputs) {
    AddParameter(f, input.name);
  }
  for (const phi::AttrInfo& attr : f->info().attrs) AddParameter(f, attr.name);
  f->def = {f->info().name,
            reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(CallOp)),
            METH_FASTCALL | METH_KEYWORDS, op.doc};
  return PyCFunction_NewEx(&f->def, reinterpret_cast<PyObject*>(f),
                           module_name);
}

}  // namespace

int AddOpFunctions(PyObject* module) {
  Py_SET_REFCNT(&op_function_type, 1);
  op_function_type.tp_name = "switchyard._core.OpFunction";
  op_function_type.tp_basicsize = sizeof(OpFunction);
  op_function_type.tp_flags = Py_TPFLAGS_DEFAULT;
  if (PyType_Ready(&op_function_type) < 0) return -1;
  PyObject* module_name = PyUnicode_InternFromString("switchyard.ops");
  for (const PythonOp& op : PythonOps()) {
    PyObject* function = MakeFunction(op, module_name);
    if (function == nullptr ||
        PyObject_SetAttrString(module, op.eager->info->name, function) < 0) {
      return -1;
    }
    Functions()[op.eager->info->name] = function;
  }
  return 0;
}

PyObject* FindOpFunction(const char* name) {
  const auto found = Functions().find(name);
  return found == Functions().end() ? nullptr : found->second;
}

PyObject* CallOpFunction(const char* name, PyObject* const* args,
                         size_t count) {
  PyObject* function = FindOpFunction(name);
  if (function == nullptr) {
    PyErr_Format(PyExc_NotImplementedError, "no operator %s", name);
    return nullptr;
  }
  return PyObject_Vectorcall(function, args, count, nullptr);
}

}  // namespace switchyard::python
