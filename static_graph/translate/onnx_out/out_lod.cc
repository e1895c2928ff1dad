// SPDX-License-Identifier: Apache-2.0
// Sequences of rows (LoD): beside a tensor there is a list of the lengths.
#include "static_graph/translate/onnx_out/out_lod.h"

#include <limits>
#include <string>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

constexpr double kLeast = -std::numeric_limits<double>::infinity();

void WithSequences(OutCall& call) {
  call.Out("out", call.Node("Identity", {call.In("x")}));
  call.OutSequences("out", call.SequencesOf("like"));
}

Integers AxesFrom(int begin, int end) {
  Integers axes;
  for (int axis = begin; axis < end; ++axis) axes.push_back(axis);
  return axes;
}

// The rows of each sequence pooled; there may be none.
OnnxName Pooled(OutCall& call, const SequenceRows& rows,
                const OnnxName& lengths) {
  const std::string_view type = call.Text("pooltype");
  const OnnxName x = call.In("x");
  if (type == "FIRST" || type == "LAST") return rows.Outermost(type == "LAST");
  const OnnxName padded = rows.Padded(x);
  if (type == "MAX") {
    const OnnxName there =
        Unsqueeze(call, rows.there(), AxesFrom(2, call.Rank("x") + 1));
    const OnnxName least = call.Scalar0(kLeast, call.Dtype("x"));
    return Reduce(call, "ReduceMax", call.Node("Where", {there, padded, least}),
                  {1}, false);
  }
  const OnnxName sum = Reduce(call, "ReduceSum", padded, {1}, false);
  if (type == "SUM") return sum;
  const OnnxName by = type == "SQRT" ? call.Node("Sqrt", {lengths}) : lengths;
  return call.Node("Div", {sum, by});
}

void SequencePool(OutCall& call) {
  const SequenceRows rows(call, "x");
  if (!call.ok()) return;
  const DataType dtype = call.Dtype("x");
  const OnnxName lengths =
      Cast(call, Unsqueeze(call, rows.lengths(), AxesFrom(1, call.Rank("x"))),
           dtype);
  const OnnxName some = call.Node("Greater", {lengths, call.Scalar0(0, dtype)});
  call.Out("out", call.Node("Where", {some, Pooled(call, rows, lengths),
                                      call.NumberTensor("pad_value", dtype)}));
}

void SequenceSoftmax(OutCall& call) {
  const SequenceRows rows(call, "x");
  if (!call.ok()) return;
  const OnnxName there =
      Unsqueeze(call, rows.there(), AxesFrom(2, call.Rank("x") + 1));
  const OnnxName padded =
      call.Node("Where", {there, rows.Padded(call.In("x")),
                          call.Scalar0(kLeast, call.Dtype("x"))});
  call.Out("out",
           rows.Back(call.Node("Softmax", {padded}, {{"axis", int64_t{1}}}),
                     call.Rank("x") + 1));
}

void SequenceExpand(OutCall& call) {
  if (!call.SequencesOf("x").empty()) return call.Refuse("sequences of x");
  const SequenceRows rows(call, "y");
  if (!call.ok()) return;
  call.Out("out", call.Node("Gather", {call.In("x"), rows.SequenceOfRow()},
                            {{"axis", int64_t{0}}}));
}

