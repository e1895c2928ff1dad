// SPDX-License-Identifier: Apache-2.0
// Tensors of numbers that the program says.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

void Full(OutCall& call) {
  const OnnxName number = call.NumberTensor("value", call.OutDtype("out"));
  call.Out("out", call.Node("Expand", {number, call.IntTensor("shape")}));
}

void FullLike(OutCall& call) {
  const OnnxName number = call.NumberTensor("value", call.OutDtype("out"));
  const OnnxName shape = call.Node("Shape", {call.In("x")});
  call.Out("out", call.Node("Expand", {number, shape}));
}

// One extent is that of another tensor.
void FullBatchSizeLike(OutCall& call) {
  Integers shape = call.Ints("shape");
  const auto from =
      static_cast<int>(call.Axis("input_dim_idx", call.Rank("input")));
  const auto to = static_cast<size_t>(
      call.Axis("output_dim_idx", static_cast<int>(shape.size())));
  const OnnxName number = call.NumberTensor("value", call.OutDtype("out"));
  std::vector<OnnxName> parts;
  if (to > 0) {
    parts.push_back(call.IntList(
        Integers(shape.begin(), shape.begin() + static_cast<int64_t>(to))));
  }
  parts.push_back(Extents(call, call.In("input"), from, from + 1));
  if (to + 1 < shape.size()) {
    parts.push_back(call.IntList(
        Integers(shape.begin() + static_cast<int64_t>(to) + 1, shape.end())));
  }
  const OnnxName sizes = call.Node("Concat", parts, {{"axis", int64_t{0}}});
  call.Out("out", call.Node("Expand", {number, sizes}));
}

void ARange(OutCall& call) {
  const DataType dtype = call.OutDtype("out");
  call.Out("out", call.Node("Range", {call.NumberTensor("start", dtype),
                                      call.NumberTensor("end", dtype),
                                      call.NumberTensor("step", dtype)}));
}

void AssignValue(OutCall& call) {
  const DataType dtype = call.OutDtype("out");
  const std::vector<double> numbers = call.Floats("values");
  std::vector<OnnxName> parts;
  for (const double number : numbers) {
    parts.push_back(Unsqueeze(call, call.Scalar0(number, dtype), {0}));
  }
  if (parts.empty()) return call.Refuse("it has no elements");
  const OnnxName list = call.Node("Concat", parts, {{"axis", int64_t{0}}});
  call.Out("out", Reshape(call, list, call.Ints("shape")));
}

constexpr OutForm kForms[] = {
    {"full", Full},
    {"full_like", FullLike},
    {"full_batch_size_like", FullBatchSizeLike},
    {"arange", ARange},
    {"assign_value", AssignValue},
};

}  // namespace

absl::Span<const OutForm> CreationOutForms() { return kForms; }

}  // namespace switchyard::static_graph
