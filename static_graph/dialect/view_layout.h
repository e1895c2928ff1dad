// SPDX-License-Identifier: Apache-2.0
// ViewLayout: the strides that a value of a traced program would have in eager
// code. They decide whether a reshape there shares its operand's memory or
// copies. The inverse of a view is static_graph/dialect/view_inverse.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_LAYOUT_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "static_graph/ir/operation.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// A product of a number and extents that only a run knows, as 4 * s0 * s0. Each
// such extent has an id. Products that are equal here are equal in every run;
// other products may be equal in some runs.
struct ExtentProduct {
  int64_t number = 1;
  std::vector<int64_t> ids;  // Sorted.

  bool known() const { return ids.empty(); }
  friend bool operator==(const ExtentProduct& a, const ExtentProduct& b) {
    return a.number == b.number && a.ids == b.ids;
  }
};

// How the elements of a value lie in memory.
struct ViewLayout {
  struct Axis {
    ExtentProduct extent, stride;  // In elements.
  };
  std::vector<Axis> axes;
};

// Whether something holds in every run, in none, or in some only.
enum class Certainty : uint8_t { kNever, kSometimes, kAlways };

// Returns the layout of a new value of this type: row-major.
ViewLayout RowMajorLayout(ir::TensorType type);

// Returns whether the elements lie in row-major order without gaps (axes of
// extent 1 put no condition).
Certainty IsRowMajor(const ViewLayout& layout);

// A result of a view operator as eager code makes it of an operand that lies as
// `operand` says. `shares`: whether it lies in the operand's memory; an
// operator that needs its elements in row-major order (reshape) copies others.
struct ViewResult {
  ViewLayout layout;
  Certainty shares = Certainty::kAlways;
};
ViewResult LayOutView(const ir::Operation& view, ir::Value result,
                      const ViewLayout& operand);

// Returns the layout of a view of all elements of the operand, in their order,
// with the extents of `result`; `shares`: whether the strides allow it.
ViewResult LayOutByStrides(ir::Value result, const ViewLayout& operand);

// Returns the layout that eager code gives the value. Follows views and
// in-place writes back to the first value of that memory.
ViewLayout LayoutOf(ir::Value value);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_LAYOUT_H_
