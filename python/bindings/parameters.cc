// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/parameters.h"

namespace switchyard::python {
namespace {

struct OtherName {
  const char* other;
  const char* own;
};

constexpr OtherName kOtherNames[] = {{"dim", "axis"},
                                     {"input", "x"},
                                     {"keepdim", "keepdims"},
                                     {"keepdims", "keepdim"},
                                     {"other", "y"}};

}  // namespace

int ParameterOf(const OpFunction& f, PyObject* name) {
  const std::vector<PyObject*>& names = *f.names;
  // Names in source are interned: the very same object.
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (PyUnicode_Compare(names[i], name) == 0) return static_cast<int>(i);
  }
  return -1;
}

int ParameterOfOtherName(const OpFunction& f, PyObject* name) {
  const std::vector<PyObject*>& names = *f.names;
  for (const OtherName& pair : kOtherNames) {
    if (PyUnicode_CompareWithASCIIString(name, pair.other) != 0) continue;
    for (size_t i = 0; i < names.size(); ++i) {
      if (PyUnicode_CompareWithASCIIString(names[i], pair.own) == 0) {
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

bool IsInplaceKeyword(const OpFunction& f, PyObject* name) {
  return f.inplace != nullptr &&
         PyUnicode_CompareWithASCIIString(name, "inplace") == 0;
}

}  // namespace switchyard::python