// Each row's context, by numbers of rows; those outside of its sequence are the
// row of zeros.
void SequenceConv(OutCall& call) {
  if (call.Flag("padding_trainable")) return call.Refuse("padding_trainable");
  const SequenceRows rows(call, "x");
  const int64_t count = call.Int("context_length");
  const int64_t width = call.Extent("x", 1);
  if (!call.ok()) return;
  Integers steps;
  for (int64_t i = 0; i < count; ++i) {
    steps.push_back(call.Int("context_start") + i);
  }
  const OnnxName places = call.Node(
      "Add", {Unsqueeze(call, rows.Numbers(), {1}), call.IntList(steps)});
  const OnnxName sequence = rows.SequenceOfRow();
  const auto bound = [&](const OnnxName& of_sequence) {
    return Unsqueeze(
        call,
        call.Node("Gather", {of_sequence, sequence}, {{"axis", int64_t{0}}}),
        {1});
  };
  const OnnxName inside = call.Node(
      "And", {call.Node("GreaterOrEqual", {places, bound(rows.begins())}),
              call.Node("Less", {places, bound(rows.ends())})});
  const OnnxName context =
      rows.At(call.In("x"), call.Node("Where", {inside, places, rows.none()}));
  call.Out("out",
           call.Node("MatMul", {Reshape(call, context, {-1, count * width}),
                                call.In("filter")}));
}

constexpr OutForm kForms[] = {
    {"with_sequences", WithSequences},     {"sequence_pool", SequencePool},
    {"sequence_softmax", SequenceSoftmax}, {"sequence_expand", SequenceExpand},
    {"sequence_conv", SequenceConv},
};

}  // namespace

SequenceRows::SequenceRows(OutCall& call, std::string_view input)
    : call_(call), x_(call.In(input)), lengths_(call.SequencesOf(input)) {
  if (lengths_.empty()) {
    call.Refuse("it needs sequences of " + std::string(input));
    return;
  }
  none_ = Extents(call, x_, 0, 1);
  ends_ = call.Node("CumSum", {lengths_, call.Scalar0(0, DataType::kInt64)});
  begins_ = call.Node("Sub", {ends_, lengths_});
  const OnnxName most =
      Reduce(call, "ReduceMax",
             call.Node("Concat", {call.IntList({1}), lengths_},
                       {{"axis", int64_t{0}}}),
             {0}, true);
  const OnnxName steps = CountUp(call, most);
  there_ = call.Node("Less", {steps, Unsqueeze(call, lengths_, {1})});
  places_ = call.Node(
      "Where",
      {there_, call.Node("Add", {Unsqueeze(call, begins_, {1}), steps}),
       none_});
}

OnnxName SequenceRows::At(const OnnxName& x, const OnnxName& places) const {
  const OnnxName row = call_.Node(
      "Concat",
      {call_.IntList({1}), call_.Node("Shape", {x}, {{"start", int64_t{1}}})},
      {{"axis", int64_t{0}}});
  const OnnxName zeros =
      call_.Node("Expand", {call_.Scalar0(0, call_.DtypeOf(x)), row});
  const OnnxName all = call_.Node("Concat", {x, zeros}, {{"axis", int64_t{0}}});
  return call_.Node("Gather", {all, places}, {{"axis", int64_t{0}}});
}

OnnxName SequenceRows::Outermost(bool last) const {
  const OnnxName some =
      call_.Node("Greater", {lengths_, call_.Scalar0(0, DataType::kInt64)});
  const OnnxName place =
      last ? call_.Node("Sub", {ends_, call_.IntList({1})}) : begins_;
  return At(x_, call_.Node("Where", {some, place, none_}));
}

OnnxName SequenceRows::Back(const OnnxName& y, int rank) const {
  const OnnxName sizes =
      call_.Node("Concat", {call_.IntList({-1}), Extents(call_, y, 2, rank)},
                 {{"axis", int64_t{0}}});
  return call_.Node(
      "Compress",
      {call_.Node("Reshape", {y, sizes}), Reshape(call_, there_, {-1})},
      {{"axis", int64_t{0}}});
}

OnnxName SequenceRows::Numbers() const { return CountUp(call_, none_); }

OnnxName SequenceRows::SequenceOfRow() const {
  const OnnxName before =
      call_.Node("LessOrEqual", {ends_, Unsqueeze(call_, Numbers(), {1})});
  return Reduce(call_, "ReduceSum", Cast(call_, before, DataType::kInt64), {1},
                false);
}

absl::Span<const OutForm> LodOutForms() { return kForms; }

}  // namespace switchyard::static_graph
