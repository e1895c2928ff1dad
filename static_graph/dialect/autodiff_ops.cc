// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/autodiff_ops.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/create_array.gen.h"
#include "static_graph/dialect/full_like.gen.h"
#include "static_graph/dialect/less_than.gen.h"
#include "static_graph/dialect/multiply.gen.h"

namespace switchyard::static_graph {
namespace {

// The result of a call, or why there is none.
template <typename View>
absl::StatusOr<ir::Value> ResultOf(const absl::StatusOr<View>& call) {
  if (call.ok()) return call->out();
  if (!absl::IsNotFound(call.status())) return call.status();
  return absl::FailedPreconditionError(
      absl::StrCat("gradients: the operator ", std::string(View::kOp.name),
                   " is not registered with the context"));
}

}  // namespace

absl::StatusOr<ir::Value> BuildSum(ir::Builder& builder, ir::Value x,
                                   ir::Value y) {
  return ResultOf(AddOp::Build(builder, x, y));
}

absl::StatusOr<ir::Value> BuildProduct(ir::Builder& builder, ir::Value x,
                                       ir::Value y) {
  return ResultOf(MultiplyOp::Build(builder, x, y));
}

absl::StatusOr<ir::Value> BuildLess(ir::Builder& builder, ir::Value x,
                                    ir::Value y) {
  return ResultOf(LessThanOp::Build(builder, x, y));
}

absl::StatusOr<ir::Value> BuildFilled(ir::Builder& builder, ir::Value like,
                                      double number) {
  return ResultOf(FullLikeOp::Build(builder, like, Scalar(number)));
}

absl::StatusOr<ir::Value> BuildEmptyArray(
    ir::Builder& builder, DataType dtype,
    absl::Span<const int64_t> element_shape) {
  return ResultOf(CreateArrayOp::Build(builder, dtype, element_shape));
}

}  // namespace switchyard::static_graph
