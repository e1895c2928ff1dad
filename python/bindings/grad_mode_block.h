// SPDX-License-Identifier: Apache-2.0
// GradModeBlock: the context manager of no_grad and enable_grad. Python
// looks for signals between the calls of a with statement's __enter__ and
// __exit__ and the code around them, and inside functions written in Python,
// so one of these could be cut short and leave the mode as it was in the
// block. These are C functions that call nothing of Python's, and leaving a
// block needs no memory.
#ifndef SWITCHYARD_PYTHON_BINDINGS_GRAD_MODE_BLOCK_H_
#define SWITCHYARD_PYTHON_BINDINGS_GRAD_MODE_BLOCK_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace switchyard::python {

// Adds the class to `module`; -1 with an error set on failure. Its subclasses
// set the class attribute `_on`, the mode of the block.
int AddGradModeBlockType(PyObject* module);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_GRAD_MODE_BLOCK_H_
