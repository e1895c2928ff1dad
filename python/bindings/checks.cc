// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/checks.h"

#include <cstring>
#include <string>
#include <utility>

#include "python/bindings/objects.h"

namespace switchyard::python {
namespace {

// An error that a comparison raised is none of its caller's.
bool Truth(int truth) {
  if (truth < 0) PyErr_Clear();
  return truth > 0;
}

class Same : public Check {
 public:
  Same(PyObject* object, PyObject* weak) : object_(object), weak_(weak) {}
  bool Holds(PyObject* value) const override {
    // Another object may have got the address of one that is gone.
    return value == object_ &&
           (weak_ == nullptr || PyWeakref_GET_OBJECT(weak_) == value);
  }

 private:
  PyObject* object_;
  PyObject* weak_;
};

class Exact : public Check {
 public:
  explicit Exact(PyObject* object) : object_(object) {}
  bool Holds(PyObject* value) const override {
    return value == object_ ||
           (Py_TYPE(value) == Py_TYPE(object_) &&
            Truth(PyObject_RichCompareBool(value, object_, Py_EQ)));
  }

 private:
  PyObject* object_;
};

// Sets the bytes of a number; false with an error set.
bool BytesOfNumber(PyObject* number, std::string* bytes) {
  if (PyFloat_CheckExact(number)) {
    const double value = PyFloat_AS_DOUBLE(number);
    bytes->assign(reinterpret_cast<const char*>(&value), sizeof(value));
    return true;
  }
  if (PyComplex_CheckExact(number)) {
    const Py_complex value = PyComplex_AsCComplex(number);
    bytes->assign(reinterpret_cast<const char*>(&value), sizeof(value));
    return true;
  }
  PyObject* const made = PyObject_CallMethod(number, "tobytes", nullptr);
  char* data = nullptr;
  Py_ssize_t size = 0;
  const bool ok =
      made != nullptr && PyBytes_AsStringAndSize(made, &data, &size) == 0;
  if (ok) bytes->assign(data, static_cast<size_t>(size));
  Py_XDECREF(made);
  return ok;
}

class Bits : public Check {
 public:
  Bits(PyObject* object, std::string bytes)
      : object_(object), bytes_(std::move(bytes)) {}
  bool Holds(PyObject* value) const override {
    if (value == object_) return true;
    if (Py_TYPE(value) != Py_TYPE(object_)) return false;
    std::string bytes;
    if (BytesOfNumber(value, &bytes)) return bytes == bytes_;
    PyErr_Clear();
    return false;
  }

 private:
  PyObject* object_;
  std::string bytes_;
};

// The bytes of an object with a contiguous buffer, read in place.
class Contiguous {
 public:
  explicit Contiguous(PyObject* object)
      : ok_(PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS) == 0) {
    if (!ok_) PyErr_Clear();
  }
  ~Contiguous() {
    if (ok_) PyBuffer_Release(&view_);
  }
  Contiguous(const Contiguous&) = delete;
  Contiguous& operator=(const Contiguous&) = delete;
  bool ok() const { return ok_; }
  bool Equals(const std::string& bytes) const {
    return static_cast<size_t>(view_.len) == bytes.size() &&
           std::memcmp(view_.buf, bytes.data(), bytes.size()) == 0;
  }

 private:
  Py_buffer view_ = {};
  bool ok_;
};

class Array : public Check {
 public:
  Array(PyObject* array, std::string bytes)
      : array_(array), bytes_(std::move(bytes)) {}
  bool Holds(PyObject* value) const override {
    if (value != array_) return false;
    const Contiguous memory(value);
    if (memory.ok()) return memory.Equals(bytes_);
    std::string bytes;
    if (BytesOfNumber(value, &bytes)) return bytes == bytes_;
    PyErr_Clear();
    return false;
  }

