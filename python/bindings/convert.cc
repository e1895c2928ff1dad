// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/convert.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "framework/device/cpu/strided_copy.h"
#include "framework/device/transfer.h"
#include "framework/memory/buffer_watch.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

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
    case 5:
      return DataType::kInt32;
    case 7:  // C's long and long long.
    case 9:
      return DataType::kInt64;
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
      return DataType::kUndefined;
  }
}

py::dtype NumpyOf(DataType dtype) {
  return py::dtype(std::string(Name(dtype)));
}

// The default dtype for Python's own numbers: complex64 if one is complex,
// float32 if one is a float, else kUndefined. A list may hold itself: what is
// deeper than a tensor's axes doesn't count.
DataType DtypeOfPythonFloats(PyObject* object, int depth = 0) {
  if (PyFloat_CheckExact(object)) return DataType::kFloat32;
  if (PyComplex_CheckExact(object)) return DataType::kComplex64;
  DataType dtype = DataType::kUndefined;
  if (!PyList_Check(object) && !PyTuple_Check(object)) return dtype;
  if (depth == kMaxRank) return dtype;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < size && !IsComplex(dtype); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(object, i);
    const DataType found = DtypeOfPythonFloats(item, depth + 1);
    if (found != DataType::kUndefined) dtype = found;
  }
  return dtype;
}

// An array over the tensor's memory, which it keeps alive.
py::array ArrayOver(const DenseTensor& tensor, const py::dtype& dtype) {
  const auto size = static_cast<py::ssize_t>(ElementSize(tensor.dtype()));
  std::vector<py::ssize_t> shape, strides;
  for (int i = 0; i < tensor.rank(); ++i) {
    shape.push_back(tensor.extent(i));
    strides.push_back(tensor.strides()[i] * size);
  }
  auto memory = std::make_unique<LentBuffer>(tensor.buffer());
  const py::capsule owner(memory.get(), [](void* p) {
    delete static_cast<LentBuffer*>(p);  // NOLINT: the array's until here.
  });
  static_cast<void>(memory.release());  // The capsule's from here on.
  return py::array(dtype, shape, strides, tensor.raw_data(), owner);
}

// Elements of the same size, whose bits NumPy copies.
py::array BitsOver(const DenseTensor& tensor) {
  if (tensor.dtype() == DataType::kComplex128) {
    return ArrayOver(tensor, NumpyOf(tensor.dtype()));
  }
  return ArrayOver(
      tensor, py::dtype("u" + std::to_string(ElementSize(tensor.dtype()))));
}

// bfloat16 has no NumPy dtype: it travels as float32.
absl::StatusOr<DenseTensor> ToBFloat16(const py::array& array,
                                       const Shape& shape) {
  SY_ASSIGN_OR_RETURN(
      DenseTensor tensor,
      DenseTensor::Allocate(DataType::kBFloat16, shape, CpuAllocator()));
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
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      DenseTensor::Allocate(dtype, shape, CpuAllocator()));
  if (tensor.numel() > 0) {
    std::memcpy(tensor.mutable_data<char>(), array.data(),
                tensor.numel() * ElementSize(dtype));
  }
  return tensor;
}

}  // namespace

absl::StatusOr<DenseTensor> TensorFromObject(std::string_view argument,
                                             PyObject* object, DataType dtype) {
  if (dtype == DataType::kUndefined) dtype = DtypeOfPythonFloats(object);
  try {
    const py::array array = py::array::ensure(py::handle(object));
    if (!array) {
      PyErr_Clear();
      return TypeError(argument,
                       "a tensor, an array, a number or lists of one shape",
                       TypeName(object));
    }
    return CopyArray(argument, array, dtype);
  } catch (py::error_already_set& error) {
    return TypeError(argument, "an array", error.what());
  }
}

namespace {

DataType DtypeOfNumber(PyObject* number, DataType other) {
  if (PyComplex_Check(number)) return ComplexOf(other);
  if (IsComplex(other)) return other;
  if (PyFloat_Check(number)) {
    return IsFloating(other) ? other : DataType::kFloat32;
  }
  if (PyBool_Check(number)) {
    return other == DataType::kUndefined ? DataType::kBool : other;
  }
  return IsFloating(other) || IsInteger(other) ? other : DataType::kInt64;
}

template <typename T>
absl::Status StoreInt(std::string_view argument, PyObject* number,
                      DenseTensor* tensor) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0 || value < std::numeric_limits<T>::min() ||
      value > std::numeric_limits<T>::max()) {
    return ArgumentError(
        argument,
        "a number that " + std::string(Name(tensor->dtype())) + " holds",
        "one outside");
  }
  *tensor->mutable_data<T>() = static_cast<T>(value);
  return absl::OkStatus();
}

template <typename T>
absl::Status StoreComplex(std::string_view argument, PyObject* number,
                          DenseTensor* tensor) {
  const Py_complex value = PyComplex_AsCComplex(number);
  if (value.real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return ArgumentError(argument, "a number that complex128 holds",
                         "one outside");
  }
  *tensor->mutable_data<std::complex<T>>() = {static_cast<T>(value.real),
                                              static_cast<T>(value.imag)};
  return absl::OkStatus();
}

