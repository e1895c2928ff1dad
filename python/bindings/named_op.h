// SPDX-License-Identifier: Apache-2.0
// NamedOp: an operator that code of the bindings calls by its name.
#ifndef SWITCHYARD_PYTHON_BINDINGS_NAMED_OP_H_
#define SWITCHYARD_PYTHON_BINDINGS_NAMED_OP_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <initializer_list>

#include "python/bindings/py_call.h"

namespace switchyard::python {

// An operator by name, looked up once: under the GIL, when first called.
class NamedOp {
 public:
  explicit constexpr NamedOp(const char* name) : name_(name) {}
  const char* name() const { return name_; }
  bool exists() { return Function() != nullptr; }
  PyObject* operator()(std::initializer_list<PyObject*> args) {
    if (!exists()) return CallOpFunction(name_, args);
    return CallOpFunction(*function_, args);
  }

 private:
  const OpFunction* Function() {
    if (function_ == nullptr) function_ = FindOpFunction(name_);
    return function_;
  }

  const char* name_;
  const OpFunction* function_ = nullptr;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_NAMED_OP_H_
