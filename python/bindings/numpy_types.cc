// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/numpy_types.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

namespace py = pybind11;

namespace switchyard::python {
namespace {

// The first number of a type that NumPy does not have of itself.
constexpr int kFirstAddedType = 256;

}  // namespace

// NumPy's numbers of the types that we have, part of its ABI (NPY_TYPES): NumPy
// 2 moved the size of the elements, which pybind11 2.10 looks for where NumPy 1
// has it.
DataType DataTypeOfNumpy(const py::dtype& dtype) {
  switch (dtype.num()) {
    case 0:
      return DataType::kBool;
    case 1:
      return DataType::kInt8;
    case 2:
      return DataType::kUInt8;
    case 3:
      return DataType::kInt16;
    case 4:
      return DataType::kUInt16;
    case 5:
      return DataType::kInt32;
    case 6:
      return DataType::kUInt32;
    case 7:  // C's long and long long.
    case 9:
      return DataType::kInt64;
    case 8:
    case 10:
      return DataType::kUInt64;
    case 11:
      return DataType::kFloat32;
    case 12:
      return DataType::kFloat64;
    case 14:
      return DataType::kComplex64;
    case 15:
      return DataType::kComplex128;
    case 23:
      return DataType::kFloat16;
    default:
      break;
  }
  // Types that other packages add to NumPy: ml_dtypes has the storage types.
  if (dtype.num() < kFirstAddedType) return DataType::kUndefined;
  const std::optional<DataType> added =
      ParseDataType(py::cast<std::string>(dtype.attr("name")));
  return added.has_value() && IsStorage(*added) ? *added : DataType::kUndefined;
}

py::dtype NumpyOf(DataType dtype) {
  if (!IsStorage(dtype)) return py::dtype(std::string(Name(dtype)));
  PyObject* const modules = PyImport_GetModuleDict();
  PyObject* const added = PyDict_GetItemString(modules, "ml_dtypes");
  const std::string name(Name(dtype));
  if (added == nullptr || !py::hasattr(added, name.c_str())) {
    return py::dtype("u1");
  }
  return py::dtype::from_args(
      py::reinterpret_borrow<py::object>(added).attr(name.c_str()));
}

}  // namespace switchyard::python
