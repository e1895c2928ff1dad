// SPDX-License-Identifier: Apache-2.0
// RelaxedArgument: the argument `relaxed` of Python's functions that make
// programs (static_graph/lowering/relaxed_choices.h).
#ifndef SWITCHYARD_PYTHON_BINDINGS_RELAXED_ARGUMENT_H_
#define SWITCHYARD_PYTHON_BINDINGS_RELAXED_ARGUMENT_H_

#include <pybind11/pybind11.h>

#include "static_graph/lowering/relaxed_choices.h"

namespace switchyard::python {

// Returns `choices` changed as an argument says: a text
// ("denormals=flush,fusion=relaxed", "exact"), a dictionary of names and
// values, or None for no change. Throws for others, and for an unknown name
// or value.
static_graph::RelaxedChoices RelaxedArgument(
    pybind11::handle object, static_graph::RelaxedChoices choices);

// Returns {name: value} of all choices.
pybind11::dict DictOf(const static_graph::RelaxedChoices& choices);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_RELAXED_ARGUMENT_H_
