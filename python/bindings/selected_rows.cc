// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/selected_rows.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

#include "eager/call/autograd_ops.h"
#include "eager/ops/autograd_ops.h"
#include "eager/tensor/tensor.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/trace_call.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

bool HasRows(PyObject* self) {
  return GetTensor(self).kind() == TensorKind::kSelectedRows;
}

PyObject* KindError(const char* what, PyObject* self) {
  PyErr_Format(PyExc_AttributeError, "%s: tensor must be selected_rows, got %s",
               what, std::string(Name(GetTensor(self).kind())).c_str());
  return nullptr;
}

// Zeros, plus the rows.
absl::StatusOr<static_graph::ir::Value> DenseValue(const ValueObject& rows) {
  if (rows.type.kind() != TensorKind::kSelectedRows) {
    return TypeError("value", "dense or selected_rows", Name(rows.type.kind()));
  }
  static_graph::GraphBuilder& builder = rows.graph->builder;
  SY_RETURN_IF_ERROR(builder.CheckVisible("value", rows.region));
  const Shape& shape = rows.type.shape();
  if (!shape.known()) {
    return ArgumentError("value", "of a known shape", ToString(shape));
  }
  std::vector<int64_t> extents;
  for (const Dim dim : shape.dims()) extents.push_back(dim.value());
  const Scalar zero(0.0);
  SY_ASSIGN_OR_RETURN(
      const static_graph::ir::Value zeros,
      builder.Call("full", {},
                   {absl::MakeConstSpan(extents), zero, rows.type.dtype()}));
  return builder.Call("add", {zeros, rows.value});
}

}  // namespace

PyObject* IsSelectedRows(PyObject* self, void*) {
  return PyBool_FromLong(HasRows(self));
}

PyObject* GetRows(PyObject* self, void*) {
  if (!HasRows(self)) return KindError("rows", self);
  const std::vector<int64_t>& rows = GetTensor(self).selected_rows().rows();
  try {
    // With the stride: of NumPy 2, pybind11 2.10 reads another.
    const auto size = static_cast<py::ssize_t>(rows.size());
    return py::array_t<int64_t>({size}, {py::ssize_t{sizeof(int64_t)}},
                                rows.data())
        .release()
        .ptr();
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* GetValues(PyObject* self, void*) {
  if (!HasRows(self)) return KindError("values", self);
  return WrapTensor(eager::Tensor(GetTensor(self).selected_rows().values()));
}

PyObject* ToDense(PyObject* self, PyObject*) {
  if (!HasRows(self)) {
    Py_INCREF(self);
    return self;
  }
  absl::StatusOr<eager::Tensor> dense =
      eager::autograd_ops.Densify(GetTensor(self));
  if (!dense.ok()) return SetError(Annotate(dense.status(), "to_dense"));
  return WrapTensor(*std::move(dense));
}

PyObject* IsValueSelectedRows(PyObject* self, void*) {
  return PyBool_FromLong(GetValue(self).type.kind() ==
                         TensorKind::kSelectedRows);
}

PyObject* ValueToDense(PyObject* self, PyObject*) {
  const ValueObject& value = GetValue(self);
  if (value.type.kind() == TensorKind::kDense) {
    Py_INCREF(self);
    return self;
  }
  absl::StatusOr<static_graph::ir::Value> dense = DenseValue(value);
  if (!dense.ok()) return SetError(Annotate(dense.status(), "to_dense"));
  return WrapValue(value.graph, *dense);
}

}  // namespace switchyard::python
