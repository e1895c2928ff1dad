// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/signature.h"

#include <pybind11/numpy.h>

#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

void AppendNumber(int64_t number, std::string* signature) {
  signature->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The length goes before, so that no text can look like two.
void AppendText(std::string_view text, std::string* signature) {
  AppendNumber(static_cast<int64_t>(text.size()), signature);
  signature->append(text);
}

bool AppendTextOf(PyObject* object, std::string* signature) {
  PyObject* const text = PyObject_Str(object);
  Py_ssize_t size = 0;
  const char* const utf8 =
      text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 != nullptr) {
    AppendText({utf8, static_cast<size_t>(size)}, signature);
  }
  Py_XDECREF(text);
  return utf8 != nullptr;
}

void AppendTensor(const eager::Tensor& tensor, std::string* signature) {
  signature->push_back('t');
  signature->push_back(static_cast<char>(tensor.kind()));
  signature->push_back(static_cast<char>(tensor.dtype()));
  const Shape shape = tensor.shape();
  AppendNumber(shape.rank(), signature);
  for (int axis = 1; axis < shape.rank(); ++axis) {
    AppendNumber(shape[axis].known() ? shape.extent(axis) : -1, signature);
  }
}

bool AppendArray(const py::array& array, std::string* signature) {
  signature->push_back('a');
  AppendNumber(array.ndim(), signature);
  for (py::ssize_t axis = 1; axis < array.ndim(); ++axis) {
    AppendNumber(array.shape(axis), signature);
  }
  const py::dtype dtype = array.dtype();
  signature->push_back(dtype.kind());
  signature->push_back(dtype.byteorder());
  AppendNumber(dtype.itemsize(), signature);
  return true;
}

// Appends an object that is neither a tensor nor an array: its type, and the
// facts that it states of itself.
bool AppendOther(PyObject* object, std::string* signature) {
  signature->push_back('o');
  AppendNumber(reinterpret_cast<intptr_t>(Py_TYPE(object)), signature);
  for (const char* name : {"dtype", "shape"}) {
    PyObject* const said = PyObject_GetAttrString(object, name);
    if (said == nullptr) {
      PyErr_Clear();
      continue;
    }
    const bool ok = AppendTextOf(said, signature);
    Py_DECREF(said);
    if (!ok) return false;
  }
  return true;
}

bool AppendSequence(PyObject* sequence, std::string* signature) {
  const bool list = PyList_Check(sequence);
  signature->push_back(list ? 'l' : 'u');
  const Py_ssize_t size =
      list ? PyList_GET_SIZE(sequence) : PyTuple_GET_SIZE(sequence);
  AppendNumber(size, signature);
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* const item =
        list ? PyList_GetItem(sequence, i) : PyTuple_GET_ITEM(sequence, i);
    if (item == nullptr || !AppendSignature(item, signature)) return false;
  }
  return true;
}

bool AppendDict(PyObject* dict, std::string* signature) {
  signature->push_back('d');
  AppendNumber(PyDict_Size(dict), signature);
  Py_ssize_t position = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &position, &key, &value)) {
    if (!AppendTextOf(key, signature) || !AppendSignature(value, signature)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool AppendSignature(PyObject* argument, std::string* signature) {
  if (IsTensor(argument)) {
    AppendTensor(GetTensor(argument), signature);
    return true;
  }
  if (py::isinstance<py::array>(argument)) {
    return AppendArray(py::reinterpret_borrow<py::array>(argument), signature);
  }
  if (argument == Py_None) {
    signature->push_back('n');
    return true;
  }
  const bool dict = PyDict_Check(argument);
  if (!dict && !PyList_Check(argument) && !PyTuple_Check(argument)) {
    return AppendOther(argument, signature);
  }
  // A list that contains itself would not end.
  if (Py_EnterRecursiveCall(" in the arguments of a step") != 0) return false;
  const bool ok = dict ? AppendDict(argument, signature)
                       : AppendSequence(argument, signature);
  Py_LeaveRecursiveCall();
  return ok;
}

}  // namespace switchyard::python
