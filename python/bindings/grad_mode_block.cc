// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/grad_mode_block.h"

#include <new>
#include <vector>

#include "eager/autograd/grad_mode.h"
#include "python/bindings/errors.h"

namespace switchyard::python {
namespace {

struct BlockObject {
  PyObject_HEAD
      // The modes around the blocks that are open, innermost last.
      std::vector<eager::GradMode>
          before;
};

BlockObject& BlockOf(PyObject* self) {
  return *reinterpret_cast<BlockObject*>(self);
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self != nullptr) new (&BlockOf(self).before) std::vector<eager::GradMode>;
  return self;
}

void Dealloc(PyObject* self) {
  BlockOf(self).before.~vector();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* Enter(PyObject* self, PyObject*) {
  PyObject* on = PyObject_GetAttrString(self, "_on");
  if (on == nullptr) return nullptr;
  const int truth = PyObject_IsTrue(on);
  Py_DECREF(on);
  if (truth < 0) return nullptr;
  BlockOf(self).before.push_back(eager::CurrentGradMode());
  eager::SetGradMode(truth != 0 ? eager::GradMode::kOn : eager::GradMode::kOff);
  Py_INCREF(self);
  return self;
}

PyObject* Exit(PyObject* self, PyObject*) {
  std::vector<eager::GradMode>& before = BlockOf(self).before;
  if (before.empty()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "__exit__: the block must be open, got one that is not");
    return nullptr;
  }
  eager::SetGradMode(before.back());
  before.pop_back();
  Py_RETURN_FALSE;
}

PyMethodDef methods[] = {
    {"__enter__", kGuarded<Enter>, METH_NOARGS, "Sets the mode."},
    {"__exit__", Exit, METH_VARARGS, "Sets the mode from before the block."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(New)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char*>("Sets the thread's grad mode for a block.")},
    {0, nullptr}};

PyType_Spec spec = {"switchyard._core.GradModeBlock", sizeof(BlockObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

int AddGradModeBlockType(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) return -1;
  const int rc =
      PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type));
  Py_DECREF(type);
  return rc;
}

}  // namespace switchyard::python
