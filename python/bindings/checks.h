// SPDX-License-Identifier: Apache-2.0
// Check and Source: what a traced program depends on, and whether it is still
// what it was, compared before each step.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CHECKS_H_
#define SWITCHYARD_PYTHON_BINDINGS_CHECKS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

#include "absl/types/span.h"

namespace switchyard::python {

// Compares an object of Python's with what another one was. The objects that a
// check was made of are borrowed: they belong to the guard
// (switchyard/static/guards.py) that made it, where Python's collector sees
// them. Used under the GIL.
class Check {
 public:
  virtual ~Check() = default;
  // Returns true if `value` is what it was. What raises an error is not, and
  // the error is cleared.
  virtual bool Holds(PyObject* value) const = 0;
};
using CheckRef = std::shared_ptr<const Check>;

// That it is the object, of which `weak`, if not null, is a weak reference.
CheckRef CheckSame(PyObject* object, PyObject* weak);
// That it is of the object's type and equal.
CheckRef CheckExact(PyObject* object);
// That it is of the type of a float, a complex or a scalar of NumPy, and has
// its bits. Null with an error set on failure.
CheckRef CheckBits(PyObject* object);
// That it is the array of NumPy and has the elements that the array has now.
// Null with an error set on failure.
CheckRef CheckArray(PyObject* array);
// That it is a container of this type, list, tuple, dict or a kind of them, of
// `length` items, of which the first are as `checks` say. `keys`, a list, are
// the first keys of a dict, else null.
CheckRef CheckItems(PyObject* type, Py_ssize_t length, PyObject* keys,
                    std::vector<CheckRef> checks);
// That it is a set that equals the frozenset.
CheckRef CheckMembers(PyObject* frozenset);
// That it is what `same` says, and its own attributes of the `names`, a tuple,
// are as the checks say; `missing` stands for one that is not there.
CheckRef CheckAttributes(CheckRef same, PyObject* names, PyObject* missing,
                         std::vector<CheckRef> checks);
// That it is a functools.partial, of the type, of what the three checks say.
CheckRef CheckPartial(PyObject* type, std::vector<CheckRef> checks);
// That it is a tensor whose elements are what those of `tensor` are now: by
// their bits, or of many, with gaps or not on the host, by how often the memory
// was written.
CheckRef CheckElements(PyObject* tensor);

// Returns what an object itself holds under a name, in its dictionary or a
// slot: a new reference, or null without an error.
PyObject* OwnAttribute(PyObject* object, PyObject* name);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CHECKS_H_
