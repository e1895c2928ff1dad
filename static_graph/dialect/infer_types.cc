// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/infer_types.h"

#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::static_graph {

absl::StatusOr<std::vector<TensorSpec>> InferMeta(
    const phi::OpInfo& info,
    const phi::OpArgs<ir::TensorType, const bool>& args) {
  absl::InlinedVector<TensorSpec, 8> metas(args.inputs.size());
  absl::InlinedVector<const TensorSpec*, 8> inputs(args.inputs.size());
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    if (!args.inputs[i]) continue;
    metas[i] = args.inputs[i].spec();
    inputs[i] = &metas[i];
  }
  std::vector<TensorSpec> results(args.outputs.size());
  absl::InlinedVector<TensorSpec*, 4> outputs(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    outputs[i] = args.outputs[i] ? &results[i] : nullptr;
  }
  if (!info.has_infer_meta()) {
    return absl::UnimplementedError(
        "it is a call of another operator: write that one");
  }
  SY_RETURN_IF_ERROR(info.InferMeta({{inputs, args.inputs.segments()},
                                     args.attrs,
                                     {outputs, args.outputs.segments()}}));
  return results;
}

absl::Status CheckInferred(const char* output, const TensorSpec& inferred,
                           ir::TensorType type) {
  const TensorSpec& got = type.spec();
  bool fits = inferred.dtype == got.dtype && inferred.kind == got.kind &&
              MayEqual(inferred.shape, got.shape);
  // A symbol says that extents are equal, which InferMeta must know.
  for (int axis = 0; fits && axis < got.shape.rank(); ++axis) {
    fits =
        !got.shape[axis].symbolic() || got.shape[axis] == inferred.shape[axis];
  }
  if (fits) return absl::OkStatus();
  return ArgumentError(output,
                       absl::StrCat(SpecText(inferred), " as InferMeta says"),
                       SpecText(got));
}

}  // namespace switchyard::static_graph
