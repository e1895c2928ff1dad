// SPDX-License-Identifier: Apache-2.0
// SuppliedAttr: an attribute of a call that values of the program supply, with
// the elements that are known before the program runs. Such values are operands
// after the inputs: operand_segments has one more entry for each attribute that
// the operator's entry marks (AttrInfo::supplied), 0 where the attribute is
// written in the operation instead.
//
//   %y = op.reshape(%x, %n, %rest) {operand_segments = int32[1, 2]}
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_SUPPLIED_ATTRS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_SUPPLIED_ATTRS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/op_info.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The elements of the values, one value after another, are the attribute's: of
// any number of them for a list, of one for a number.
struct SuppliedAttr {
  int attr = 0;  // Of the operator.
  std::vector<ir::Value> values;
};

// How many attributes of the operator tensors may supply.
int NumSuppliedAttrs(const phi::OpInfo& info);

// Returns the elements that the program knows: integers of constants and of
// results that are filled with one number are known, those of an operator with
// the trait kExtents are Dims of its input. TypeError or ArgumentError, with
// the attribute's name, for values of another dtype than an attribute of `info`
// takes, of more than one axis, or of an unknown number of elements.
absl::StatusOr<std::vector<AttrValue>> GetElements(
    const phi::AttrInfo& info, absl::Span<const ir::Value> values);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_SUPPLIED_ATTRS_H_
