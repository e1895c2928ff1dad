// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/view_inverse.h"

#include <string_view>
#include <vector>

#include "phi/core/arg_buffer.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kReshape = "reshape";
constexpr std::string_view kShape = "shape";

// The elements of `written` in the shape of `base`, of which extents that are
// not known are read where the program runs.
absl::StatusOr<ir::Value> ReshapeLike(ir::Builder& builder, ir::Value written,
                                      ir::Value base) {
  const DialectOp* reshape = FindOperator(*builder.context(), kReshape);
  const DialectOp* shape_of = FindOperator(*builder.context(), kShape);
  if (reshape == nullptr || shape_of == nullptr) {
    return absl::NotFoundError(kReshape.data());
  }
  const Shape& shape = base.tensor_type().shape();
  if (shape.known()) {
    std::vector<int64_t> extents;
    for (Dim dim : shape.dims()) extents.push_back(dim.value());
    return BuildOp(builder, *reshape, {written},
                   {AttrRef(absl::MakeConstSpan(extents))});
  }
  SuppliedAttr supplied;
  supplied.attr = reshape->info->attr_index(kShape);
  SY_ASSIGN_OR_RETURN(supplied.values.emplace_back(),
                      BuildOp(builder, *shape_of, {base}));
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

}  // namespace

bool HasInverse(const ir::Operation& view) {
  const DialectOp* record = FindDialectOp(view);
  if (record == nullptr || !view.has<ir::ViewTrait>() ||
      !view.has<SameSizeTrait>()) {
    return false;
  }
  if (!view.has<PermutesTrait>()) return true;
  return record->grad != nullptr && record->grad->inputs.size() == 1 &&
         record->backward->composite != nullptr;
}

absl::StatusOr<ir::Value> BuildViewInverse(ir::Builder& builder,
                                           const ir::Operation& view,
                                           ir::Value written) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(view));
  if (view.has<PermutesTrait>()) return Gradient(builder, call, written);
  return ReshapeLike(builder, written, call.inputs.one(0));
}

}  // namespace switchyard::static_graph
