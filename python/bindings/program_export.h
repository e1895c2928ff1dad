// SPDX-License-Identifier: Apache-2.0
// Writes programs to files, and cuts out the part of one that a file is to
// hold. The functions throw Python errors.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PROGRAM_EXPORT_H_
#define SWITCHYARD_PYTHON_BINDINGS_PROGRAM_EXPORT_H_

#include <string>
#include <vector>

#include "python/bindings/programs.h"

namespace switchyard::static_graph {
struct OnnxOutOptions;  // static_graph/model/export_onnx.h
enum class ExternalData : uint8_t;
}  // namespace switchyard::static_graph

namespace switchyard::python {

// Returns the part of `program` that computes these fetches, without training.
PyProgram ExportInference(const PyProgram& program,
                          const std::vector<std::string>& fetches);

// Writes what `program` computes, without training, as an ONNX model with the
// tensors of `state`.
void ExportOnnx(const PyProgram& program, const std::string& path,
                PyState& state, const static_graph::OnnxOutOptions& options,
                static_graph::ExternalData external);

// Writes `program` and the tensors of `state` to a file that load_model reads.
// With `lock_kernels` it says which kernels were chosen.
void SaveProgram(const PyProgram& program, const std::string& path,
                 PyState& state, bool lock_kernels);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PROGRAM_EXPORT_H_
