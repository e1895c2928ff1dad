// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/autodiff_ops.h"

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

const char* NameOf(AutodiffOp op) {
  switch (op) {
    case AutodiffOp::kSum:
      return "add";
    case AutodiffOp::kProduct:
      return "multiply";
    case AutodiffOp::kLess:
      return "less_than";
    case AutodiffOp::kFillLike:
      return "full_like";
    case AutodiffOp::kEmptyArray:
      return "create_array";
  }
  return "";
}

}  // namespace

absl::StatusOr<ir::Value> BuildAutodiffOp(ir::Builder& builder, AutodiffOp op,
                                          absl::Span<const ir::Value> inputs,
                                          absl::Span<const AttrRef> attrs) {
  const DialectOp* record = FindOperator(*builder.context(), NameOf(op));
  if (record == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("gradients: the operator ", NameOf(op),
                     " is not registered with the context"));
  }
  return BuildOp(builder, *record, inputs, attrs);
}

}  // namespace switchyard::static_graph
