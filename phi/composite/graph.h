// SPDX-License-Identifier: Apache-2.0
// Messages between the nodes of graphs, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_GRAPH_H_
#define SWITCHYARD_PHI_COMPOSITE_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_graph.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace graph {

// Fails unless v is a list, `argument` of the operator.
inline void CheckList(Ops& ops, std::string_view argument, const Value& v) {
  if (ops.shape(v).rank() == 1) return;
  ops.Fail(ArgumentError(argument, "of rank 1", ToString(ops.shape(v))));
}

// Fails unless v has rows, and as many as `index` has elements.
inline void CheckRows(Ops& ops, std::string_view argument, const Value& v,
                      const Value& index) {
  const Shape shape = ops.shape(v);
  const Dim count = ops.shape(index)[0];
  if (shape.rank() >= 1 && MayEqual(shape[0], count)) return;
  ops.Fail(ArgumentError(argument, "with " + ToString(count) + " rows",
                         ToString(shape)));
}

// A list as a column of a tensor of `rank` axes.
inline Value AsColumn(Ops& ops, const Value& list, int rank) {
  std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
  extents[0] = -1;
  return rank == 1 ? list : op::reshape(ops, list, extents);
}

// A list of zeros, one for each row of v.
inline Value ZeroOfRows(Ops& ops, const Value& v) {
  std::vector<int64_t> axes;
  for (int i = 1; i < ops.shape(v).rank(); ++i) axes.push_back(i);
  const Value list =
      axes.empty() ? v : op::sum(ops, v, axes, DataType::kUndefined, false);
  return op::full_like(ops, list, Scalar(0.0), ops.dtype(v));
}

// Messages, which nodes reduce to one each.
struct Messages {
  Value rows;   // A message each.
  Value node;   // A list: the node of each message.
  Value zeros;  // A list: 0 for each node, of the dtype of the rows.
};

// The number of messages of each node.
inline Value CountOf(Ops& ops, const Messages& messages) {
  const Value ones =
      op::full_like(ops, messages.node, Scalar(int64_t{1}), DataType::kInt32);
  const Value none =
      op::full_like(ops, messages.zeros, Scalar(int64_t{0}), DataType::kInt32);
  return op::index_add(ops, none, messages.node, ones, 0);
}

// Returns what means of messages divide by, beside their rows: the number of
// messages of each node, 1 for a node without any.
inline Value PartsOf(Ops& ops, const Messages& messages) {
  const Value count = CountOf(ops, messages);
  const Value least =
      op::full_like(ops, count, Scalar(int64_t{1}), DataType::kUndefined);
  const Value parts =
      op::cast(ops, op::maximum(ops, count, least), ops.dtype(messages.rows));
  return AsColumn(ops, parts, ops.shape(messages.rows).rank());
}

// Returns one row for each node: its messages, reduced as `how` names.
inline Value Received(Ops& ops, std::string_view argument, std::string_view how,
                      const Messages& messages) {
  const Value& rows = messages.rows;
  const int rank = ops.shape(rows).rank();
  const Value row = op::full_like(
      ops,
      op::sum(ops, rows, {int64_t{0}}, DataType::kUndefined, /*keepdim=*/true),
      Scalar(0.0), ops.dtype(rows));
  const Value zeros = op::add(ops, AsColumn(ops, messages.zeros, rank), row);
  if (how == "SUM") return op::index_add(ops, zeros, messages.node, rows, 0);
  if (how == "MEAN") {
    const Value sums = op::index_add(ops, zeros, messages.node, rows, 0);
    const Value means = op::divide(ops, sums, PartsOf(ops, messages));
    // The quotient of integers is a floating number.
    return IsFloating(ops.dtype(rows)) ? means
                                       : op::cast(ops, means, ops.dtype(rows));
  }
  if (how != "MAX" && how != "MIN") {
    ops.Fail(ArgumentError(argument, "\"SUM\", \"MEAN\", \"MAX\" or \"MIN\"",
                           Quoted(how)));
  }
  const Value node =
      op::expand_as(ops, AsColumn(ops, messages.node, rank), rows);
  return op::legacy_put_along_axis(ops, zeros, node, rows, 0,
                                   how == "MAX" ? "amax" : "amin",
                                   /*include_self=*/false);
}

// Returns the messages of edges, each made of a row of x and one of y, which
// broadcast.
inline Value Message(Ops& ops, std::string_view message_op, Value x, Value y) {
  const int least = ops.shape(x).rank(), other = ops.shape(y).rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < least - other || i < other - least; ++i) {
    axes.push_back(i + 1);
  }
  if (least < other) x = op::unsqueeze(ops, x, axes);
  if (other < least) y = op::unsqueeze(ops, y, axes);
  if (message_op == "ADD") return op::add(ops, x, y);
  if (message_op != "MUL") {
    ops.Fail(
        ArgumentError("message_op", "\"ADD\" or \"MUL\"", Quoted(message_op)));
  }
  return op::multiply(ops, x, y);
}

