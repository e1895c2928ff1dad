// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/named_op.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {

absl::StatusOr<ir::Value> BuildNamedOp(ir::Builder& builder,
                                       std::string_view need,
                                       std::string_view name,
                                       const InputValues& inputs,
                                       absl::Span<const AttrRef> attrs) {
  const DialectOp* const op = FindOperator(*builder.context(), name);
  if (op == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(std::string(need), " the operator ", std::string(name)));
  }
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, *op, inputs, attrs, &results));
  return results[0];
}

}  // namespace switchyard::static_graph
