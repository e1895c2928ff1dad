// SPDX-License-Identifier: Apache-2.0
// Source: where a traced program has read something that it depends on.
#ifndef SWITCHYARD_PYTHON_BINDINGS_SOURCES_H_
#define SWITCHYARD_PYTHON_BINDINGS_SOURCES_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

#include "python/bindings/checks.h"

namespace switchyard::python {

// Reads once more what was read. What a source was made of is borrowed, as a
// check's is. Used under the GIL.
class Source {
 public:
  virtual ~Source() = default;
  // Returns a new reference, or null for what is not there; without an error.
  virtual PyObject* Read() const = 0;
  // Returns true if the object is gone that it reads from. Then nothing depends
  // on it: the way to the object is compared itself, and one that the trace
  // made is made again.
  virtual bool Gone() const { return false; }
};
using SourceRef = std::shared_ptr<const Source>;

// The object that `weak` refers to.
SourceRef SourceReferent(PyObject* weak);
// dict[key].
SourceRef SourceItem(PyObject* dict, PyObject* key);
// The content of a closure's cell.
SourceRef SourceCell(PyObject* cell);
// The value that an object, to which `weak` refers, holds itself under a name;
// else the one in a dictionary of it, under one of the names `places`, a tuple;
// else its class's.
SourceRef SourceAttribute(PyObject* weak, PyObject* name, PyObject* places);
// The value that a class, its bases too, or a module of Python's has under a
// name.
SourceRef SourceMember(PyObject* weak, PyObject* name);
// The result of a function that reads from the object that `weak` refers to.
SourceRef SourceCall(PyObject* function, PyObject* weak);

// The facts that a program depends on: pairs of a source and a check.
class Checks {
 public:
  // `missing` stands for what is not there; borrowed.
  explicit Checks(PyObject* missing) : missing_(missing) {}
  void Add(SourceRef source, CheckRef check) {
    pairs_.push_back({std::move(source), std::move(check)});
  }
  // Returns the number of the first pair whose source holds something else now;
  // -1 if there is none.
  int FirstDifference() const;

 private:
  struct Pair {
    SourceRef source;
    CheckRef check;
  };
  PyObject* missing_;
  std::vector<Pair> pairs_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_SOURCES_H_
