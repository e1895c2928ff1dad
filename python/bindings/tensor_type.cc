// SPDX-License-Identifier: Apache-2.0
// switchyard.Tensor: an eager tensor in Python. Operators on it are functions
// of switchyard.ops; this type has what is no operator: data in and out,
// gradients, hooks.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <new>
#include <string>
#include <utility>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/autograd/own_hooks.h"
#include "eager/call/autograd_ops.h"
#include "eager/call/inplace.h"
#include "eager/ops/autograd_ops.h"
#include "eager/tensor/tensor.h"
#include "python/bindings/changes.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/hooks.h"
#include "python/bindings/objects.h"
#include "python/bindings/operators.h"
#include "python/bindings/python_function.h"
#include "python/bindings/selected_rows.h"
#include "python/bindings/tensor_elements.h"
#include "python/bindings/tracing_scope.h"

namespace switchyard::python {

PyTypeObject* tensor_type = nullptr;

namespace {

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (reinterpret_cast<TensorObject*>(self)->weak != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  GetTensor(self).~Tensor();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return VisitHooks(GetTensor(self), visit, arg);
}

// Only hooks can lead back to the tensor.
int ClearHooks(PyObject* self) {
  eager::ClearHooks(GetTensor(self));
  return 0;
}

PyObject* GetShape(PyObject* self, void*) {
  return TupleOfShape(GetTensor(self).shape());
}

PyObject* GetDtype(PyObject* self, void*) {
  const std::string_view name = Name(GetTensor(self).dtype());
  return PyUnicode_FromStringAndSize(name.data(),
                                     static_cast<Py_ssize_t>(name.size()));
}

PyObject* GetKind(PyObject* self, void*) {
  const std::string_view name = Name(GetTensor(self).kind());
  return PyUnicode_FromStringAndSize(name.data(),
                                     static_cast<Py_ssize_t>(name.size()));
}

PyObject* GetPlace(PyObject* self, void*) {
  return PyUnicode_FromString(ToString(GetTensor(self).place()).c_str());
}

PyObject* GetGrad(PyObject* self, void*) {
  return WrapTensor(GetTensor(self).grad());
}

int SetGrad(PyObject* self, PyObject* value, void*) {
  eager::Tensor grad;
  if (value != nullptr && value != Py_None) {
    if (!IsTensor(value)) {
      SetError(TypeError("grad", "a tensor or None", Py_TYPE(value)->tp_name));
      return -1;
    }
    grad = GetTensor(value);
  }
  const absl::Status status = GetTensor(self).set_grad(std::move(grad));
  if (status.ok()) return 0;
  SetError(status);
  return -1;
}

PyObject* GetRequiresGrad(PyObject* self, void*) {
  return PyBool_FromLong(GetTensor(self).requires_grad());
}

int SetRequiresGrad(PyObject* self, PyObject* value, void*) {
  const int truth = value == nullptr ? 0 : PyObject_IsTrue(value);
  if (truth < 0) return -1;
  const absl::Status status = GetTensor(self).set_requires_grad(truth != 0);
  NoteChange();
  if (status.ok()) return 0;
  SetError(status);
  return -1;
}

PyObject* GetIsLeaf(PyObject* self, void*) {
  return PyBool_FromLong(GetTensor(self).is_leaf());
}

// Lengths by level, as sy.tensor(lod=...) takes them; None if there is none.
PyObject* GetLod(PyObject* self, void*) {
  const auto& lod = GetTensor(self).dense().lod();
  if (lod == nullptr) Py_RETURN_NONE;
  PyObject* levels = PyList_New(0);
  for (const std::vector<int64_t>& level : SequenceLengths(*lod)) {
    if (levels == nullptr) return nullptr;
    PyObject* lengths = MakeList(level);
    if (lengths == nullptr || PyList_Append(levels, lengths) < 0) {
      Py_CLEAR(levels);
    }
    Py_XDECREF(lengths);
  }
  return levels;
}

PyObject* Hooks(PyObject* self, PyObject*) { return HookFunctions(self); }

PyObject* Detach(PyObject* self, PyObject*) {
  eager::Tensor detached = GetTensor(self).detach();
  TracingScope* const scope = TracingScope::Innermost();
  if (scope != nullptr && !scope->Captures(GetTensor(self))) {
    scope->AddMade(detached);
  }
  return WrapTensor(std::move(detached));
}

// Writes in a TracingScope, as a part of the program, if the tensor was there
// before; else returns false.
bool WrittenInScope(PyObject* self, PyObject* value, bool* failed) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope == nullptr || !scope->Captures(GetTensor(self))) return false;
  *failed = !scope->Write(self, value);
  return true;
}

PyObject* RetainGrad(PyObject* self, PyObject*) {
  const absl::Status status = GetTensor(self).RetainGrad();
  if (!status.ok()) return SetError(status);
  Py_RETURN_NONE;
}