 private:
  PyObject* array_;
  std::string bytes_;
};

class Items : public Check {
 public:
  Items(PyObject* type, Py_ssize_t length, PyObject* keys,
        std::vector<CheckRef> checks)
      : type_(type), length_(length), keys_(keys), checks_(std::move(checks)) {}
  bool Holds(PyObject* value) const override {
    if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != type_ ||
        PyObject_Size(value) != length_) {
      PyErr_Clear();
      return false;
    }
    if (PyDict_CheckExact(value)) return HoldsDict(value);
    if (PyDict_Check(value)) return HoldsKindOfDict(value);
    for (size_t i = 0; i < checks_.size(); ++i) {
      PyObject* const item =
          PySequence_GetItem(value, static_cast<Py_ssize_t>(i));
      const bool holds = item != nullptr && checks_[i]->Holds(item);
      Py_XDECREF(item);
      if (holds) continue;
      PyErr_Clear();
      return false;
    }
    return true;
  }

 private:
  bool HoldsDict(PyObject* dict) const {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (size_t i = 0; i < checks_.size(); ++i) {
      if (!PyDict_Next(dict, &position, &key, &value)) return false;
      if (!HoldsItem(i, key, value)) return false;
    }
    return true;
  }

  // Has an order of its own.
  bool HoldsKindOfDict(PyObject* dict) const {
    PyObject* const items = PyMapping_Items(dict);
    bool holds = items != nullptr;
    for (size_t i = 0; holds && i < checks_.size(); ++i) {
      PyObject* const item = PyList_GetItem(items, static_cast<Py_ssize_t>(i));
      holds = item != nullptr && HoldsItem(i, PyTuple_GET_ITEM(item, 0),
                                           PyTuple_GET_ITEM(item, 1));
    }
    Py_XDECREF(items);
    PyErr_Clear();
    return holds;
  }

  bool HoldsItem(size_t i, PyObject* key, PyObject* value) const {
    PyObject* const was = PyList_GET_ITEM(keys_, static_cast<Py_ssize_t>(i));
    const bool same =
        key == was || (Py_TYPE(key) == Py_TYPE(was) &&
                       Truth(PyObject_RichCompareBool(key, was, Py_EQ)));
    return same && checks_[i]->Holds(value);
  }

  PyObject* type_;
  Py_ssize_t length_;
  PyObject* keys_;
  std::vector<CheckRef> checks_;
};

class Members : public Check {
 public:
  explicit Members(PyObject* set) : set_(set) {}
  bool Holds(PyObject* value) const override {
    return PyAnySet_Check(value) &&
           Truth(PyObject_RichCompareBool(value, set_, Py_EQ));
  }

 private:
  PyObject* set_;
};

class Attributes : public Check {
 public:
  Attributes(CheckRef same, PyObject* names, PyObject* missing,
             std::vector<CheckRef> checks)
      : same_(std::move(same)),
        names_(names),
        missing_(missing),
        checks_(std::move(checks)) {}
  bool Holds(PyObject* value) const override {
    if (!same_->Holds(value)) return false;
    for (size_t i = 0; i < checks_.size(); ++i) {
      PyObject* const own = OwnAttribute(
          value, PyTuple_GET_ITEM(names_, static_cast<Py_ssize_t>(i)));
      const bool holds = checks_[i]->Holds(own == nullptr ? missing_ : own);
      Py_XDECREF(own);
      if (!holds) return false;
    }
    return true;
  }

 private:
  CheckRef same_;
  PyObject* names_;
  PyObject* missing_;
  std::vector<CheckRef> checks_;
};

class Partial : public Check {
 public:
  Partial(PyObject* type, std::vector<CheckRef> checks)
      : type_(type), checks_(std::move(checks)) {}
  bool Holds(PyObject* value) const override {
    static const char* const kParts[] = {"func", "args", "keywords"};
    if (!Truth(PyObject_IsInstance(value, type_))) return false;
    for (size_t i = 0; i < checks_.size(); ++i) {
      PyObject* const part = PyObject_GetAttrString(value, kParts[i]);
      const bool holds = part != nullptr && checks_[i]->Holds(part);
      Py_XDECREF(part);
      if (holds) continue;
      PyErr_Clear();
      return false;
    }
    return true;
  }

