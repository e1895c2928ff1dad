// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/view_inverse.h"

#include <limits>
#include <string_view>
#include <vector>

#include "phi/core/arg_buffer.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/diagonal.gen.h"
#include "static_graph/dialect/fill_diagonal_tensor.gen.h"
#include "static_graph/dialect/legacy_set_value.gen.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/shape.gen.h"

namespace switchyard::static_graph {
namespace {

// The elements of `written` in the shape of `base`; unknown extents are read
// where the program runs.
absl::StatusOr<ir::Value> ReshapeLike(ir::Builder& builder, ir::Value written,
                                      ir::Value base) {
  const Shape& shape = base.tensor_type().shape();
  if (shape.known()) {
    std::vector<int64_t> extents;
    for (Dim dim : shape.dims()) extents.push_back(dim.value());
    SY_ASSIGN_OR_RETURN(const ReshapeOp reshaped,
                        ReshapeOp::Build(builder, written, extents));
    return reshaped.out();
  }
  const DialectOp* const reshape =
      FindOperator(*builder.context(), ReshapeOp::kOp.name);
  if (reshape == nullptr || reshape->info->attrs.size() != 1) {
    return absl::NotFoundError("");
  }
  SY_ASSIGN_OR_RETURN(const ShapeOp extents, ShapeOp::Build(builder, base));
  SuppliedAttr supplied;
  supplied.attr = 0;  // Its shape.
  supplied.values = {extents.out()};
  BuildOpOptions options;
  options.supplied = absl::MakeConstSpan(&supplied, 1);
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(
      BuildOp(builder, *reshape, {written}, {}, &results, options));
  return results[0];
}

// The gradient of the view, which takes no input but that of its result.
absl::StatusOr<ir::Value> Gradient(ir::Builder& builder, const OpCall& call,
                                   ir::Value written) {
  const phi::GradInfo& grad = *call.op->grad;
  std::vector<AttrRef> attrs;
  for (size_t i = 0; i < grad.attrs.size(); ++i) {
    attrs.push_back(grad.attrs[i] >= 0 ? call.attrs[grad.attrs[i]]
                                       : grad.backward->attrs[i].default_value);
  }
  phi::ArgBuffer<ir::Value> inputs;
  inputs.AddOne(written);
  phi::ArgBuffer<bool> wanted;
  wanted.AddOne(true);
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildComposite(builder, *call.op->backward, inputs.view(),
                                    attrs, {}, wanted.view(), &results));
  return results[0];
}

// Whether the base follows from a view of all its elements, once each.
bool HasInverse(const ir::Operation& view, const DialectOp& record) {
  if (!view.has<SameSizeTrait>()) return false;
  if (!view.has<PermutesTrait>()) return true;
  return record.grad != nullptr && record.grad->inputs.size() == 1 &&
         record.backward->composite != nullptr;
}

// A part of a base, as legacy_set_value takes it.
struct Part {
  std::vector<int64_t> axes, dropped;
  std::vector<AttrValue> starts, ends, steps;
  const SuppliedAttr* supplied[3] = {};  // Of starts, ends and steps.
};

void ReadAttr(const OpCall& call, size_t attr, std::vector<AttrValue>* values,
              const SuppliedAttr** supplied) {
  const auto given = call.attrs[attr].Get<AttrValues>();
  for (size_t i = 0; i < given.size(); ++i) values->push_back(given[i]);
  for (const SuppliedAttr& each : call.supplied) {
    if (each.attr == static_cast<int>(attr)) *supplied = &each;
  }
}

// Returns false if `call` is no slice.
bool ReadSlice(const OpCall& call, Part* part) {
  const phi::OpInfo& info = *call.op->info;
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    const std::string_view name = info.attrs[i].name;
    if (name == "starts") {
      ReadAttr(call, i, &part->starts, &part->supplied[0]);
    } else if (name == "ends") {
      ReadAttr(call, i, &part->ends, &part->supplied[1]);
    } else if (name == "steps") {
      ReadAttr(call, i, &part->steps, &part->supplied[2]);
    } else if (name == "axes" || name == "decrease_axis") {
      const auto axes = call.attrs[i].Get<absl::Span<const int64_t>>();
      (name == "axes" ? part->axes : part->dropped)
          .assign(axes.begin(), axes.end());
    } else {
      return false;
    }
  }
  return info.attr_index("starts") >= 0 &&
         part->starts.size() == part->axes.size() &&
         part->ends.size() == part->axes.size();
}

