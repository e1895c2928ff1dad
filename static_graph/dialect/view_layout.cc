// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/view_layout.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/detach.gen.h"
#include "static_graph/dialect/diagonal.gen.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/expand.gen.h"
#include "static_graph/dialect/expand_as.gen.h"
#include "static_graph/dialect/flatten.gen.h"
#include "static_graph/dialect/flatten2.gen.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/view_shape.gen.h"

namespace switchyard::static_graph {
namespace {

using Axis = ViewLayout::Axis;

// The id of an extent that nothing else is known to be equal to. Symbols have
// their own numbers, which are less.
ExtentProduct Fresh() {
  static thread_local int64_t next = int64_t{1} << 40;
  return {1, {next++}};
}

ExtentProduct ProductOf(Dim dim) {
  if (dim.known()) return {dim.value(), {}};
  if (dim.symbolic()) return {1, {static_cast<int64_t>(dim.symbol())}};
  return Fresh();
}

ExtentProduct Multiply(const ExtentProduct& a, const ExtentProduct& b) {
  ExtentProduct product;
  if (__builtin_mul_overflow(a.number, b.number, &product.number)) {
    return Fresh();
  }
  if (product.number == 0) return {0, {}};
  product.ids.resize(a.ids.size() + b.ids.size());
  std::merge(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end(),
             product.ids.begin());
  return product;
}

bool IsOne(const ExtentProduct& extent) {
  return extent.known() && extent.number == 1;
}

// Row-major strides of the extents that the axes have.
void LayOutRowMajor(ViewLayout* layout) {
  ExtentProduct stride;
  for (auto axis = layout->axes.rbegin(); axis != layout->axes.rend(); ++axis) {
    axis->stride = stride;
    stride = Multiply(stride, axis->extent);
  }
}

std::vector<Axis> AxesOf(ir::Value value) {
  std::vector<Axis> axes;
  for (const Dim dim : value.tensor_type().shape().dims()) {
    axes.push_back({ProductOf(dim), ExtentProduct()});
  }
  return axes;
}

// Nothing is known of the strides.
ViewLayout Unknown(ir::Value value) {
  ViewLayout layout = {AxesOf(value)};
  for (Axis& axis : layout.axes) axis.stride = Fresh();
  return layout;
}

ViewLayout Permuted(const ir::Operation& view, ir::Value result,
                    const ViewLayout& operand) {
  const auto perm = view.attribute(kPermAttr).As<absl::Span<const int>>();
  const auto rank = static_cast<int>(operand.axes.size());
  if (!perm.has_value() || static_cast<int>(perm->size()) != rank) {
    return Unknown(result);
  }
  ViewLayout layout;
  for (const int from : *perm) {
    layout.axes.push_back(operand.axes[from < 0 ? from + rank : from]);
  }
  return layout;
}

// Axes of extent 1 are dropped or put in; the others keep order and strides.
ViewLayout WithUnitAxes(ir::Value result, const ViewLayout& operand) {
  ViewLayout layout = {AxesOf(result)};
  size_t from = 0;
  const auto skip = [&] {
    while (from < operand.axes.size() && IsOne(operand.axes[from].extent)) {
      ++from;
    }
  };
  for (Axis& axis : layout.axes) {
    if (IsOne(axis.extent)) continue;
    skip();
    if (from == operand.axes.size()) return Unknown(result);
    axis = operand.axes[from++];
  }
  skip();
  return from == operand.axes.size() ? layout : Unknown(result);
}

ViewLayout Expanded(ir::Value result, const ViewLayout& operand) {
  ViewLayout layout = {AxesOf(result)};
  const size_t added = layout.axes.size() - operand.axes.size();
  for (size_t i = 0; i < layout.axes.size(); ++i) {
    Axis& axis = layout.axes[i];
    if (i < added) {
      axis.stride = {0, {}};
      continue;
    }
    const Axis& from = operand.axes[i - added];
    if (from.extent == axis.extent) {
      axis = from;
    } else {
      axis.stride = IsOne(from.extent) ? ExtentProduct{0, {}} : Fresh();
    }
  }
  return layout;
}

// The axes that a slice drops, and the step that it has along others.
struct SliceOf {
  std::vector<size_t> dropped;
  std::vector<ExtentProduct> steps;  // By axis of the operand.
};

SliceOf ReadSlice(const OpCall& call, size_t rank) {
  SliceOf slice;
  slice.steps.resize(rank);
  const phi::OpInfo& info = *call.op->info;
  const auto wrapped = [&](int64_t axis) {
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank)
                                        : axis);
  };
  absl::Span<const int64_t> axes;
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    const std::string_view name = info.attrs[i].name;
    if (name == "axes") axes = call.attrs[i].Get<absl::Span<const int64_t>>();
    if (name == "decrease_axis") {
      for (const int64_t axis :
           call.attrs[i].Get<absl::Span<const int64_t>>()) {
        slice.dropped.push_back(wrapped(axis));
      }
    }
    if (name != "steps") continue;
    const auto steps = call.attrs[i].Get<AttrValues>();
    for (size_t k = 0; k < axes.size() && k < steps.size(); ++k) {
      slice.steps[wrapped(axes[k])] =
          steps[k].known() ? ExtentProduct{steps[k].value(), {}} : Fresh();
    }
  }
  return slice;
}

