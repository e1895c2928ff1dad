// SPDX-License-Identifier: Apache-2.0
// Conversions between Python objects and ours: NumPy arrays and numbers to
// tensors and back, attributes to AttrRefs, shapes to tuples. Every one that
// fails returns a status with the sentence `<argument> must be ...`.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CONVERT_H_
#define SWITCHYARD_PYTHON_BINDINGS_CONVERT_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/types/attribute.h"

namespace switchyard::python {

// A contiguous CPU tensor with a copy of what `object` (a NumPy array or
// anything NumPy makes one of) holds, cast to `dtype` unless that is
// kUndefined. Python floats become float32 then, ints int64, bools bool.
// TypeError for element types that no tensor has, ArgumentError for Python's
// numbers outside of an integer dtype.
absl::StatusOr<DenseTensor> TensorFromObject(std::string_view argument,
                                             PyObject* object, DataType dtype);

// ArgumentError where one of the numbers is outside of `dtype`, which is an
// integer's; what is after a point is cut off. Python's numbers are checked so;
// arrays wrap around, as NumPy's do.
absl::Status CheckNumbersFit(std::string_view argument, DataType dtype,
                             absl::Span<const double> numbers);
absl::Status CheckNumbersFit(std::string_view argument, DataType dtype,
                             absl::Span<const int64_t> numbers);

// A number as a 0-d tensor that goes with a tensor of dtype `other` in an
// operation of two: of that dtype if it can hold it (a float with an integer
// tensor becomes float32, an int with a bool tensor int64). ArgumentError for
// an int that leaves the dtype.
absl::StatusOr<DenseTensor> NumberAsTensor(std::string_view argument,
                                           PyObject* number, DataType other);
// A number, an array or lists as an operand beside `like`, a tensor of the same
// call: on its place, numbers of its dtype as NumberAsTensor() says; with
// `integer_to_float` (PromotionRule's) integers beside integers are float32, so
// that none is too large. On the thread's default place if `like` is null.
absl::StatusOr<DenseTensor> OperandFromObject(std::string_view argument,
                                              PyObject* object,
                                              const eager::Tensor* like,
                                              bool integer_to_float);

// A number of Python's own (NumPy's have a dtype that counts).
inline bool IsNumber(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) ||
         PyBool_Check(object) || PyComplex_CheckExact(object);
}

// Copies the elements of `from` into the memory of `to`, of the same dtype and
// shape, whatever their strides and places. ArgumentError(argument, ...)
// otherwise; FailedPrecondition if elements of `to` share memory, as an
// expanded view's.
absl::Status CopyElements(std::string_view argument, const DenseTensor& from,
                          DenseTensor& to);

// A NumPy array over the tensor's memory (bfloat16: a float32 copy), which the
// host may read. Null with an error set on failure.
PyObject* ArrayFromTensor(const DenseTensor& tensor);

// (2, 3); for unknown Dims what `unknown` makes of the axis, or None. Null with
// an error set on failure.
PyObject* TupleOfShape(const Shape& shape,
                       absl::FunctionRef<PyObject*(int axis)> unknown);
PyObject* TupleOfShape(const Shape& shape);
// [2, 3]. Null with an error set on failure.
PyObject* MakeList(absl::Span<const int64_t> numbers);

// A dtype given as "float32", a NumPy dtype or type, or None for kUndefined.
absl::StatusOr<DataType> DataTypeFromObject(std::string_view argument,
                                            PyObject* object);

// A place given as "cpu" or "gpu:0". ArgumentError if no kind of device in this
// build has the name, FailedPrecondition if the process has no such device.
absl::StatusOr<Place> PlaceFromObject(std::string_view argument,
                                      PyObject* object);

// Owns what the AttrRefs of one call with `attributes` attributes refer to.
class AttrStorage {
 public:
  explicit AttrStorage(size_t attributes) : attributes_(attributes) {}
  // The attribute of type `type` that `object` says.
  absl::StatusOr<AttrRef> Parse(std::string_view name, AttrType type,
                                PyObject* object);

 private:
  // Keeps one list or Scalar.
  struct Lists {
    Scalar scalar;
    absl::InlinedVector<int64_t, kMaxRank> int64s;
    absl::InlinedVector<int, 4> ints;
    // Lists of other types; bools are bytes, which an AttrRef can point at.
    std::variant<std::monostate, std::vector<uint8_t>, std::vector<float>,
                 std::vector<double>, std::vector<std::string>,
                 std::vector<Scalar>, std::vector<DataType>>
        others;
  };
  template <typename T>
  absl::StatusOr<AttrRef> ParseElements(std::string_view name,
                                        PyObject* object);
  Lists& NewLists();

  size_t attributes_;
  // Reserved when first needed: must not move.
  absl::InlinedVector<Lists, 2> lists_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CONVERT_H_
