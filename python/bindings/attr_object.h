// SPDX-License-Identifier: Apache-2.0
// Attributes of operators as Python's objects; the other way is AttrStorage of
// python/bindings/convert.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_ATTR_OBJECT_H_
#define SWITCHYARD_PYTHON_BINDINGS_ATTR_OBJECT_H_

#include <pybind11/pybind11.h>

#include "framework/types/attribute.h"

namespace switchyard::python {

// The value of an attribute as Python has it; dtypes and places are their
// names.
pybind11::object AttrObject(const AttrRef& attr);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_ATTR_OBJECT_H_