// Copies the elements of `other` into this tensor's memory, outside the graph:
// what copy_ does where it is not recorded.
PyObject* CopyElementsOf(PyObject* self, PyObject* other) {
  if (bool failed = false; WrittenInScope(self, other, &failed)) {
    if (failed) return nullptr;
    Py_INCREF(self);
    return self;
  }
  if (!IsTensor(other)) {
    return SetError(
        TypeError("copy_: other", "a tensor", Py_TYPE(other)->tp_name));
  }
  if (IsCaptured(other) &&
      !TracingScope::Innermost()->ReadAsConstant("copy_", other)) {
    return nullptr;
  }
  for (PyObject* object : {self, other}) {
    if (GetTensor(object).kind() == TensorKind::kDense) continue;
    return SetError(
        TypeError("copy_: tensor", "dense", Name(GetTensor(object).kind())));
  }
  DenseTensor& to = GetTensor(self).mutable_dense();
  const absl::Status status =
      CopyElements("copy_: other", GetTensor(other).dense(), to);
  if (!status.ok()) return SetError(status);
  to.buffer()->BumpVersion();
  Py_INCREF(self);
  return self;
}

// Writes the result of a recorded operator on this tensor into its memory and
// takes its position in the graph: an in-place operator in two steps.
PyObject* Become(PyObject* self, PyObject* other) {
  if (!IsTensor(other)) {
    return SetError(
        TypeError("_become: result", "a tensor", Py_TYPE(other)->tp_name));
  }
  const eager::Tensor& target = GetTensor(self);
  absl::Status status = eager::CheckBecome(target, true);
  if (!status.ok()) return SetError(status);
  DenseTensor& to = GetTensor(self).mutable_dense();
  status = CopyElements("x[...] = value", GetTensor(other).dense(), to);
  if (!status.ok()) return SetError(status);
  to.buffer()->BumpVersion();
  eager::TakeGraphOf(GetTensor(other), target);
  Py_RETURN_NONE;
}

absl::Status RunBackward(const eager::Tensor& output,
                         absl::Span<const eager::Tensor> grads,
                         const eager::BackwardOptions& options) {
  const ReleasedGil released;
  return eager::Backward({&output, 1}, grads, options);
}

PyObject* Backward(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"gradient", "retain_graph", "create_graph",
                                "grad", nullptr};
  PyObject* grad = Py_None;
  PyObject* retain = Py_None;
  PyObject* short_name = Py_None;  // `grad`, for `gradient`.
  int create = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOp$O:backward",
                                   const_cast<char**>(names), &grad, &retain,
                                   &create, &short_name)) {
    return nullptr;
  }
  if (grad == Py_None) grad = short_name;
  std::vector<eager::Tensor> grads;
  if (grad != Py_None) {
    if (!IsTensor(grad)) {
      return SetError(TypeError("backward: grad", "a tensor or None",
                                Py_TYPE(grad)->tp_name));
    }
    grads.push_back(GetTensor(grad));
  }
  eager::BackwardOptions options;
  options.create_graph = create != 0;
  if (retain != Py_None) {
    const int truth = PyObject_IsTrue(retain);
    if (truth < 0) return nullptr;
    options.retain_graph = truth != 0;
  }
  const absl::Status status = RunBackward(GetTensor(self), grads, options);
  if (!status.ok()) return SetError(status);
  Py_RETURN_NONE;
}

Py_ssize_t Length(PyObject* self) {
  const Shape shape = GetTensor(self).shape();
  if (shape.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "len: a tensor of rank 0 has no length");
    return -1;
  }
  return static_cast<Py_ssize_t>(shape.extent(0));
}

// Returns x[number]. It makes a tensor a sequence: NumPy looks into a list for
// sequences only.
PyObject* Row(PyObject* self, Py_ssize_t number) {
  PyObject* index = PyLong_FromSsize_t(number);
  if (index == nullptr) return nullptr;
  PyObject* row = Subscript(self, index);
  Py_DECREF(index);
  return row;
}

PyObject* Repr(PyObject* self) {
  const eager::Tensor& tensor = GetTensor(self);
  if (tensor.kind() != TensorKind::kDense) {
    return PyUnicode_FromString(eager::ToString(tensor).c_str());
  }
  return CallPython("switchyard.formatting", "text_of_tensor", {self});
}

// Called before the memory is written.
PyObject* MarkWritten(PyObject* self, PyObject*) {
  if (eager::CurrentGradMode() == eager::GradMode::kOn) {
    const absl::Status status = eager::CheckBecome(GetTensor(self), false);
    if (!status.ok()) return SetError(status);
  }
  const auto& buffer = GetTensor(self).base().buffer();
  if (buffer) buffer->BumpVersion();
  Py_RETURN_NONE;
}

