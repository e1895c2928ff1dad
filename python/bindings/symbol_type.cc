// SPDX-License-Identifier: Apache-2.0
// switchyard.static.Symbol: an extent of a traced value that is known only when
// the program runs, as `x.shape[0]` gives it. It goes where an attribute may
// come from a tensor, and into arithmetic, where it is a 0-d int64 value. Two
// symbols are equal if the extents are known to be; what only a run can tell is
// an error.
#include <string>
#include <utility>

#include "absl/hash/hash.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/operators.h"
#include "python/bindings/py_call.h"
#include "python/bindings/trace_call.h"

namespace switchyard::python {

PyTypeObject* symbol_type = nullptr;

namespace {

Dim DimOf(const SymbolObject& symbol) {
  return GetValue(symbol.value).type.shape()[symbol.axis];
}

void Dealloc(PyObject* self) {
  Py_XDECREF(GetSymbol(self).value);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* Repr(PyObject* self) {
  const std::string text = ToString(DimOf(GetSymbol(self)));
  return PyUnicode_FromString(text.c_str());
}

// Whether two symbols are known to be the same extent.
bool IsSame(const SymbolObject& a, const SymbolObject& b) {
  const ValueObject& x = GetValue(a.value);
  const ValueObject& y = GetValue(b.value);
  if (x.graph != y.graph) return false;
  if (DimOf(a).symbolic()) return DimOf(a) == DimOf(b);
  return x.value == y.value && a.axis == b.axis;
}

PyObject* CompareSymbols(PyObject* a, PyObject* b, int comparison) {
  if (comparison != Py_EQ && comparison != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const bool symbols = IsSymbol(a) && IsSymbol(b);
  if (!symbols && !PyLong_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  if (symbols && IsSame(GetSymbol(a), GetSymbol(b))) {
    return PyBool_FromLong(comparison == Py_EQ);
  }
  PyErr_Format(PyExc_TypeError,
               "whether the extent %R is %R is known only when the program "
               "runs: compare values (sy.equal) and branch by sy.static.cond",
               a, b);
  return nullptr;
}

Py_hash_t HashSymbol(PyObject* self) {
  const SymbolObject& symbol = GetSymbol(self);
  const Dim dim = DimOf(symbol);
  const size_t hash =
      dim.symbolic() ? absl::HashOf(dim.symbol())
                     : absl::HashOf(GetValue(symbol.value).value, symbol.axis);
  return hash == static_cast<size_t>(-1) ? -2 : static_cast<Py_hash_t>(hash);
}

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(kGuarded<Repr>)},
    {Py_tp_richcompare, reinterpret_cast<void*>(kGuarded<CompareSymbols>)},
    {Py_tp_hash, reinterpret_cast<void*>(kGuarded<HashSymbol>)},
    SY_NUMBER_SLOTS,
    {Py_tp_doc,
     const_cast<char*>(
         "An extent of a traced value, known when the program runs.")},
    {0, nullptr}};

PyType_Spec spec = {"switchyard._core.Symbol", sizeof(SymbolObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyObject* NewSymbol(PyObject* value, int axis) {
  PyObject* self = symbol_type->tp_alloc(symbol_type, 0);
  if (self == nullptr) return nullptr;
  GetSymbol(self).value = Py_NewRef(value);
  GetSymbol(self).axis = axis;
  return self;
}

}  // namespace

int AddSymbolType(PyObject* module) {
  symbol_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (symbol_type == nullptr) return -1;
  return PyModule_AddType(module, symbol_type);
}

PyObject* ValueOfSymbol(PyObject* symbol) {
  PyObject* axis = PyLong_FromLong(GetSymbol(symbol).axis);
  if (axis == nullptr) return nullptr;
  PyObject* value = CallOpFunction("extent", {GetSymbol(symbol).value, axis});
  Py_DECREF(axis);
  return value;
}

PyObject* TupleOfSymbols(PyObject* value) {
  return TupleOfShape(GetValue(value).type.shape(),
                      [value](int axis) { return NewSymbol(value, axis); });
}

}  // namespace switchyard::python
