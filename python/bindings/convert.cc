// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/convert.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

// The dtype of NumPy's one-letter kind and size; kUndefined if we lack it.
DataType DataTypeOfNumpy(const py::dtype& dtype) {
  switch (dtype.kind()) {
    case 'b':
      return DataType::kBool;
    case 'u':
      return dtype.itemsize() == 1 ? DataType::kUInt8 : DataType::kUndefined;
    case 'i':
      switch (dtype.itemsize()) {
        case 1:
          return DataType::kInt8;
        case 2:
          return DataType::kInt16;
        case 4:
          return DataType::kInt32;
        default:
          return DataType::kInt64;
      }
    case 'f':
      switch (dtype.itemsize()) {
        case 2:
          return DataType::kFloat16;
        case 4:
          return DataType::kFloat32;
        case 8:
          return DataType::kFloat64;
        default:
          return DataType::kUndefined;
      }
    default:
      return DataType::kUndefined;
  }
}

py::dtype NumpyOf(DataType dtype) {
  return py::dtype(std::string(Name(dtype)));
}

// A Python object that NumPy would give a 64-bit float: our default is 32.
bool HoldsPythonFloats(PyObject* object) {
  if (PyFloat_Check(object)) return true;
  if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (HoldsPythonFloats(PySequence_Fast_GET_ITEM(object, i))) return true;
  }
  return false;
}

absl::StatusOr<DenseTensor> AllocateTensor(DataType dtype, const Shape& shape) {
  SY_ASSIGN_OR_RETURN(const int64_t bytes, CheckedByteSize(dtype, shape));
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer, CpuAllocator().Allocate(bytes));
  DenseTensor tensor;
  tensor.SetMeta(dtype, shape, Place::Cpu());
  tensor.SetBuffer(std::move(buffer));
  return tensor;
}

// bfloat16 has no NumPy dtype: it travels as float32.
absl::StatusOr<DenseTensor> ToBFloat16(const py::array& array,
                                       const Shape& shape) {
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      AllocateTensor(DataType::kBFloat16, shape));
  const float* from = static_cast<const float*>(array.data());
  bfloat16* to = tensor.mutable_data<bfloat16>();
  for (int64_t i = 0; i < tensor.numel(); ++i) to[i] = bfloat16(from[i]);
  return tensor;
}

absl::StatusOr<DenseTensor> CopyArray(std::string_view argument,
                                      const py::array& source, DataType dtype) {
  DataType own = DataTypeOfNumpy(source.dtype());
  if (own == DataType::kUndefined) {
    return TypeError(argument, "an array of a supported dtype",
                     py::cast<std::string>(py::str(source.dtype())));
  }
  if (dtype == DataType::kUndefined) dtype = own;
  const bool brain = dtype == DataType::kBFloat16;
  const py::array array = py::array::ensure(
      source.attr("astype")(NumpyOf(brain ? DataType::kFloat32 : dtype),
                            py::arg("order") = "C", py::arg("copy") = false),
      py::array::c_style);
  if (!array) {
    return TypeError(argument, "an array", "what NumPy can't convert");
  }
  std::vector<int64_t> extents(array.shape(), array.shape() + array.ndim());
  SY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(extents));
  if (brain) return ToBFloat16(array, shape);
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, AllocateTensor(dtype, shape));
  if (tensor.numel() > 0) {
    std::memcpy(tensor.mutable_data<char>(), array.data(), array.nbytes());
  }
  return tensor;
}

}  // namespace

absl::StatusOr<DenseTensor> TensorFromObject(std::string_view argument,
                                             PyObject* object, DataType dtype) {
  if (dtype == DataType::kUndefined && HoldsPythonFloats(object)) {
    dtype = DataType::kFloat32;
  }
  try {
    const py::array array = py::array::ensure(py::handle(object));
    if (!array) {
      PyErr_Clear();
      return TypeError(argument, "a tensor, an array or a number",
                       TypeName(object));
    }
    return CopyArray(argument, array, dtype);
  } catch (py::error_already_set& error) {
    return TypeError(argument, "an array", error.what());
  }
}

bool IsNumber(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object);
}

absl::StatusOr<eager::Tensor> NumberAsTensor(std::string_view argument,
                                             PyObject* number, DataType other) {
  const DataType dtype =
      PyFloat_Check(number) && !IsFloating(other) ? DataType::kFloat32 : other;
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      TensorFromObject(argument, number, dtype));
  return eager::Tensor(std::move(tensor));
}

PyObject* ArrayFromTensor(const DenseTensor& tensor) {
  try {
    if (tensor.dtype() == DataType::kBFloat16) {
      std::vector<py::ssize_t> shape;
      for (const Dim& dim : tensor.shape().dims()) shape.push_back(dim.value());
      py::array_t<float> array(shape);
      const bfloat16* from = tensor.data<bfloat16>();
      for (int64_t i = 0; i < tensor.numel(); ++i) {
        array.mutable_data()[i] = static_cast<float>(from[i]);
      }
      return array.release().ptr();
    }
    const auto size = static_cast<int64_t>(SizeOf(tensor.dtype()));
    std::vector<py::ssize_t> shape, strides;
    for (int i = 0; i < tensor.rank(); ++i) {
      shape.push_back(tensor.extent(i));
      strides.push_back(tensor.strides()[i] * size);
    }
    // The capsule keeps the buffer alive as long as the array.
    auto* buffer = RefPtr<Buffer>(tensor.buffer()).release();
    py::capsule owner(buffer, [](void* p) {
      RefPtr<Buffer>::Adopt(static_cast<Buffer*>(p));
    });
    return py::array(NumpyOf(tensor.dtype()), shape, strides, tensor.raw_data(),
                     owner)
        .release()
        .ptr();
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* TupleOfShape(const Shape& shape) {
  PyObject* tuple = PyTuple_New(shape.rank());
  if (tuple == nullptr) return nullptr;
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* extent = Py_None;
    if (shape[i].known()) {
      extent = PyLong_FromLongLong(shape.extent(i));
    } else {
      Py_INCREF(extent);
    }
    PyTuple_SET_ITEM(tuple, i, extent);
  }
  return tuple;
}

absl::StatusOr<DataType> DataTypeFromObject(std::string_view argument,
                                            PyObject* object) {
  if (object == Py_None) return DataType::kUndefined;
  if (PyUnicode_Check(object)) {
    const char* text = PyUnicode_AsUTF8(object);
    std::optional<DataType> dtype =
        text == nullptr ? std::nullopt : ParseDataType(text);
    if (dtype.has_value()) return *dtype;
    PyErr_Clear();
    return TypeError(argument, "the name of a dtype",
                     text == nullptr ? "text" : text);
  }
  try {
    const DataType dtype = DataTypeOfNumpy(
        py::dtype::from_args(py::reinterpret_borrow<py::object>(object)));
    if (dtype != DataType::kUndefined) return dtype;
  } catch (py::error_already_set&) {
    // Falls through to our own sentence.
  }
  return TypeError(argument, "a dtype", TypeName(object));
}

}  // namespace switchyard::python