 private:
  PyObject* type_;
  std::vector<CheckRef> checks_;
};

// Where a tensor's elements are compared by their bytes; else null.
const DenseTensor* Comparable(PyObject* object) {
  constexpr size_t kMostBytes = 1 << 16;
  const eager::Tensor& tensor = GetTensor(object);
  if (tensor.kind() != TensorKind::kDense) return nullptr;
  const DenseTensor& dense = tensor.dense();
  const bool fits = dense.place() == Place::Cpu() && dense.contiguous() &&
                    dense.byte_size() <= kMostBytes;
  return fits ? &dense : nullptr;
}

class Elements : public Check {
 public:
  explicit Elements(PyObject* tensor) : version_(GetTensor(tensor).version()) {
    const DenseTensor* const dense = Comparable(tensor);
    if (dense == nullptr) return;
    by_bytes_ = true;
    bytes_.assign(static_cast<const char*>(dense->raw_data()),
                  dense->byte_size());
  }
  bool Holds(PyObject* value) const override {
    if (!IsTensor(value)) return false;
    const DenseTensor* const dense = Comparable(value);
    if (!by_bytes_ || dense == nullptr) {
      return !by_bytes_ && dense == nullptr &&
             GetTensor(value).version() == version_;
    }
    return dense->byte_size() == bytes_.size() &&
           (bytes_.empty() ||
            std::memcmp(dense->raw_data(), bytes_.data(), bytes_.size()) == 0);
  }

 private:
  uint32_t version_;
  bool by_bytes_ = false;
  std::string bytes_;
};

}  // namespace

CheckRef CheckSame(PyObject* object, PyObject* weak) {
  return std::make_shared<Same>(object, weak);
}
CheckRef CheckExact(PyObject* object) {
  return std::make_shared<Exact>(object);
}
CheckRef CheckBits(PyObject* object) {
  std::string bytes;
  if (!BytesOfNumber(object, &bytes)) return nullptr;
  return std::make_shared<Bits>(object, std::move(bytes));
}
CheckRef CheckArray(PyObject* array) {
  std::string bytes;
  if (!BytesOfNumber(array, &bytes)) return nullptr;
  return std::make_shared<Array>(array, std::move(bytes));
}
CheckRef CheckItems(PyObject* type, Py_ssize_t length, PyObject* keys,
                    std::vector<CheckRef> checks) {
  return std::make_shared<Items>(type, length, keys, std::move(checks));
}
CheckRef CheckMembers(PyObject* frozenset) {
  return std::make_shared<Members>(frozenset);
}
CheckRef CheckAttributes(CheckRef same, PyObject* names, PyObject* missing,
                         std::vector<CheckRef> checks) {
  return std::make_shared<Attributes>(std::move(same), names, missing,
                                      std::move(checks));
}
CheckRef CheckPartial(PyObject* type, std::vector<CheckRef> checks) {
  return std::make_shared<Partial>(type, std::move(checks));
}
CheckRef CheckElements(PyObject* tensor) {
  return std::make_shared<Elements>(tensor);
}

PyObject* OwnAttribute(PyObject* object, PyObject* name) {
  PyObject** const inside = _PyObject_GetDictPtr(object);
  if (inside != nullptr && *inside != nullptr) {
    PyObject* const found = PyDict_GetItemWithError(*inside, name);
    if (found != nullptr) return Py_NewRef(found);
    PyErr_Clear();
  }
  PyObject* const member = _PyType_Lookup(Py_TYPE(object), name);
  if (member == nullptr || Py_TYPE(member) != &PyMemberDescr_Type) {
    return nullptr;
  }
  PyObject* const slot = PyObject_GetAttr(object, name);
  if (slot == nullptr) PyErr_Clear();
  return slot;
}

}  // namespace switchyard::python
