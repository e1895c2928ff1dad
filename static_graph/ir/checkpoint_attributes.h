// SPDX-License-Identifier: Apache-2.0
// Attributes of operations that a gradient computes again instead of keeping
// what they made (static_graph/autodiff/checkpoint_copies.h).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_CHECKPOINT_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_IR_CHECKPOINT_ATTRIBUTES_H_

#include <string_view>

namespace switchyard::static_graph::ir {

// int64[], of any operation: the numbers of the checkpoints that it is in,
// outermost first. The operations of one are neighbours, except that others
// without the attribute may stand between them. It is there while a program is
// traced.
inline constexpr char kCheckpointAttr[] = "checkpoint";

// int64, of op.<operator>: the number of the checkpoint that it is a copy for.
// It tells the copy from the first one, which would be kept in its place if
// one of them stood for both.
inline constexpr char kRecomputedAttr[] = "recomputed";

// Returns whether `name` is one of the two.
inline bool IsCheckpointAttribute(std::string_view name) {
  return name == kCheckpointAttr || name == kRecomputedAttr;
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_CHECKPOINT_ATTRIBUTES_H_
