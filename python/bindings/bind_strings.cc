// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "eager/tensor/tensor_impl.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/string_tensor.h"
#include "python/bindings/bind.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

py::object StringTensorOf(const std::vector<int64_t>& extents,
                          std::vector<std::string> texts) {
  const Shape shape = ValueOrThrow(Shape::Make(extents));
  const StringTensor tensor(shape, std::move(texts));
  return py::reinterpret_steal<py::object>(
      WrapTensor(eager::Tensor(RefPtr<eager::TensorImpl>::Adopt(
          new eager::TensorImpl(CopyTensor(tensor))))));
}

// The texts of a StringTensor in row-major order.
py::list TextsOf(py::handle object) {
  if (!IsTensor(object.ptr()) ||
      GetTensor(object.ptr()).kind() != TensorKind::kStrings) {
    ThrowIfError(TypeError("x", "a tensor of strings",
                           py::cast<std::string>(py::repr(object))));
  }
  const auto& tensor =
      static_cast<const StringTensor&>(GetTensor(object.ptr()).base());
  py::list texts;
  for (const std::string& text : tensor.elements()) {
    PyObject* const decoded = PyUnicode_DecodeUTF8(
        text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (decoded == nullptr) throw py::error_already_set();
    texts.append(py::reinterpret_steal<py::object>(decoded));
  }
  return texts;
}

}  // namespace

void BindStrings(py::module_& module) {
  module.def("string_tensor", &StringTensorOf, py::arg("shape"),
             py::arg("texts"),
             "The tensor of strings of this shape; texts in row-major order.");
  module.def("string_texts", &TextsOf, py::arg("x"),
             "The texts of a tensor of strings, in row-major order.");
}

}  // namespace switchyard::python