// Piece `index` of a split whose sections before it are known.
bool ReadPiece(const OpCall& call, int index, Part* part) {
  const phi::OpInfo& info = *call.op->info;
  const int sections = info.attr_index("sections");
  const int axis = info.attr_index("axis");
  if (sections < 0 || axis < 0) return false;
  const auto extents =
      call.attrs[static_cast<size_t>(sections)].Get<AttrValues>();
  const auto along = call.attrs[static_cast<size_t>(axis)].Get<AttrValue>();
  if (!along.known()) return false;
  int64_t start = 0;
  for (int i = 0; i < index; ++i) {
    if (!extents[static_cast<size_t>(i)].known() ||
        extents[static_cast<size_t>(i)].value() < 0) {
      return false;
    }
    start += extents[static_cast<size_t>(i)].value();
  }
  const AttrValue extent = extents[static_cast<size_t>(index)];
  const bool last = static_cast<size_t>(index) + 1 == extents.size();
  const bool told = extent.known() && extent.value() >= 0;
  if (!told && !last) return false;
  part->axes = {along.value()};
  part->starts = {AttrValue(start)};
  part->ends = {AttrValue(told ? start + extent.value()
                               : std::numeric_limits<int64_t>::max())};
  return true;
}

// `base` with the part that `view` takes replaced by `written`.
absl::StatusOr<ir::Value> WithPart(ir::Builder& builder, const OpCall& call,
                                   int index, ir::Value written,
                                   ir::Value base) {
  const DialectOp* set_part =
      FindOperator(*builder.context(), LegacySetValueOp::kOp.name);
  Part part;
  if (set_part == nullptr ||
      (!ReadSlice(call, &part) && !ReadPiece(call, index, &part))) {
    return absl::NotFoundError("");
  }
  if (part.axes.empty() && part.dropped.empty()) return written;  // x[...].
  part.steps.resize(part.axes.size(), AttrValue(1));
  std::vector<int64_t> numbers[3];
  BuildOpOptions options;
  std::vector<SuppliedAttr> supplied;
  const std::vector<AttrValue>* lists[] = {&part.starts, &part.ends,
                                           &part.steps};
  const char* names[] = {"starts", "ends", "steps"};
  for (int i = 0; i < 3; ++i) {
    for (const AttrValue& value : *lists[i]) {
      numbers[i].push_back(value.known() ? value.value() : 0);
    }
    if (part.supplied[i] == nullptr) continue;
    supplied.push_back(
        {set_part->info->attr_index(names[i]), part.supplied[i]->values});
  }
  options.supplied = supplied;
  std::vector<AttrRef> attrs = {absl::MakeConstSpan(part.axes)};
  for (const std::vector<int64_t>& list : numbers) {
    attrs.emplace_back(absl::MakeConstSpan(list));
  }
  attrs.emplace_back(absl::MakeConstSpan(part.dropped));
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(
      BuildOp(builder, *set_part, {base, written}, attrs, &results, options));
  return results[0];
}

// `base` with the diagonal that `view` takes replaced by `written`.
absl::StatusOr<ir::Value> WithDiagonal(ir::Builder& builder,
                                       const DiagonalOp& view,
                                       ir::Value written, ir::Value base) {
  SY_ASSIGN_OR_RETURN(
      const FillDiagonalTensorOp filled,
      FillDiagonalTensorOp::Build(builder, base, written, view.offset(),
                                  view.axis1(), view.axis2()));
  return filled.out();
}

}  // namespace

bool StopsGradient(const ir::Operation& view) {
  const DialectOp* record = FindDialectOp(view);
  return record != nullptr && record->grad == nullptr &&
         record->composite == nullptr && view.has<IdentityTrait>() &&
         view.has<SameSizeTrait>();
}

absl::StatusOr<ir::Value> BuildViewInverse(ir::Builder& builder,
                                           ir::Value view_result,
                                           ir::Value written, ir::Value base) {
  const ir::Operation& view = *view_result.defining_op();
  const DialectOp* record = FindDialectOp(view);
  if (record == nullptr) return absl::NotFoundError("");
  if (StopsGradient(view)) return BuildOp(builder, *record, {written});
  if (record->info->name == DiagonalOp::kOp.name) {
    SY_ASSIGN_OR_RETURN(const DiagonalOp diagonal, DiagonalOp::From(view));
    return WithDiagonal(builder, diagonal, written, base);
  }
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(view));
  if (!HasInverse(view, *record)) {
    return WithPart(builder, call, view_result.index(), written, base);
  }
  if (view.has<PermutesTrait>()) return Gradient(builder, call, written);
  return ReshapeLike(builder, written, base);
}

}  // namespace switchyard::static_graph
