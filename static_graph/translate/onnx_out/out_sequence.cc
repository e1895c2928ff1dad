// SPDX-License-Identifier: Apache-2.0
// Tensor arrays, as sequences.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// The call that makes a value; nullopt for an argument of a block.
std::optional<OpCall> Maker(ir::Value value) {
  const ir::Operation* const op = value.defining_op();
  if (op == nullptr || op->name() == ir::kConstantOp) return std::nullopt;
  const absl::StatusOr<OpCall> call = ReadCall(*op);
  if (!call.ok()) return std::nullopt;
  return *call;
}

template <typename T>
int64_t OnlyElement(std::string_view bytes) {
  T number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

std::optional<int64_t> KnownConstant(const ir::Operation& op) {
  const ir::Attribute value = op.attribute(ir::kValue);
  const DataType dtype = value.constant_type().dtype();
  const std::string_view bytes = value.bytes();
  if (dtype == DataType::kInt64 && bytes.size() == sizeof(int64_t)) {
    return OnlyElement<int64_t>(bytes);
  }
  if (dtype == DataType::kInt32 && bytes.size() == sizeof(int32_t)) {
    return OnlyElement<int32_t>(bytes);
  }
  return std::nullopt;
}

// The number that a value holds, where the program says it.
std::optional<int64_t> KnownInteger(ir::Value value) {
  const ir::Operation* const op = value.defining_op();
  if (op != nullptr && op->name() == ir::kConstantOp) {
    return KnownConstant(*op);
  }
  const std::optional<OpCall> call = Maker(value);
  if (!call.has_value() || call->op->info->name != std::string_view("full")) {
    return std::nullopt;
  }
  CallFacts facts(&*call);
  if (!facts.Known("value") || !facts.Number("value").is_int()) {
    return std::nullopt;
  }
  return facts.Number("value").ToInt64();
}

// The length of an array that is written one element after the other.
std::optional<int64_t> KnownLength(ir::Value array) {
  int64_t written = 0;
  while (true) {
    const std::optional<OpCall> call = Maker(array);
    if (!call.has_value()) return std::nullopt;
    CallFacts facts(&*call);
    const std::string_view name = call->op->info->name;
    if (name == "create_array") return written;
    if (name != "array_write") return std::nullopt;
    const std::optional<int64_t> at = KnownInteger(facts.Value("i"));
    if (!at.has_value()) return std::nullopt;
    written = std::max(written, *at + 1);
    if (!facts.Has("array")) return written;
    array = facts.Value("array");
  }
}

// ONNX has no sequences of these.
bool CheckElements(OutCall& call, DataType dtype) {
  if (dtype == DataType::kBFloat16 || IsStorage(dtype)) {
    call.Refuse("ONNX has no sequences of its dtype");
  }
  return call.ok();
}

// A position, an int64 of no axes.
OnnxName Position(OutCall& call) {
  OnnxName at = call.In("i");
  if (call.Dtype("i") != DataType::kInt64)
    at = Cast(call, at, DataType::kInt64);
  return call.Rank("i") == 0 ? at : Reshape(call, at, {});
}

void CreateArray(OutCall& call) {
  const DataType dtype = call.OutDtype("out");
  if (!CheckElements(call, dtype)) return;
  call.Out("out",
           call.Node("SequenceEmpty", {}, {{"dtype", OnnxTypeNumber(dtype)}}));
}

void ArrayWrite(OutCall& call) {
  if (!CheckElements(call, call.Dtype("x"))) return;
  const OnnxName x = call.In("x");
  const std::optional<int64_t> at = KnownInteger(call.Value("i"));
  if (!call.Has("array")) {
    if (at != 0) call.Refuse("the first element of an array must be at 0");
    return call.Out("out", call.Node("SequenceConstruct", {x}));
  }
  const OnnxName array = call.In("array");
  const std::optional<int64_t> length = KnownLength(call.Value("array"));
  if (at.has_value() && length.has_value() && *at > *length) {
    return call.Refuse("positions of an array would be empty");
  }
  if (at.has_value() && at == length) {
    return call.Out("out", call.Node("SequenceInsert", {array, x}));
  }
  const OnnxName i = Position(call);
  const auto append = [&] {
    return call.Nodes("SequenceInsert", {array, x}, 1);
  };
  const auto replace = [&] {
    const OnnxName others = call.Node("SequenceErase", {array, i});
    return call.Nodes("SequenceInsert", {others, x, i}, 1);
  };
  if (at.has_value() && length.has_value())
    return call.Out("out", replace()[0]);
  WrittenPort port;
  port.dtype = call.Dtype("x");
  port.sequence = true;
  port.ranked = false;
  const OnnxName end = call.Node("SequenceLength", {array});
  call.Out("out",
           call.Node("If", {call.Node("Equal", {i, end})},
                     {{"then_branch", call.Graph({}, {port}, append)},
                      {"else_branch", call.Graph({}, {port}, replace)}}));
}

void ArrayRead(OutCall& call) {
  call.Out("out", call.Node("SequenceAt", {call.In("array"), Position(call)}));
}

void ArrayLength(OutCall& call) {
  const OnnxName length = call.Node("SequenceLength", {call.In("array")});
  call.Out("out", Reshape(call, length, {1}));
}

// How much of the axis each element is: int64 of one axis.
OnnxName SizesOfParts(OutCall& call, int64_t axis) {
  const OnnxName array = call.In("array");
  if (call.Flag("use_stack")) {
    const OnnxName length = call.Node("SequenceLength", {array});
    return call.Node("Expand", {call.IntList({1}), Reshape(call, length, {1})});
  }
  WrittenPort element;
  element.name = call.Take("element");
  element.dtype = call.Dtype("array");
  element.ranked = false;
  const auto body =
      call.Graph({element}, {{"", DataType::kInt64, {int64_t{1}}}}, [&] {
        return call.Nodes("Shape", {element.name}, 1,
                          {{"start", axis}, {"end", axis + 1}});
      });
  return call.Node("ConcatFromSequence",
                   {call.Node("SequenceMap", {array}, {{"body", body}})},
                   {{"axis", int64_t{0}}});
}

void ArrayToTensor(OutCall& call) {
  const bool stacks = call.Flag("use_stack");
  // An array has an axis more than its elements, and so has a stack of them.
  const int64_t axis = call.Axis("axis", call.Rank("array") - (stacks ? 0 : 1));
  call.Out("out", call.Node("ConcatFromSequence", {call.In("array")},
                            {{"axis", axis},
                             {"new_axis", static_cast<int64_t>(stacks)}}));
  if (!call.Wants("out_index")) return;
  call.Out("out_index", Cast(call, SizesOfParts(call, axis), DataType::kInt32));
}

void ArrayPop(OutCall& call) {
  const OnnxName array = call.In("array");
  const OnnxName at = call.Scalar0(call.Int("index"), DataType::kInt64);
  call.Out("out", call.Node("SequenceAt", {array, at}));
  call.Out("array_out", call.Node("SequenceErase", {array, at}));
}

constexpr OutForm kForms[] = {
    {"create_array", CreateArray},      {"array_write", ArrayWrite},
    {"array_read", ArrayRead},          {"array_length", ArrayLength},
    {"array_to_tensor", ArrayToTensor}, {"array_pop", ArrayPop},
};

}  // namespace

absl::Span<const OutForm> SequenceOutForms() { return kForms; }

}  // namespace switchyard::static_graph
