// SPDX-License-Identifier: Apache-2.0
// Elements and rows by numbers.
#include <algorithm>
#include <string>
#include <vector>

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
  if (call.Rank("arr") == 0) {  // There is one element.
    const OnnxName rows = Reshape(call, call.In("arr"), {1});
    return call.Out("out", call.Node("Gather", {rows, call.In("indices")}));
  }
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
  if (call.Rank("arr") == 0) return call.Refuse("no axis");
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

// The numbers that are written, as a tensor that broadcasts to the places.
OnnxName Assigned(OutCall& call) {
  if (call.Has("value_tensor")) {
    const OnnxName value = call.In("value_tensor");
    const DataType dtype = call.Dtype("x");
    return call.Dtype("value_tensor") == dtype ? value
                                               : Cast(call, value, dtype);
  }
  std::vector<OnnxName> numbers;
  for (const double number : call.Floats("values")) {
    numbers.push_back(call.Scalar0(number, call.Dtype("x")));
  }
  if (numbers.size() == 1) return numbers[0];
  for (OnnxName& each : numbers) each = Unsqueeze(call, each, {0});
  return Reshape(call, call.Node("Concat", numbers, {{"axis", int64_t{0}}}),
                 call.Ints("shape"));
}

// The places of a slice, as its value is broadcast to them: `decrease_axes`
// drop, and an axis of extent 1 comes before each of `none_axes`.
OnnxName AssignedPlaces(OutCall& call, const OnnxName& slice) {
  const Integers gone = call.Ints("decrease_axes");
  const Integers before = call.Ints("none_axes");
  const int rank = call.Rank("x");
  std::vector<bool> dropped(static_cast<size_t>(rank));
  for (const int64_t axis : gone) {
    dropped[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  Integers added;
  int64_t at = 0;
  for (int axis = 0; axis <= rank; ++axis) {
    while (added.size() < before.size() &&
           (axis == rank || before[added.size()] <= axis)) {
      added.push_back(at++);
    }
    at += axis < rank && !dropped[static_cast<size_t>(axis)];
  }
  return Unsqueeze(call, Squeeze(call, slice, gone), added);
}

// Numbers all elements of x, slices the numbers as x is, and scatters to those.
void SetValue(OutCall& call) {
  const OnnxName x = call.In("x");
  const OnnxName shape = call.Node("Shape", {x});
  const OnnxName all = call.Node(
      "Range", {call.Scalar0(0, DataType::kInt64), call.Node("Size", {x}),
                call.Scalar0(1, DataType::kInt64)});
  const OnnxName slice = call.Node(
      "Slice", {call.Node("Reshape", {all, shape}), call.IntTensor("starts"),
                call.IntTensor("ends"), call.IntList(call.Ints("axes")),
                call.IntTensor("steps")});
  const OnnxName places = AssignedPlaces(call, slice);
  const OnnxName value =
      call.Node("Expand", {Assigned(call), call.Node("Shape", {places})});
  const OnnxName set = call.Node(
      "ScatterElements", {Reshape(call, x, {-1}), Reshape(call, places, {-1}),
                          Reshape(call, value, {-1})});
  call.Out("out", call.Node("Reshape", {set, shape}));
}

// Takes, of the matrices with the two axes last, made lists, each
// (columns + 1)th element from the first one of the diagonal on.
OnnxName DiagonalOf(OutCall& call) {
  const int rank = call.Rank("x");
  const int64_t row = call.Axis("axis1", rank);
  const int64_t column = call.Axis("axis2", rank);
  const int64_t rows = call.Extent("x", static_cast<int>(row));
  const int64_t columns = call.Extent("x", static_cast<int>(column));
  if (!call.ok()) return "";
  Integers perm;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != row && axis != column) perm.push_back(axis);
  }
  perm.insert(perm.end(), {row, column});
  const int64_t offset = call.Int("offset");
  const int64_t top = std::max<int64_t>(-offset, 0);
  const int64_t left = std::max<int64_t>(offset, 0);
  const int64_t count =
      std::max<int64_t>(0, std::min(rows - top, columns - left));
  Integers places;
  for (int64_t i = 0; i < count; ++i) {
    places.push_back((top + i) * columns + left + i);
  }
  const OnnxName last = Transpose(call, call.In("x"), perm);
  const OnnxName lists =
      call.Node("Reshape", {last, call.Node("Concat",
                                            {Extents(call, last, 0, rank - 2),
                                             call.IntList({rows * columns})},
                                            {{"axis", int64_t{0}}})});
  return call.Node("Gather", {lists, call.IntList(places)},
                   {{"axis", int64_t{rank - 2}}});
}

void Diagonal(OutCall& call) { call.Out("out", DiagonalOf(call)); }

void Trace(OutCall& call) {
  OnnxName x = DiagonalOf(call);
  if (call.OutDtype("out") != call.Dtype("x")) {
    x = Cast(call, x, call.OutDtype("out"));
  }
  call.Out("out", Reduce(call, "ReduceSum", x, {-1}, false));
}

// Takes the distinct ones of all elements. The places of the first ones, which
// ONNX gives too, are not ours.
void Unique(OutCall& call) {
  const std::vector<OnnxName> found =
      call.Nodes("Unique", {call.In("x")}, 4, {{"sorted", int64_t{1}}});
  call.Out("out", found[0]);
  if (call.Wants("inverse")) {
    call.Out(
        "inverse",
        call.Node("Reshape", {found[2], call.Node("Shape", {call.In("x")})}));
  }
  if (call.Wants("counts")) call.Out("counts", found[3]);
}

constexpr OutForm kForms[] = {
    {"diagonal", Diagonal},
    {"trace", Trace},
    {"legacy_set_value", SetValue},
    {"unique", Unique},
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
