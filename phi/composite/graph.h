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
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace graph {

// Fails unless v is a list, `argument` of the operator.
template <typename Ops, typename V>
void CheckList(Ops& ops, std::string_view argument, const V& v) {
  if (ops.shape(v).rank() == 1) return;
  ops.Fail(ArgumentError(argument, "of rank 1", ToString(ops.shape(v))));
}

// Fails unless v has rows, and as many as `index` has elements.
template <typename Ops, typename V>
void CheckRows(Ops& ops, std::string_view argument, const V& v,
               const V& index) {
  const Shape shape = ops.shape(v);
  const Dim count = ops.shape(index)[0];
  if (shape.rank() >= 1 && MayEqual(shape[0], count)) return;
  ops.Fail(ArgumentError(argument, "with " + ToString(count) + " rows",
                         ToString(shape)));
}

// A list as a column of a tensor of `rank` axes.
template <typename Ops, typename V>
V AsColumn(Ops& ops, const V& list, int rank) {
  std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
  extents[0] = -1;
  return rank == 1 ? list : ops.reshape(list, extents);
}

// A list of zeros, one for each row of v.
template <typename Ops, typename V>
V ZeroOfRows(Ops& ops, const V& v) {
  std::vector<int64_t> axes;
  for (int i = 1; i < ops.shape(v).rank(); ++i) axes.push_back(i);
  const V list =
      axes.empty() ? v : ops.sum(v, axes, DataType::kUndefined, false);
  return ops.full_like(list, Scalar(0.0), ops.dtype(v));
}

// Messages, which nodes reduce to one each.
template <typename V>
struct Messages {
  V rows;   // A message each.
  V node;   // A list: the node of each message.
  V zeros;  // A list: 0 for each node, of the dtype of the rows.
};

// The number of messages of each node.
template <typename Ops, typename V>
V CountOf(Ops& ops, const Messages<V>& messages) {
  const V ones =
      ops.full_like(messages.node, Scalar(int64_t{1}), DataType::kInt32);
  const V none =
      ops.full_like(messages.zeros, Scalar(int64_t{0}), DataType::kInt32);
  return ops.index_add(none, messages.node, ones, 0);
}

// Returns what means of messages divide by, beside their rows: the number of
// messages of each node, 1 for a node without any.
template <typename Ops, typename V>
V PartsOf(Ops& ops, const Messages<V>& messages) {
  const V count = CountOf(ops, messages);
  const V least =
      ops.full_like(count, Scalar(int64_t{1}), DataType::kUndefined);
  const V parts = ops.cast(ops.maximum(count, least), ops.dtype(messages.rows));
  return AsColumn(ops, parts, ops.shape(messages.rows).rank());
}

// Returns one row for each node: its messages, reduced as `how` names.
template <typename Ops, typename V>
V Received(Ops& ops, std::string_view argument, std::string_view how,
           const Messages<V>& messages) {
  const V& rows = messages.rows;
  const int rank = ops.shape(rows).rank();
  const V row = ops.full_like(
      ops.sum(rows, {int64_t{0}}, DataType::kUndefined, /*keepdim=*/true),
      Scalar(0.0), ops.dtype(rows));
  const V zeros = ops.add(AsColumn(ops, messages.zeros, rank), row);
  if (how == "SUM") return ops.index_add(zeros, messages.node, rows, 0);
  if (how == "MEAN") {
    const V sums = ops.index_add(zeros, messages.node, rows, 0);
    const V means = ops.divide(sums, PartsOf(ops, messages));
    // The quotient of integers is a floating number.
    return IsFloating(ops.dtype(rows)) ? means
                                       : ops.cast(means, ops.dtype(rows));
  }
  if (how != "MAX" && how != "MIN") {
    ops.Fail(ArgumentError(argument, "\"SUM\", \"MEAN\", \"MAX\" or \"MIN\"",
                           Quoted(how)));
  }
  const V node = ops.expand_as(AsColumn(ops, messages.node, rank), rows);
  return ops.legacy_put_along_axis(zeros, node, rows, 0,
                                   how == "MAX" ? "amax" : "amin",
                                   /*include_self=*/false);
}

// Returns the messages of edges, each made of a row of x and one of y, which
// broadcast.
template <typename Ops, typename V>
V Message(Ops& ops, std::string_view message_op, V x, V y) {
  const int least = ops.shape(x).rank(), other = ops.shape(y).rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < least - other || i < other - least; ++i) {
    axes.push_back(i + 1);
  }
  if (least < other) x = ops.unsqueeze(x, axes);
  if (other < least) y = ops.unsqueeze(y, axes);
  if (message_op == "ADD") return ops.add(x, y);
  if (message_op != "MUL") {
    ops.Fail(
        ArgumentError("message_op", "\"ADD\" or \"MUL\"", Quoted(message_op)));
  }
  return ops.multiply(x, y);
}

