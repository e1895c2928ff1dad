// SPDX-License-Identifier: Apache-2.0
// Elements and rows by numbers.
#include <string>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// [n] and [n, 1] are lists; a scalar drops the axis.
void Gather(OutCall& call) {
  OnnxName index = call.In("index");
  if (call.Rank("index") == 2) index = Reshape(call, index, {-1});
  call.Out("out", call.Node("Gather", {call.In("x"), index},
                            {{"axis", call.Axis("axis", call.Rank("x"))}}));
}

// The other extents of arr and indices must be the same ones.
void TakeAlongAxis(OutCall& call) {
  call.Out("out",
           call.Node("GatherElements", {call.In("arr"), call.In("indices")},
                     {{"axis", call.Axis("axis", call.Rank("arr"))}}));
}

void PutAlongAxis(OutCall& call) {
  std::string mode(call.Text("reduce"));
  if (mode == "assign") mode = "none";
  if (mode == "multiply") mode = "mul";
  if (mode != "none" && mode != "add" && mode != "mul") {
    return call.Refuse("no such reduction");
  }
  call.Out("out",
           call.Node("ScatterElements",
                     {call.In("arr"), call.In("indices"), call.In("values")},
                     {{"axis", call.Axis("axis", call.Rank("arr"))},
                      {"reduction", mode}}));
}

OnnxName Wide(OutCall& call, std::string_view input) {
  const OnnxName index = call.In(input);
  if (call.Dtype(input) == DataType::kInt64) return index;
  return Cast(call, index, DataType::kInt64);
}

void GatherNd(OutCall& call) {
  call.Out("out", call.Node("GatherND", {call.In("x"), Wide(call, "index")}));
}

void ScatterNd(OutCall& call, const char* mode) {
  call.Out("out",
           call.Node("ScatterND",
                     {call.In("x"), Wide(call, "index"), call.In("updates")},
                     {{"reduction", std::string(mode)}}));
}

void ScatterNdAdd(OutCall& call) { ScatterNd(call, "add"); }
void ScatterNdUpdate(OutCall& call) { ScatterNd(call, "none"); }

// Rows are replaced, or, first set to 0, added to.
void Scatter(OutCall& call) {
  const OnnxName index = Reshape(call, Wide(call, "index"), {-1, 1});
  OnnxName x = call.In("x");
  const OnnxName updates = call.In("updates");
  if (call.Rank("index") == 0) return call.Refuse("a single row");
  if (!call.Flag("overwrite")) {
    const OnnxName zero = call.Scalar0(0, call.Dtype("x"));
    const OnnxName none =
        call.Node("Expand", {zero, call.Node("Shape", {updates})});
    x = call.Node("ScatterND", {x, index, none});
  }
  const std::string mode = call.Flag("overwrite") ? "none" : "add";
  call.Out("out",
           call.Node("ScatterND", {x, index, updates}, {{"reduction", mode}}));
}

void IndexAdd(OutCall& call) {
  if (call.Axis("axis", call.Rank("x")) != 0) {
    return call.Refuse("axis must be 0");
  }
  const OnnxName index = Reshape(call, Wide(call, "index"), {-1, 1});
  call.Out("out",
           call.Node("ScatterND", {call.In("x"), index, call.In("add_value")},
                     {{"reduction", std::string("add")}}));
}

// ONNX has a column for each element, and ours a row.
void NonZero(OutCall& call) {
  const OnnxName found = call.Node("NonZero", {call.In("x")});
  call.Out("out", Transpose(call, found, {1, 0}));
}

void Compress(OutCall& call) {
  const OnnxName flat = Reshape(call, call.In("x"), {-1});
  const OnnxName mask = Reshape(call, call.In("mask"), {-1});
  call.Out("out", call.Node("Compress", {flat, mask}, {{"axis", int64_t{0}}}));
}

// Rows of a table; those at `padding_idx` are zeros.
void Rows(OutCall& call, std::string_view table, std::string_view ids,
          const OnnxName& index) {
  OnnxName rows =
      call.Node("Gather", {call.In(table), index}, {{"axis", int64_t{0}}});
  const int64_t padding = call.Int("padding_idx");
  if (padding != -1) {
    const DataType dtype = call.Dtype(ids);
    const OnnxName none = call.Scalar0(static_cast<double>(padding), dtype);
    const OnnxName is_none =
        Unsqueeze(call, call.Node("Equal", {index, none}), {-1});
    const OnnxName zero = call.Scalar0(0, call.Dtype(table));
    rows = call.Node("Where", {is_none, zero, rows});
  }
  call.Out("out", rows);
}

void Embedding(OutCall& call) { Rows(call, "weight", "x", call.In("x")); }

void LookupTable(OutCall& call) {
  Rows(call, "w", "ids", Squeeze(call, call.In("ids"), {-1}));
}

// Numbers beyond the classes give zeros: they are none of them.
void OneHot(OutCall& call) {
  const OnnxName classes =
      call.Node("Range", {call.Scalar0(0, DataType::kInt64),
                          call.NumberTensor("num_classes", DataType::kInt64),
                          call.Scalar0(1, DataType::kInt64)});
  const OnnxName each = Unsqueeze(call, Wide(call, "x"), {-1});
  call.Out("out", Cast(call, call.Node("Equal", {each, classes}),
                       call.OutDtype("out")));
}

constexpr OutForm kForms[] = {
    {"gather", Gather},
    {"index_select", Gather},
    {"take_along_axis", TakeAlongAxis},
    {"put_along_axis", PutAlongAxis},
    {"gather_nd", GatherNd},
    {"scatter_nd_add", ScatterNdAdd},
    {"scatter_nd_update", ScatterNdUpdate},
    {"scatter", Scatter},
    {"index_add", IndexAdd},
    {"nonzero", NonZero},
    {"compress", Compress},
    {"embedding", Embedding},
    {"lookup_table", LookupTable},
    {"one_hot", OneHot},
};

}  // namespace

absl::Span<const OutForm> IndexOutForms() { return kForms; }

}  // namespace switchyard::static_graph
