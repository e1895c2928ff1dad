// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/sources.h"

#include <utility>

namespace switchyard::python {
namespace {

// A new reference to dict[key]; null if there is none.
PyObject* ItemOf(PyObject* dict, PyObject* key) {
  if (dict == nullptr || !PyDict_Check(dict)) return nullptr;
  PyObject* const found = PyDict_GetItemWithError(dict, key);
  if (found == nullptr) PyErr_Clear();
  return Py_XNewRef(found);
}

// Reads from an object that it refers to weakly.
class OfWeak : public Source {
 public:
  explicit OfWeak(PyObject* weak) : weak_(weak) {}
  bool Gone() const final { return object() == nullptr; }

 protected:
  // Null if it is gone.
  PyObject* object() const {
    PyObject* const object = PyWeakref_GET_OBJECT(weak_);
    return object == Py_None ? nullptr : object;
  }

 private:
  PyObject* weak_;
};

class OfReferent : public OfWeak {
 public:
  using OfWeak::OfWeak;
  PyObject* Read() const override { return Py_XNewRef(object()); }
};

class OfItem : public Source {
 public:
  OfItem(PyObject* dict, PyObject* key) : dict_(dict), key_(key) {}
  PyObject* Read() const override { return ItemOf(dict_, key_); }

 private:
  PyObject* dict_;
  PyObject* key_;
};

class OfCell : public Source {
 public:
  explicit OfCell(PyObject* cell) : cell_(cell) {}
  PyObject* Read() const override { return PyCell_Get(cell_); }

 private:
  PyObject* cell_;
};

class OfAttribute : public OfWeak {
 public:
  OfAttribute(PyObject* weak, PyObject* name, PyObject* places)
      : OfWeak(weak), name_(name), places_(places) {}
  PyObject* Read() const override {
    PyObject* const owner = object();
    if (owner == nullptr) return nullptr;
    PyObject** const inside = _PyObject_GetDictPtr(owner);
    PyObject* const dict = inside == nullptr ? nullptr : *inside;
    PyObject* found = ItemOf(dict, name_);
    for (Py_ssize_t i = 0; found == nullptr && i < PyTuple_GET_SIZE(places_);
         ++i) {
      PyObject* const place = ItemOf(dict, PyTuple_GET_ITEM(places_, i));
      found = InPlace(place);
      Py_XDECREF(place);
    }
    if (found != nullptr) return found;
    return Py_XNewRef(_PyType_Lookup(Py_TYPE(owner), name_));
  }

 private:
  // A Parameter or a Buffer is the tensor that it holds.
  PyObject* InPlace(PyObject* place) const {
    PyObject* const held = ItemOf(place, name_);
    if (held == nullptr || held == Py_None) {
      Py_XDECREF(held);
      return nullptr;
    }
    PyObject* const tensor = PyObject_GetAttrString(held, "tensor");
    if (tensor == nullptr) {
      PyErr_Clear();
      return held;
    }
    Py_DECREF(held);
    return tensor;
  }

  PyObject* name_;
  PyObject* places_;
};

class OfMember : public OfWeak {
 public:
  OfMember(PyObject* weak, PyObject* name) : OfWeak(weak), name_(name) {}
  PyObject* Read() const override {
    PyObject* const owner = object();
    if (owner == nullptr) return nullptr;
    if (PyType_Check(owner)) {
      return Py_XNewRef(
          _PyType_Lookup(reinterpret_cast<PyTypeObject*>(owner), name_));
    }
    PyObject** const inside = _PyObject_GetDictPtr(owner);
    return inside == nullptr ? nullptr : ItemOf(*inside, name_);
  }

 private:
  PyObject* name_;
};

class OfCall : public OfWeak {
 public:
  OfCall(PyObject* function, PyObject* weak)
      : OfWeak(weak), function_(function) {}
  PyObject* Read() const override {
    PyObject* const result = PyObject_CallNoArgs(function_);
    if (result == nullptr) PyErr_Clear();
    return result;
  }

 private:
  PyObject* function_;
};

}  // namespace

SourceRef SourceReferent(PyObject* weak) {
  return std::make_shared<OfReferent>(weak);
}
SourceRef SourceItem(PyObject* dict, PyObject* key) {
  return std::make_shared<OfItem>(dict, key);
}
SourceRef SourceCell(PyObject* cell) { return std::make_shared<OfCell>(cell); }
SourceRef SourceAttribute(PyObject* weak, PyObject* name, PyObject* places) {
  return std::make_shared<OfAttribute>(weak, name, places);
}
SourceRef SourceMember(PyObject* weak, PyObject* name) {
  return std::make_shared<OfMember>(weak, name);
}
SourceRef SourceCall(PyObject* function, PyObject* weak) {
  return std::make_shared<OfCall>(function, weak);
}

int Checks::FirstDifference() const {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].source->Gone()) continue;
    PyObject* const now = pairs_[i].source->Read();
    const bool holds = pairs_[i].check->Holds(now == nullptr ? missing_ : now);
    Py_XDECREF(now);
    if (!holds) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace switchyard::python
