// SPDX-License-Identifier: Apache-2.0
// Emits the operators for Python: docstrings and type stubs, a file each for a
// family, and the table of all operators, which python/bindings/py_call.cc
// makes functions of. Arguments and defaults themselves come from the OpInfo.
#ifndef SWITCHYARD_OPS_GEN_EMIT_PYTHON_H_
#define SWITCHYARD_OPS_GEN_EMIT_PYTHON_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// <family>_docs.gen.cc: `doc_<op>` for each forward operator; <family>.pyi;
// <family>_places.txt: where the operators are public (python/make_native.py).
std::vector<GeneratedFile> EmitPython(const Family& family);

// python_ops.gen.cc, given the names of all forward operators.
std::vector<GeneratedFile> EmitPythonTable(
    const std::vector<std::string>& names);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_PYTHON_H_
