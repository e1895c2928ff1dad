// SPDX-License-Identifier: Apache-2.0
// AttrStorage::Parse of python/bindings/convert.h: one attribute from Python.
#include <pybind11/pybind11.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/base/float_text.h"
#include "python/bindings/convert.h"

namespace switchyard::python {
namespace {

std::string Describe(PyObject* object) {
  PyObject* text = PyObject_Repr(object);
  const char* utf8 = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  std::string result = utf8 == nullptr ? Py_TYPE(object)->tp_name : utf8;
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

absl::StatusOr<int64_t> ParseInt(std::string_view name, PyObject* object,
                                 int64_t low, int64_t high) {
  int overflow = 0;
  int64_t value = 0;
  if (PyLong_CheckExact(object)) {
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
  } else {
    // __index__ takes NumPy's integers and refuses floats.
    PyObject* index = PyNumber_Index(object);
    if (index == nullptr) {
      PyErr_Clear();
      return TypeError(name, "an integer", Describe(object));
    }
    value = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
  }
  if (overflow != 0 || value < low || value > high) {
    return ArgumentError(name,
                         high > std::numeric_limits<int>::max()
                             ? "an integer of 64 bits"
                             : "an integer of 32 bits",
                         Describe(object));
  }
  return value;
}

absl::StatusOr<double> ParseFloat(std::string_view name, PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return TypeError(name, "a number", Describe(object));
  }
  return value;
}

absl::StatusOr<Scalar> ParseScalar(std::string_view name, PyObject* object) {
  if (PyBool_Check(object)) return Scalar(object == Py_True);
  if (PyComplex_Check(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    return Scalar(std::complex<double>(value.real, value.imag));
  }
  // Arrays of every dtype have an __index__, which takes integers only.
  PyObject* index = PyIndex_Check(object) ? PyNumber_Index(object) : nullptr;
  if (index != nullptr) {
    const absl::StatusOr<int64_t> value =
        ParseInt(name, index, std::numeric_limits<int64_t>::min(),
                 std::numeric_limits<int64_t>::max());
    Py_DECREF(index);
    SY_RETURN_IF_ERROR(value.status());
    return Scalar(*value);
  }
  PyErr_Clear();
  SY_ASSIGN_OR_RETURN(const double value, ParseFloat(name, object));
  return Scalar(value);
}

// Lists have at most this many elements: the longest ones say something of each
// tensor of a call, which has no more (phi::LayOutOutputs).
constexpr Py_ssize_t kMaxElements = std::numeric_limits<uint16_t>::max();

// Calls add(item) for each element of a list, tuple or other sequence; a single
// number counts as a list of one. Too long a sequence is refused unread: one
// that repeats an element (an expanded tensor, a range) may outlast any memory.
template <typename Add>
absl::Status ForEach(std::string_view name, PyObject* object, Add add) {
  if (PyLong_Check(object) || PyFloat_Check(object)) return add(object);
  if (PyUnicode_Check(object)) {
    return TypeError(name, "a list", Describe(object));
  }
  const Py_ssize_t length = PyObject_LengthHint(object, 0);
  if (length > kMaxElements) {
    return ArgumentError(
        name, "of at most " + std::to_string(kMaxElements) + " elements",
        std::to_string(length));
  }
  PyErr_Clear();
  PyObject* sequence = PySequence_Fast(object, "");
  if (sequence == nullptr) {
    PyErr_Clear();
    if (PyIndex_Check(object)) return add(object);
    return TypeError(name, "a list", Describe(object));
  }
  absl::Status status;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    // Held: to read a number may run Python code, which may change the list.
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    Py_INCREF(item);
    status = add(item);
    Py_DECREF(item);
    if (!status.ok()) break;
  }
  Py_DECREF(sequence);
  return status;
}

// Refers to the characters that `object` keeps.
absl::StatusOr<std::string_view> ParseText(std::string_view name,
                                           PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(object)
                         ? PyUnicode_AsUTF8AndSize(object, &size)
                         : nullptr;
  if (text == nullptr) {
    PyErr_Clear();
    return TypeError(name, "text", Describe(object));
  }
  return std::string_view(text, size);
}

// A function of a list of them: its name, or a tuple of its name and its
// numbers.
absl::StatusOr<PostOps> ParsePostOp(std::string_view name, PyObject* object) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) == 0) {
    SY_ASSIGN_OR_RETURN(const std::string_view text, ParseText(name, object));
    return ParsePostOps(name, text);
  }
  SY_ASSIGN_OR_RETURN(const std::string_view function,
                      ParseText(name, PyTuple_GET_ITEM(object, 0)));
  std::string text(function);
  const Py_ssize_t size = PyTuple_GET_SIZE(object);
  for (Py_ssize_t i = 1; i < size; ++i) {
    SY_ASSIGN_OR_RETURN(const double number,
                        ParseFloat(name, PyTuple_GET_ITEM(object, i)));
    text += i == 1 ? "(" : ", ";
    text += ShortestText(static_cast<float>(number));
  }
  return ParsePostOps(name, size > 1 ? text + ")" : text);
}