// A part of the operand: slices, pieces of a split, crops.
ViewLayout PartOf(const ir::Operation& view, ir::Value result,
                  const ViewLayout& operand) {
  const absl::StatusOr<OpCall> call = ReadCall(view);
  if (!call.ok()) return Unknown(result);
  const SliceOf slice = ReadSlice(*call, operand.axes.size());
  ViewLayout layout = {AxesOf(result)};
  size_t to = 0;
  for (size_t i = 0; i < operand.axes.size(); ++i) {
    if (std::find(slice.dropped.begin(), slice.dropped.end(), i) !=
        slice.dropped.end()) {
      continue;
    }
    if (to == layout.axes.size()) return Unknown(result);
    layout.axes[to++].stride = Multiply(operand.axes[i].stride, slice.steps[i]);
  }
  return to == layout.axes.size() ? layout : Unknown(result);
}

// A step along a diagonal is one along each of its two axes.
ViewLayout DiagonalOf(const DiagonalOp& view, ir::Value result,
                      const ViewLayout& operand) {
  const auto rank = static_cast<int>(operand.axes.size());
  const int rows = view.axis1() < 0 ? view.axis1() + rank : view.axis1();
  const int columns = view.axis2() < 0 ? view.axis2() + rank : view.axis2();
  ViewLayout layout = {AxesOf(result)};
  size_t to = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != rows && axis != columns) {
      layout.axes[to++] = operand.axes[axis];
    }
  }
  const ExtentProduct& down = operand.axes[rows].stride;
  const ExtentProduct& along = operand.axes[columns].stride;
  int64_t step = 0;
  const bool known = down.known() && along.known() &&
                     !__builtin_add_overflow(down.number, along.number, &step);
  layout.axes[to].stride = known ? ExtentProduct{step, {}} : Fresh();
  return layout;
}

// Axes of an operand that lie in one another without a gap.
struct Run {
  ExtentProduct step, size;
  Certainty ends = Certainty::kAlways;
};

// The runs, the innermost first.
std::vector<Run> RunsOf(const ViewLayout& operand) {
  std::vector<Run> runs;
  for (auto axis = operand.axes.rbegin(); axis != operand.axes.rend(); ++axis) {
    if (IsOne(axis->extent)) continue;
    if (!runs.empty()) {
      Run& run = runs.back();
      const ExtentProduct next = Multiply(run.step, run.size);
      if (axis->stride == next) {
        run.size = Multiply(run.size, axis->extent);
        continue;
      }
      // An extent that only a run knows may be 1.
      const bool sure =
          axis->extent.known() && axis->stride.known() && next.known();
      if (!sure) run.ends = Certainty::kSometimes;
    }
    runs.push_back({axis->stride, axis->extent});
  }
  return runs;
}

}  // namespace

