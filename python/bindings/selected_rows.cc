// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/selected_rows.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

#include "eager/autograd/rows_sum.h"
#include "eager/tensor.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

bool HasRows(PyObject* self) {
  return TensorOf(self).kind() == TensorKind::kSelectedRows;
}

PyObject* DenseError(const char* what) {
  PyErr_Format(PyExc_AttributeError,
               "%s: tensor must be SelectedRows, got a dense one", what);
  return nullptr;
}

}  // namespace

PyObject* IsSelectedRows(PyObject* self, void*) {
  return PyBool_FromLong(HasRows(self));
}

PyObject* GetRows(PyObject* self, void*) {
  if (!HasRows(self)) return DenseError("rows");
  const std::vector<int64_t>& rows = TensorOf(self).selected_rows().rows();
  try {
    return py::array_t<int64_t>(static_cast<py::ssize_t>(rows.size()),
                                rows.data())
        .release()
        .ptr();
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* GetValues(PyObject* self, void*) {
  if (!HasRows(self)) return DenseError("values");
  return WrapTensor(eager::Tensor(TensorOf(self).selected_rows().values()));
}

PyObject* ToDense(PyObject* self, PyObject*) {
  if (!HasRows(self)) {
    Py_INCREF(self);
    return self;
  }
  absl::StatusOr<eager::Tensor> dense = eager::Densified(TensorOf(self));
  if (!dense.ok()) return SetError(Annotate(dense.status(), "to_dense"));
  return WrapTensor(*std::move(dense));
}

}  // namespace switchyard::python