// The text of a list, or its functions one by one.
absl::StatusOr<PostOps> ParsePostOpsObject(std::string_view name,
                                           PyObject* object) {
  if (PyUnicode_Check(object)) return ParsePostOp(name, object);
  std::vector<PostOp> steps;
  SY_RETURN_IF_ERROR(ForEach(name, object, [&](PyObject* item) -> absl::Status {
    SY_ASSIGN_OR_RETURN(const PostOps ops, ParsePostOp(name, item));
    steps.insert(steps.end(), ops.steps().begin(), ops.steps().end());
    return absl::OkStatus();
  }));
  return PostOps::Make(name, steps);
}

// One value of a C++ type that attributes have.
template <typename T>
absl::StatusOr<T> ParseValue(std::string_view name, PyObject* object) {
  if constexpr (std::is_same_v<T, bool>) {
    if (PyBool_Check(object)) return object == Py_True;
    SY_ASSIGN_OR_RETURN(const int64_t value, ParseInt(name, object, 0, 1));
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    SY_ASSIGN_OR_RETURN(const int64_t value,
                        ParseInt(name, object, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
    return static_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    SY_ASSIGN_OR_RETURN(const double value, ParseFloat(name, object));
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, Scalar>) {
    return ParseScalar(name, object);
  } else if constexpr (std::is_same_v<T, DataType>) {
    return DataTypeFromObject(name, object);
  } else if constexpr (std::is_same_v<T, Place>) {
    return PlaceFromObject(name, object);
  } else if constexpr (std::is_same_v<T, PostOps>) {
    return ParsePostOpsObject(name, object);
  } else {
    SY_ASSIGN_OR_RETURN(const std::string_view text, ParseText(name, object));
    return T(text);
  }
}

template <typename T, typename List>
absl::Status ParseList(std::string_view name, PyObject* object, List* list) {
  return ForEach(name, object, [&](PyObject* item) -> absl::Status {
    SY_ASSIGN_OR_RETURN(T value, ParseValue<T>(name, item));
    list->push_back(std::move(value));
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<AttrRef> AttrStorage::Parse(std::string_view name, AttrType type,
                                           PyObject* object) {
  return VisitAttrType(type, [&](auto tag) -> absl::StatusOr<AttrRef> {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      return ParseElements<typename decltype(tag)::Element>(name, object);
    } else if constexpr (std::is_same_v<T, const Scalar&>) {
      Lists& lists = NewLists();
      SY_ASSIGN_OR_RETURN(lists.scalar, ParseScalar(name, object));
      return AttrRef(lists.scalar);
    } else {
      SY_ASSIGN_OR_RETURN(const T value, ParseValue<T>(name, object));
      return AttrRef(value);
    }
  });
}

template <typename T>
absl::StatusOr<AttrRef> AttrStorage::ParseElements(std::string_view name,
                                                   PyObject* object) {
  Lists& lists = NewLists();
  if constexpr (std::is_same_v<T, int>) {
    SY_RETURN_IF_ERROR(ParseList<int>(name, object, &lists.ints));
    return AttrRef(absl::Span<const int>(lists.ints));
  } else if constexpr (std::is_same_v<T, int64_t>) {
    SY_RETURN_IF_ERROR(ParseList<int64_t>(name, object, &lists.int64s));
    return AttrRef(absl::Span<const int64_t>(lists.int64s));
  } else {
    using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    auto& values = lists.others.emplace<std::vector<Stored>>();
    SY_RETURN_IF_ERROR(ParseList<T>(name, object, &values));
    static_assert(sizeof(Stored) == sizeof(T));
    return AttrRef(absl::Span<const T>(
        reinterpret_cast<const T*>(values.data()), values.size()));
  }
}

AttrStorage::Lists& AttrStorage::NewLists() {
  if (lists_.empty()) lists_.reserve(attributes_);
  return lists_.emplace_back();
}

}  // namespace switchyard::python
