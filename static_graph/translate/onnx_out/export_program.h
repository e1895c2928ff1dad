// SPDX-License-Identifier: Apache-2.0
// ExportProgram: a program of the dialects `op` and `cf` as a model of ONNX.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/foreign/onnx/written_model.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// The opsets of ai.onnx that programs are written in.
inline constexpr int64_t kFirstOutOpset = 17;
inline constexpr int64_t kLastOutOpset = 28;

// The parts of a model beside the computation.
struct OnnxOutOptions {
  int64_t opset = 20;
  // Names of open extents: of an input or output, and an axis of it. Others
  // are named by their symbol, or not at all.
  std::map<std::pair<std::string, int>, std::string> axes;
  std::string doc;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Returns a state, on the host.
using FindState =
    absl::FunctionRef<absl::StatusOr<DenseTensor>(std::string_view name)>;
// Writes a call out as the operators that it is made of, in its place.
using WriteOutCall =
    absl::FunctionRef<absl::Status(ir::Context* context, ir::Operation* op)>;

// Returns the model of `program`, which is changed on the way: calls that ONNX
// has no operator for are written out by their parts. Inputs and outputs have
// the names of feeds and fetches, states become initializers. The model refers
// to the states' memory. ArgumentError for another opset; one error lists all
// operations that have no form, with their places.
absl::StatusOr<WrittenModel> ExportProgram(ir::Program* program,
                                           const OnnxOutOptions& options,
                                           FindState state,
                                           WriteOutCall write_out);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_PROGRAM_H_