// A 0 for each node. They are as many as out_size says, or the rows of x where
// it is not above 0.
inline Value ZeroOfNodes(Ops& ops, const Value& x, AttrArg<IntArray> out_size) {
  if (!out_size.known())
    return op::full(ops, out_size, Scalar(0.0), ops.dtype(x));
  const auto sizes = out_size.value();
  if (sizes.size() > 1) {
    ops.Fail(ArgumentError("out_size", "one number",
                           std::to_string(sizes.size()) + " numbers"));
  }
  if (sizes.empty() || sizes[0] <= 0) return ZeroOfRows(ops, x);
  return op::full(ops, {sizes[0]}, Scalar(0.0), ops.dtype(x));
}

// Ends the composite unless the indices are lists of the same length.
inline void CheckEdges(Ops& ops, const Value& x, const Value& src_index,
                       const Value& dst_index) {
  if (ops.shape(x).rank() < 1) {
    ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(ops.shape(x))));
  }
  CheckList(ops, "src_index", src_index);
  CheckList(ops, "dst_index", dst_index);
  CheckRows(ops, "dst_index", dst_index, src_index);
}

}  // namespace graph

// Reduces the rows of each segment to one.
inline void SegmentPool(Ops& ops, const Value& x, const Value& segment_ids,
                        std::string_view pooltype, Value* out) {
  graph::CheckList(ops, "segment_ids", segment_ids);
  graph::CheckRows(ops, "x", x, segment_ids);
  if (out == nullptr) return;
  const Value counts = op::bincount(ops, segment_ids, Value(), 0);
  const Value zeros = op::full_like(ops, counts, Scalar(0.0), ops.dtype(x));
  *out = graph::Received(ops, "pooltype", pooltype, {x, segment_ids, zeros});
}

// Reduces the messages of each node, which are rows of other nodes.
inline void SendURecv(Ops& ops, const Value& x, const Value& src_index,
                      const Value& dst_index, std::string_view reduce_op,
                      AttrArg<IntArray> out_size, Value* out,
                      Value* dst_count) {
  const graph::Messages messages = {op::index_select(ops, x, src_index, 0),
                                    dst_index,
                                    graph::ZeroOfNodes(ops, x, out_size)};
  if (out != nullptr) {
    *out = graph::Received(ops, "reduce_op", reduce_op, messages);
  }
  if (dst_count != nullptr) *dst_count = graph::CountOf(ops, messages);
}

// The gradient of send_u_recv: each row of x gets the shares that its messages
// have in the gradients of the nodes that received them.
inline void SendURecvGrad(Ops& ops, const Value& x, const Value& src_index,
                          const Value& dst_index, const Value& out,
                          const Value& out_grad, std::string_view reduce_op,
                          Value* x_grad) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  const Shape shape = ops.shape(out);
  if (!MayEqual(ops.shape(out_grad), shape)) {
    return ops.Fail(ArgumentError("out_grad", "of shape " + ToString(shape),
                                  ToString(ops.shape(out_grad))));
  }
  if (x_grad == nullptr) return;
  Value shares = out_grad;
  if (reduce_op == "MEAN") {
    const Value parts =
        graph::PartsOf(ops, {out, dst_index, graph::ZeroOfRows(ops, out)});
    shares = op::divide(ops, out_grad, parts);
  }
  Value received = op::index_select(ops, shares, dst_index, 0);
  if (reduce_op == "MAX" || reduce_op == "MIN") {
    const Value chosen = op::equal(ops, op::index_select(ops, x, src_index, 0),
                                   op::index_select(ops, out, dst_index, 0));
    received =
        op::multiply(ops, received, op::cast(ops, chosen, ops.dtype(received)));
  }
  const Value zeros = FullLike(ops, x, 0);
  *x_grad = op::index_add(ops, zeros, src_index, received, 0);
}

// Reduces the messages of each node, which are made of rows of other nodes and
// of edges.
inline void SendUeRecv(Ops& ops, const Value& x, const Value& y,
                       const Value& src_index, const Value& dst_index,
                       std::string_view message_op, std::string_view reduce_op,
                       AttrArg<IntArray> out_size, Value* out,
                       Value* dst_count) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  graph::CheckRows(ops, "y", y, src_index);
  const Value rows = graph::Message(ops, message_op,
                                    op::index_select(ops, x, src_index, 0), y);
  const graph::Messages messages = {rows, dst_index,
                                    graph::ZeroOfNodes(ops, x, out_size)};
  if (out != nullptr) {
    *out = graph::Received(ops, "reduce_op", reduce_op, messages);
  }
  if (dst_count != nullptr) *dst_count = graph::CountOf(ops, messages);
}

// Makes a row for each edge of rows of both its nodes.
inline void SendUv(Ops& ops, const Value& x, const Value& y,
                   const Value& src_index, const Value& dst_index,
                   std::string_view message_op, Value* out) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  if (ops.shape(y).rank() < 1) {
    ops.Fail(ArgumentError("y", "of rank 1 or more", ToString(ops.shape(y))));
  }
  if (out == nullptr) return;
  *out = graph::Message(ops, message_op, op::index_select(ops, x, src_index, 0),
                        op::index_select(ops, y, dst_index, 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GRAPH_H_
