// SPDX-License-Identifier: Apache-2.0
// The nodes of OutCall that several families make.
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/translate/onnx_out/out_call.h"

namespace switchyard::static_graph {

std::vector<OnnxName> OutCall::Nodes(std::string_view type,
                                     std::vector<OnnxName> inputs, size_t count,
                                     std::vector<WrittenAttribute> attributes) {
  if (FindOnnxSchema("", type, opset()) == nullptr) {
    Refuse(absl::StrCat("opset ", opset(), " has no ", std::string(type)));
  }
  return out_.Add(type, std::move(inputs), count, std::move(attributes));
}

OnnxName OutCall::Node(std::string_view type, std::vector<OnnxName> inputs,
                       std::vector<WrittenAttribute> attributes) {
  return Nodes(type, std::move(inputs), 1, std::move(attributes))[0];
}

OnnxName OutCall::Cast(const OnnxName& x, DataType dtype) {
  return Node("Cast", {x}, {{"to", OnnxTypeNumber(dtype)}});
}

OnnxName OutCall::Reshape(const OnnxName& x, const Integers& shape) {
  return Node("Reshape", {x, IntList(shape)});
}

OnnxName OutCall::Unsqueeze(const OnnxName& x, const Integers& axes) {
  return axes.empty() ? x : Node("Unsqueeze", {x, IntList(axes)});
}

OnnxName OutCall::Squeeze(const OnnxName& x, const Integers& axes) {
  return axes.empty() ? x : Node("Squeeze", {x, IntList(axes)});
}

OnnxName OutCall::Transpose(const OnnxName& x, const Integers& perm) {
  return Node("Transpose", {x}, {{"perm", perm}});
}

OnnxName OutCall::Slice(const OnnxName& x, int64_t axis, int64_t begin,
                        int64_t end, int64_t step) {
  return Node("Slice", {x, IntList({begin}), IntList({end}), IntList({axis}),
                        IntList({step})});
}

OnnxName OutCall::RoundAway(const OnnxName& x, DataType dtype) {
  const OnnxName size = Node("Abs", {x});
  const OnnxName whole = Node("Floor", {size});
  const OnnxName rest = Node("Sub", {size, whole});
  const OnnxName up =
      Cast(Node("GreaterOrEqual", {rest, Scalar0(0.5, dtype)}), dtype);
  return Node("Mul", {Node("Sign", {x}), Node("Add", {whole, up})});
}

OnnxName OutCall::Reduce(std::string_view type, const OnnxName& x,
                         const Integers& axes, bool keepdim) {
  constexpr int64_t kAxesAreInputs = 18;  // Of ReduceSum since 13.
  const int64_t kept = keepdim ? 1 : 0;
  if (opset() >= kAxesAreInputs || type == "ReduceSum") {
    const OnnxName list = axes.empty() ? OnnxName() : IntList(axes);
    return Node(type, {x, list}, {{"keepdims", kept}});
  }
  std::vector<WrittenAttribute> attributes = {{"keepdims", kept}};
  if (!axes.empty()) attributes.push_back({"axes", axes});
  return Node(type, {x}, std::move(attributes));
}

OnnxName OutCall::Extents(const OnnxName& x, int begin, int end) {
  return Node("Shape", {x}, {{"start", int64_t{begin}}, {"end", int64_t{end}}});
}

OnnxName OutCall::ShapeLike(const Shape& shape, const OnnxName& like) {
  std::vector<OnnxName> parts;
  Integers known;
  const auto end_known = [&] {
    if (!known.empty()) parts.push_back(IntList(known));
    known.clear();
  };
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) {
      known.push_back(shape[axis].value());
      continue;
    }
    end_known();
    parts.push_back(Extents(like, axis, axis + 1));
  }
  if (parts.empty()) return IntList(known);
  end_known();
  if (parts.size() == 1) return parts[0];
  return Node("Concat", parts, {{"axis", int64_t{0}}});
}

}  // namespace switchyard::static_graph
