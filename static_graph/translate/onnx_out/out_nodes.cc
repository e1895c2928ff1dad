// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/out_nodes.h"

#include <utility>

namespace switchyard::static_graph {

OnnxName Cast(OutCall& call, const OnnxName& x, DataType dtype) {
  std::vector<WrittenAttribute> attributes = {{"to", OnnxTypeNumber(dtype)}};
  // As `cast` has it: what is too large is infinity or NaN.
  if (IsStorage(dtype) && ElementBits(dtype) == 8) {
    attributes.push_back({"saturate", int64_t{0}});
  }
  if (dtype == DataType::kFloat8E8M0FNU) {
    attributes.push_back({"round_mode", std::string("nearest")});
  }
  return call.Node("Cast", {x}, std::move(attributes));
}

OnnxName Reshape(OutCall& call, const OnnxName& x, const Integers& shape) {
  return call.Node("Reshape", {x, call.IntList(shape)});
}

OnnxName Unsqueeze(OutCall& call, const OnnxName& x, const Integers& axes) {
  return axes.empty() ? x : call.Node("Unsqueeze", {x, call.IntList(axes)});
}

OnnxName Squeeze(OutCall& call, const OnnxName& x, const Integers& axes) {
  return axes.empty() ? x : call.Node("Squeeze", {x, call.IntList(axes)});
}

OnnxName Transpose(OutCall& call, const OnnxName& x, const Integers& perm) {
  return call.Node("Transpose", {x}, {{"perm", perm}});
}

OnnxName Slice(OutCall& call, const OnnxName& x, int64_t axis, int64_t begin,
               int64_t end, int64_t step) {
  return call.Node("Slice", {x, call.IntList({begin}), call.IntList({end}),
                             call.IntList({axis}), call.IntList({step})});
}

OnnxName RoundAway(OutCall& call, const OnnxName& x, DataType dtype) {
  const OnnxName size = call.Node("Abs", {x});
  const OnnxName whole = call.Node("Floor", {size});
  const OnnxName rest = call.Node("Sub", {size, whole});
  const OnnxName up =
      Cast(call, call.Node("GreaterOrEqual", {rest, call.Scalar0(0.5, dtype)}),
           dtype);
  return call.Node("Mul",
                   {call.Node("Sign", {x}), call.Node("Add", {whole, up})});
}

OnnxName Reduce(OutCall& call, std::string_view type, const OnnxName& x,
                const Integers& axes, bool keepdim) {
  constexpr int64_t kAxesAreInputs = 18;  // Of ReduceSum since 13.
  const int64_t kept = keepdim ? 1 : 0;
  if (call.opset() >= kAxesAreInputs || type == "ReduceSum") {
    const OnnxName list = axes.empty() ? OnnxName() : call.IntList(axes);
    return call.Node(type, {x, list}, {{"keepdims", kept}});
  }
  std::vector<WrittenAttribute> attributes = {{"keepdims", kept}};
  if (!axes.empty()) attributes.push_back({"axes", axes});
  return call.Node(type, {x}, std::move(attributes));
}

OnnxName CountUp(OutCall& call, const OnnxName& count) {
  return call.Node(
      "Range", {call.Scalar0(0, DataType::kInt64), Squeeze(call, count, {0}),
                call.Scalar0(1, DataType::kInt64)});
}

OnnxName Extents(OutCall& call, const OnnxName& x, int begin, int end) {
  return call.Node("Shape", {x},
                   {{"start", int64_t{begin}}, {"end", int64_t{end}}});
}

OnnxName ShapeLike(OutCall& call, const Shape& shape, const OnnxName& like) {
  std::vector<OnnxName> parts;
  Integers known;
  const auto end_known = [&] {
    if (!known.empty()) parts.push_back(call.IntList(known));
    known.clear();
  };
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) {
      known.push_back(shape[axis].value());
      continue;
    }
    end_known();
    parts.push_back(Extents(call, like, axis, axis + 1));
  }
  if (parts.empty()) return call.IntList(known);
  end_known();
  if (parts.size() == 1) return parts[0];
  return call.Node("Concat", parts, {{"axis", int64_t{0}}});
}

}  // namespace switchyard::static_graph