ViewResult LayOutByStrides(ir::Value result, const ViewLayout& operand) {
  ViewResult made = {RowMajorLayout(result.tensor_type())};
  std::vector<Axis>& axes = made.layout.axes;
  for (const Axis& axis : operand.axes) {
    if (axis.extent.number == 0) return made;
  }
  const std::vector<Run> runs = RunsOf(operand);
  size_t left = axes.size();
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    const bool last = i + 1 == runs.size();
    if (run.ends == Certainty::kSometimes) made.shares = Certainty::kSometimes;
    ExtentProduct done;
    // The last run takes the rest: the numbers of elements are equal.
    while (left > 0 && (last || !(done == run.size))) {
      Axis& axis = axes[--left];
      axis.stride = Multiply(run.step, done);
      done = Multiply(done, axis.extent);
      const bool known = done.known() && run.size.known();
      if (last || !known || done.number <= run.size.number) continue;
      const bool sure = made.shares == Certainty::kAlways;
      return {Unknown(result),
              sure ? Certainty::kNever : Certainty::kSometimes};
    }
    if (!last && !(done == run.size)) {
      return {Unknown(result), Certainty::kSometimes};
    }
  }
  return made;
}

ViewLayout RowMajorLayout(ir::TensorType type) {
  ViewLayout layout;
  for (const Dim dim : type.shape().dims()) {
    layout.axes.push_back({ProductOf(dim), ExtentProduct()});
  }
  LayOutRowMajor(&layout);
  return layout;
}

Certainty IsRowMajor(const ViewLayout& layout) {
  Certainty result = Certainty::kAlways;
  ExtentProduct expected;
  for (auto axis = layout.axes.rbegin(); axis != layout.axes.rend(); ++axis) {
    if (IsOne(axis->extent)) continue;
    if (!(axis->stride == expected)) {
      const bool sure =
          axis->extent.known() && axis->stride.known() && expected.known();
      if (sure) return Certainty::kNever;
      result = Certainty::kSometimes;
    }
    expected = Multiply(expected, axis->extent);
  }
  return result;
}

ViewResult LayOutView(const ir::Operation& view, ir::Value result,
                      const ViewLayout& operand) {
  const DialectOp* record = FindDialectOp(view);
  if (record == nullptr || !result.tensor_type()) return {Unknown(result)};
  const std::string_view name = record->info->name;
  if (name == ReshapeOp::kOp.name || name == FlattenOp::kOp.name ||
      name == Flatten2Op::kOp.name) {
    return {RowMajorLayout(result.tensor_type()), IsRowMajor(operand)};
  }
  if (name == ViewShapeOp::kOp.name)
    return {LayOutByStrides(result, operand).layout};
  if (view.has<PermutesTrait>()) return {Permuted(view, result, operand)};
  if (name == ExpandOp::kOp.name || name == ExpandAsOp::kOp.name) {
    return {Expanded(result, operand)};
  }
  if (name == DetachOp::kOp.name) return {operand};
  if (name == DiagonalOp::kOp.name) {
    const absl::StatusOr<DiagonalOp> diagonal = DiagonalOp::From(view);
    return {diagonal.ok() ? DiagonalOf(*diagonal, result, operand)
                          : Unknown(result)};
  }
  if (view.has<SameSizeTrait>()) return {WithUnitAxes(result, operand)};
  if (record->info->inputs.size() != 1) return {Unknown(result)};
  return {PartOf(view, result, operand)};
}

ViewLayout LayoutOf(ir::Value value) {
  std::vector<ir::Value> chain;
  while (const ir::Operation* const op = value.defining_op()) {
    const MemorySource source = SourceOf(*op, value.index());
    if (source.operand < 0) break;
    if (source.view) chain.push_back(value);
    value = op->operand(source.operand);
  }
  ViewLayout layout = RowMajorLayout(value.tensor_type());
  for (auto view = chain.rbegin(); view != chain.rend(); ++view) {
    layout = LayOutView(*view->defining_op(), *view, layout).layout;
  }
  return layout;
}

}  // namespace switchyard::static_graph