PyGetSetDef getset[] = {
    {"shape", kGuarded<GetShape>, nullptr, "Extents of the axes, a tuple.",
     nullptr},
    {"dtype", kGuarded<GetDtype>, nullptr, "Name of the element type.",
     nullptr},
    {"kind", kGuarded<GetKind>, nullptr,
     "\"dense\", \"tensor_array\" or another word for what it is.", nullptr},
    {"place", kGuarded<GetPlace>, nullptr,
     "Where the memory lies: \"cpu\", \"gpu:0\".", nullptr},
    {"grad", kGuarded<GetGrad>, kGuarded<SetGrad>,
     "Accumulated gradient, or None.", nullptr},
    {"requires_grad", kGuarded<GetRequiresGrad>, kGuarded<SetRequiresGrad>,
     "Whether gradients are recorded for it.", nullptr},
    {"is_leaf", kGuarded<GetIsLeaf>, nullptr,
     "Not computed by a recorded operator.", nullptr},
    {"lod", kGuarded<GetLod>, nullptr,
     "Lengths of sequences by level, or None.", nullptr},
    {"is_selected_rows", kGuarded<IsSelectedRows>, nullptr,
     "Whether it is some rows of a matrix, as sparse gradients are.", nullptr},
    {"rows", kGuarded<GetRows>, nullptr,
     "Which rows SelectedRows are: int64 numbers.", nullptr},
    {"values", kGuarded<GetValues>, nullptr,
     "What SelectedRows hold: a tensor over their memory.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                          TensorObject::kWeakOffset, READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyMethodDef methods[] = {
    {"numpy", kGuarded<NumpyOfTensor>, METH_NOARGS,
     "A NumPy array over the same memory; of a device's, a copy. Of a tensor "
     "of "
     "outside, in a traced function, read-only."},
    {"to_dense", kGuarded<ToDense>, METH_NOARGS,
     "The matrix that SelectedRows stand for; a dense tensor as it is."},
    {"item", kGuarded<ItemOfTensor>, METH_NOARGS,
     "The one element as a Python number."},
    {"detach", kGuarded<Detach>, METH_NOARGS,
     "The same memory, apart from the graph."},
    {"retain_grad", kGuarded<RetainGrad>, METH_NOARGS,
     "Keeps the gradient of a tensor that was computed."},
    {"_copy_elements", kGuarded<CopyElementsOf>, METH_O,
     "Copies another tensor's elements here, apart from the graph."},
    {"_become", kGuarded<Become>, METH_O,
     "Takes the elements and the gradient of an operator's result."},
    {"_mark_written", kGuarded<MarkWritten>, METH_NOARGS,
     "Tells autograd that the memory will be written by other means."},
    {"backward",
     reinterpret_cast<PyCFunction>(
         reinterpret_cast<void (*)()>(kGuarded<Backward>)),
     METH_VARARGS | METH_KEYWORDS,
     "backward(gradient=None, retain_graph=None, create_graph=False)\n\n"
     "Accumulates gradients into .grad of the leaves."},
    {"register_hook", kGuarded<AddHook>, METH_O,
     "Calls function(grad) in backward; it may return another gradient.\n"
     "Returns a handle with remove()."},
    {"_hooks", kGuarded<Hooks>, METH_NOARGS,
     "The functions among the hooks, in their order."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(ClearHooks)},
    {Py_tp_repr, reinterpret_cast<void*>(kGuarded<Repr>)},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_richcompare, reinterpret_cast<void*>(kGuarded<Compare>)},
    {Py_tp_hash, reinterpret_cast<void*>(kGuarded<Hash>)},
    SY_NUMBER_SLOTS,
    SY_INPLACE_SLOTS,
    {Py_sq_length, reinterpret_cast<void*>(kGuarded<Length>)},
    {Py_sq_item, reinterpret_cast<void*>(kGuarded<Row>)},
    {Py_mp_length, reinterpret_cast<void*>(kGuarded<Length>)},
    {Py_mp_subscript, reinterpret_cast<void*>(kGuarded<Subscript>)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(kGuarded<AssignSubscript>)},
    {Py_tp_doc,
     const_cast<char*>("An eager tensor; made by switchyard.tensor.")},
    {0, nullptr}};

PyType_Spec spec = {
    "switchyard._core.Tensor", sizeof(TensorObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots};

}  // namespace

int AddTensorType(PyObject* module) {
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_type == nullptr ? -1 : PyModule_AddType(module, tensor_type);
}

PyObject* WrapTensor(eager::Tensor tensor) {
  if (!tensor.defined()) Py_RETURN_NONE;
  // Untracked by the collector: AddHook tracks it.
  TensorObject* self = PyObject_GC_New(TensorObject, tensor_type);
  if (self == nullptr) return nullptr;
  new (&self->tensor) eager::Tensor(std::move(tensor));
  self->is_parameter = false;
  self->weak = nullptr;
  return reinterpret_cast<PyObject*>(self);
}

}  // namespace switchyard::python
