// SPDX-License-Identifier: Apache-2.0
// TupleOfResults: the results of an operator with several outputs of which some
// are lists, as Python objects.
#ifndef SWITCHYARD_PYTHON_BINDINGS_TUPLE_OF_RESULTS_H_
#define SWITCHYARD_PYTHON_BINDINGS_TUPLE_OF_RESULTS_H_

#include <Python.h>

#include "absl/types/span.h"
#include "phi/core/op_info.h"

namespace switchyard::python {

// Returns a tuple in which each output that is a list is a list; null, with an
// exception set, if there is no memory. Takes over the references to the
// results of a call, of which one is null if there was no memory for it.
PyObject* TupleOfResults(const phi::OpInfo& info, phi::ArgSegments inputs,
                         absl::Span<const AttrRef> attrs,
                         absl::Span<PyObject*> objects);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_TUPLE_OF_RESULTS_H_