absl::Status StoreNumber(std::string_view argument, PyObject* number,
                         DenseTensor* tensor) {
  if (tensor->dtype() == DataType::kComplex64) {
    return StoreComplex<float>(argument, number, tensor);
  }
  if (tensor->dtype() == DataType::kComplex128) {
    return StoreComplex<double>(argument, number, tensor);
  }
  const double real = PyFloat_AsDouble(number);
  if (real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return ArgumentError(argument, "a number that float64 holds",
                         "one outside");
  }
  switch (tensor->dtype()) {
    case DataType::kBool:
      *tensor->mutable_data<bool>() = real != 0;
      return absl::OkStatus();
    case DataType::kFloat16:
      *tensor->mutable_data<float16>() = float16(real);
      return absl::OkStatus();
    case DataType::kBFloat16:
      *tensor->mutable_data<bfloat16>() = bfloat16(real);
      return absl::OkStatus();
    case DataType::kFloat32:
      *tensor->mutable_data<float>() = static_cast<float>(real);
      return absl::OkStatus();
    case DataType::kFloat64:
      *tensor->mutable_data<double>() = real;
      return absl::OkStatus();
    case DataType::kUInt8:
      return StoreInt<uint8_t>(argument, number, tensor);
    case DataType::kInt8:
      return StoreInt<int8_t>(argument, number, tensor);
    case DataType::kInt16:
      return StoreInt<int16_t>(argument, number, tensor);
    case DataType::kInt32:
      return StoreInt<int32_t>(argument, number, tensor);
    default:
      return StoreInt<int64_t>(argument, number, tensor);
  }
}

}  // namespace

absl::StatusOr<DenseTensor> NumberAsTensor(std::string_view argument,
                                           PyObject* number, DataType other) {
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      DenseTensor::Allocate(DtypeOfNumber(number, other),
                                            Shape(), CpuAllocator()));
  SY_RETURN_IF_ERROR(StoreNumber(argument, number, &tensor));
  return tensor;
}

namespace {

// Whether elements share memory by a stride of 0.
bool IsExpanded(const DenseTensor& tensor) {
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.strides()[axis] == 0 && tensor.extent(axis) > 1) return true;
  }
  return false;
}

// CopyElements() where one of the two lies on a device.
absl::Status CopyBetweenPlaces(std::string_view argument,
                               const DenseTensor& from, DenseTensor& to) {
  SY_ASSIGN_OR_RETURN(DenseTensor elements, OnHost(from));
  if (to.place() == Place::Cpu()) return CopyElements(argument, elements, to);
  if (to.contiguous() && elements.contiguous()) {
    return CopyBytes(BytesOf(elements), BytesOf(to), to.byte_size());
  }
  // The whole buffer goes there and back, with what lies between.
  SY_ASSIGN_OR_RETURN(DenseTensor written, OnHost(to));
  SY_RETURN_IF_ERROR(CopyElements(argument, elements, written));
  if (to.contiguous()) {
    return CopyBytes(BytesOf(written), BytesOf(to), to.byte_size());
  }
  return CopyBytes({written.buffer().get(), written.buffer()->data()},
                   {to.buffer().get(), to.buffer()->data()},
                   to.buffer()->size());
}

}  // namespace

absl::Status CopyElements(std::string_view argument, const DenseTensor& from,
                          DenseTensor& to) {
  if (from.dtype() != to.dtype() || from.shape() != to.shape()) {
    return ArgumentError(argument, ToString(to), ToString(from));
  }
  if (to.numel() == 0) return absl::OkStatus();
  if (IsExpanded(to)) {
    return absl::FailedPreconditionError(
        std::string(argument) +
        ": what is written must have memory for each of its elements, got an "
        "expanded view: clone() it");
  }
  if (from.place() != Place::Cpu() || to.place() != Place::Cpu()) {
    return CopyBetweenPlaces(argument, from, to);
  }
  const size_t size = ElementSize(to.dtype());
  const Shape& shape = to.shape();
  DenseTensor source = from;
  // A tensor may be read where it is written: x[1:].copy_(x[:-1]).
  if (from.buffer() == to.buffer()) {
    SY_ASSIGN_OR_RETURN(
        source, DenseTensor::Allocate(from.dtype(), shape, CpuAllocator()));
    CopyStrided(size, shape, from.raw_data(), from.strides(),
                source.mutable_data<void>(), source.strides());
  }
  CopyStrided(size, shape, source.raw_data(), source.strides(),
              to.mutable_data<void>(), to.strides());
  return absl::OkStatus();
}

PyObject* ArrayFromTensor(const DenseTensor& tensor) {
  try {
    if (tensor.dtype() != DataType::kBFloat16) {
      return ArrayOver(tensor, NumpyOf(tensor.dtype())).release().ptr();
    }
    // The upper halves of float32s.
    const py::object halves = BitsOver(tensor).attr("astype")("u4");
    const py::object bits =
        halves.attr("__lshift__")(py::dtype("u4").attr("type")(16));
    return py::array::ensure(bits.attr("view")("f4")).release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* TupleOfShape(const Shape& shape,
                       absl::FunctionRef<PyObject*(int axis)> unknown) {
  PyObject* tuple = PyTuple_New(shape.rank());
  if (tuple == nullptr) return nullptr;
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* extent =
        shape[i].known() ? PyLong_FromLongLong(shape.extent(i)) : unknown(i);
    if (extent == nullptr) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple, i, extent);
  }
  return tuple;
}

PyObject* TupleOfShape(const Shape& shape) {
  return TupleOfShape(shape, [](int) { return Py_NewRef(Py_None); });
}

PyObject* MakeList(absl::Span<const int64_t> numbers) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(numbers.size()));
  if (list == nullptr) return nullptr;
  for (size_t i = 0; i < numbers.size(); ++i) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (number == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), number);
  }
  return list;
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
