// SPDX-License-Identifier: Apache-2.0
// ExplainWords: a call from Python as the words of phi/selection/call_parser.h,
// which sy.explain hands to tools/explain. What a call would do with its
// arguments (py_call.h) is done with them here: numbers and arrays become
// tensors, attributes are read from whatever gives them.
#ifndef SWITCHYARD_PYTHON_BINDINGS_EXPLAIN_WORDS_H_
#define SWITCHYARD_PYTHON_BINDINGS_EXPLAIN_WORDS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <vector>

#include "eager/call/eager_op.h"
#include "framework/base/status.h"

namespace switchyard::python {

// One call as words.
struct ExplainWords {
  std::vector<std::string> inputs;  // "x=float32[8, 1000] on cpu"
  std::vector<std::string> attrs;   // "axis=1"
  bool recorded = false;            // An eager call would record its gradient.
};

// Returns the words for `arguments`, a dict by name. An input is what the call
// takes (a tensor, a number, an array, lists, a value of a graph), a tensor as
// text, or an object with a `shape`, of which None is an unknown extent, and a
// `dtype`. An attribute may be a tensor where the call takes one; elements that
// values of a graph supply, or that are the text "?", are unknown.
//
// Errors are those of the call: an argument that the operator does not have or
// that is of another type, and, where each input is there with its memory, what
// the in-place variant of an operator refuses to write
// (eager/call/inplace.h).
absl::StatusOr<ExplainWords> MakeExplainWords(const eager::EagerOp& op,
                                              PyObject* arguments);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_EXPLAIN_WORDS_H_
