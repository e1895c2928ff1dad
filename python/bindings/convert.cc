// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/convert.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eager/call/region.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/device/transfer.h"
#include "framework/memory/buffer_watch.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"
#include "python/bindings/numpy_types.h"
#include "static_graph/executor/tensor_copy.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

std::string TypeName(PyObject* object) { return Py_TYPE(object)->tp_name; }

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

// The elements of a storage type, from an array of its codes as uint8 or of the
// type that ml_dtypes has for it.
absl::StatusOr<DenseTensor> CopyCodes(std::string_view argument,
                                      const py::array& source, DataType own,
                                      DataType dtype) {
  if (own != dtype && own != DataType::kUInt8) {
    return TypeError(argument,
                     "an array of uint8 (its codes) for " +
                         std::string(Name(dtype)) + ", or a tensor to cast",
                     py::cast<std::string>(py::str(source.dtype())));
  }
  const py::array array = py::array::ensure(
      py::object(source.attr("astype")(source.dtype(), py::arg("order") = "C",
                                       py::arg("copy") = false)),
      py::array::c_style);
  std::vector<int64_t> extents(array.shape(), array.shape() + array.ndim());
  SY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(extents));
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      DenseTensor::Allocate(dtype, shape, CpuAllocator()));
  const auto* from = static_cast<const uint8_t*>(array.data());
  auto* to = tensor.mutable_data<uint8_t>();
  const int limit = 1 << ElementBits(dtype);
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (own == DataType::kUInt8 && from[i] >= limit) {
      return ArgumentError(argument,
                           "codes below " + std::to_string(limit) + " for " +
                               std::string(Name(dtype)),
                           std::to_string(from[i]));
    }
    to[i] = static_cast<uint8_t>(from[i] & (limit - 1));
  }
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
  if (IsStorage(dtype)) return CopyCodes(argument, source, own, dtype);
  if (IsStorage(own)) {
    return TypeError(argument, "a tensor to cast, where the dtype differs",
                     py::cast<std::string>(py::str(source.dtype())));
  }
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

// Python's own number, or a list of them: an array's elements are converted as
// NumPy converts them.
bool IsOfNumbers(PyObject* object) {
  return IsNumber(object) || PyList_Check(object) || PyTuple_Check(object);
}

// Whether NumPy made objects, or unsigned numbers, of Python's integers since
// int64 does not hold one of them.
bool LeavesInt64(const py::array& array) {
  if (DataTypeOfNumpy(array.dtype()) == DataType::kUInt64) {
    return array.size() > 0 &&
           py::cast<uint64_t>(array.attr("max")()) > uint64_t{INT64_MAX};
  }
  if (array.dtype().kind() != 'O') return false;
  for (const py::handle item : array.attr("ravel")()) {
    if (!PyLong_Check(item.ptr()) && !PyFloat_Check(item.ptr())) return false;
  }
  return true;
}

// Python's integers as uint64, for `array`: NumPy makes float64 of a list of
// some that int64 holds and some that only uint64 does. `array` itself if there
// are other numbers among them.
absl::StatusOr<py::array> WideIntegers(std::string_view argument,
                                       PyObject* object,
                                       const py::array& array) {
  const py::array items =
      py::module_::import("numpy").attr("array")(py::handle(object), "O");
  py::array_t<uint64_t> result(
      std::vector<py::ssize_t>(items.shape(), items.shape() + items.ndim()));
  uint64_t* to = result.mutable_data();
  for (const py::handle item : items.attr("ravel")()) {
    if (!PyLong_Check(item.ptr())) return array;
    *to = PyLong_AsUnsignedLongLong(item.ptr());
    if (*to++ != UINT64_MAX || PyErr_Occurred() == nullptr) continue;
    PyErr_Clear();
    return ArgumentError(argument, "numbers that uint64 holds", "one outside");
  }
  return py::array(std::move(result));
}

// Python's numbers, which NumPy made an array of, as one of a dtype that
// tensors have. ArgumentError where one is outside of an integer dtype.
absl::StatusOr<py::array> Fitting(std::string_view argument, py::array array,
                                  DataType dtype) {
  const DataType own = DataTypeOfNumpy(array.dtype());
  const bool wide = own == DataType::kUInt64;
  if (wide && dtype == own) return array;
  if ((own == DataType::kUndefined || wide) && LeavesInt64(array)) {
    if (IsFloating(dtype) || IsComplex(dtype)) {
      return py::array(array.attr("astype")(NumpyOf(DataType::kFloat64)));
    }
    const DataType wanted = IsInteger(dtype) ? dtype : DataType::kInt64;
    return ArgumentError(argument,
                         "numbers that " + std::string(Name(wanted)) + " holds",
                         "one outside");
  }
  const bool plain = (array.flags() & py::array::c_style) != 0;
  const auto count = static_cast<size_t>(array.size());
  if (plain && own == DataType::kFloat64) {
    SY_RETURN_IF_ERROR(CheckNumbersFit(
        argument, dtype,
        absl::MakeConstSpan(static_cast<const double*>(array.data()), count)));
  } else if (plain && own == DataType::kInt64) {
    SY_RETURN_IF_ERROR(CheckNumbersFit(
        argument, dtype,
        absl::MakeConstSpan(static_cast<const int64_t*>(array.data()), count)));
  }
  return array;
}

}  // namespace

absl::StatusOr<DenseTensor> TensorFromObject(std::string_view argument,
                                             PyObject* object, DataType dtype) {
  if (dtype == DataType::kUndefined) dtype = DtypeOfPythonFloats(object);
  try {
    py::array array = py::array::ensure(py::handle(object));
    if (!array) {
      PyErr_Clear();
      return TypeError(argument,
                       "a tensor, an array, a number or lists of one shape",
                       TypeName(object));
    }
    if (IsOfNumbers(object)) {
      if (dtype == DataType::kUInt64 &&
          DataTypeOfNumpy(array.dtype()) == DataType::kFloat64) {
        SY_ASSIGN_OR_RETURN(array, WideIntegers(argument, object, array));
      }
      SY_ASSIGN_OR_RETURN(array, Fitting(argument, std::move(array), dtype));
    }
    return CopyArray(argument, array, dtype);
  } catch (py::error_already_set& error) {
    return TypeError(argument, "an array", error.what());
  }
}

namespace {

// CopyElements() where one of the two lies on a device.
absl::Status CopyBetweenPlaces(std::string_view argument,
                               const DenseTensor& from, DenseTensor& to) {
  SY_ASSIGN_OR_RETURN(DenseTensor elements, static_graph::OnHost(from));
  if (to.place() == Place::Cpu()) return CopyElements(argument, elements, to);
  if (to.contiguous() && elements.contiguous()) {
    return CopyBytes(BytesOf(elements), BytesOf(to), to.byte_size());
  }
  // The whole buffer goes there and back, with what lies between.
  SY_ASSIGN_OR_RETURN(DenseTensor written, static_graph::OnHost(to));
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
  if (eager::OverlapsItself(to)) {
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