// A 0 for each node. They are as many as out_size says, or the rows of x where
// it is not above 0.
template <typename Ops, typename V>
V ZeroOfNodes(Ops& ops, const V& x, AttrArg<IntArray> out_size) {
  if (!out_size.known()) return ops.full(out_size, Scalar(0.0), ops.dtype(x));
  const auto sizes = out_size.value();
  if (sizes.size() > 1) {
    ops.Fail(ArgumentError("out_size", "one number",
                           std::to_string(sizes.size()) + " numbers"));
  }
  if (sizes.empty() || sizes[0] <= 0) return ZeroOfRows(ops, x);
  return ops.full({sizes[0]}, Scalar(0.0), ops.dtype(x));
}

// Ends the composite unless the indices are lists of the same length.
template <typename Ops, typename V>
void CheckEdges(Ops& ops, const V& x, const V& src_index, const V& dst_index) {
  if (ops.shape(x).rank() < 1) {
    ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(ops.shape(x))));
  }
  CheckList(ops, "src_index", src_index);
  CheckList(ops, "dst_index", dst_index);
  CheckRows(ops, "dst_index", dst_index, src_index);
}

}  // namespace graph

// Reduces the rows of each segment to one.
template <typename Ops, typename V = typename Ops::Value>
void SegmentPool(Ops& ops, const V& x, const V& segment_ids,
                 std::string_view pooltype, V* out) {
  graph::CheckList(ops, "segment_ids", segment_ids);
  graph::CheckRows(ops, "x", x, segment_ids);
  if (out == nullptr) return;
  const V counts = ops.bincount(segment_ids, V(), 0);
  const V zeros = ops.full_like(counts, Scalar(0.0), ops.dtype(x));
  *out = graph::Received<Ops, V>(ops, "pooltype", pooltype,
                                 {x, segment_ids, zeros});
}

// Reduces the messages of each node, which are rows of other nodes.
template <typename Ops, typename V = typename Ops::Value>
void SendURecv(Ops& ops, const V& x, const V& src_index, const V& dst_index,
               std::string_view reduce_op, AttrArg<IntArray> out_size, V* out,
               V* dst_count) {
  const graph::Messages<V> messages = {ops.index_select(x, src_index, 0),
                                       dst_index,
                                       graph::ZeroOfNodes(ops, x, out_size)};
  if (out != nullptr) {
    *out = graph::Received(ops, "reduce_op", reduce_op, messages);
  }
  if (dst_count != nullptr) *dst_count = graph::CountOf(ops, messages);
}

// The gradient of send_u_recv: each row of x gets the shares that its messages
// have in the gradients of the nodes that received them.
template <typename Ops, typename V = typename Ops::Value>
void SendURecvGrad(Ops& ops, const V& x, const V& src_index, const V& dst_index,
                   const V& out, const V& out_grad, std::string_view reduce_op,
                   V* x_grad) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  const Shape shape = ops.shape(out);
  if (!MayEqual(ops.shape(out_grad), shape)) {
    return ops.Fail(ArgumentError("out_grad", "of shape " + ToString(shape),
                                  ToString(ops.shape(out_grad))));
  }
  if (x_grad == nullptr) return;
  V shares = out_grad;
  if (reduce_op == "MEAN") {
    const V parts = graph::PartsOf<Ops, V>(
        ops, {out, dst_index, graph::ZeroOfRows(ops, out)});
    shares = ops.divide(out_grad, parts);
  }
  V received = ops.index_select(shares, dst_index, 0);
  if (reduce_op == "MAX" || reduce_op == "MIN") {
    const V chosen = ops.equal(ops.index_select(x, src_index, 0),
                               ops.index_select(out, dst_index, 0));
    received = ops.multiply(received, ops.cast(chosen, ops.dtype(received)));
  }
  const V zeros = FullLike(ops, x, 0);
  *x_grad = ops.index_add(zeros, src_index, received, 0);
}

// Reduces the messages of each node, which are made of rows of other nodes and
// of edges.
template <typename Ops, typename V = typename Ops::Value>
void SendUeRecv(Ops& ops, const V& x, const V& y, const V& src_index,
                const V& dst_index, std::string_view message_op,
                std::string_view reduce_op, AttrArg<IntArray> out_size, V* out,
                V* dst_count) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  graph::CheckRows(ops, "y", y, src_index);
  const V rows =
      graph::Message(ops, message_op, ops.index_select(x, src_index, 0), y);
  const graph::Messages<V> messages = {rows, dst_index,
                                       graph::ZeroOfNodes(ops, x, out_size)};
  if (out != nullptr) {
    *out = graph::Received(ops, "reduce_op", reduce_op, messages);
  }
  if (dst_count != nullptr) *dst_count = graph::CountOf(ops, messages);
}

// Makes a row for each edge of rows of both its nodes.
template <typename Ops, typename V = typename Ops::Value>
void SendUv(Ops& ops, const V& x, const V& y, const V& src_index,
            const V& dst_index, std::string_view message_op, V* out) {
  graph::CheckEdges(ops, x, src_index, dst_index);
  if (ops.shape(y).rank() < 1) {
    ops.Fail(ArgumentError("y", "of rank 1 or more", ToString(ops.shape(y))));
  }
  if (out == nullptr) return;
  *out = graph::Message(ops, message_op, ops.index_select(x, src_index, 0),
                        ops.index_select(y, dst_index, 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GRAPH_H_
