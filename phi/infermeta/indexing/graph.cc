// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/graph.h"

#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::Status CheckList(std::string_view argument, const TensorSpec& meta) {
  SY_RETURN_IF_ERROR(CheckIndexDtype(argument, meta));
  return CheckRank(argument, meta, 1);
}

// The nodes that receive: those that out_size counts, else those of x.
absl::StatusOr<Dim> Nodes(const TensorSpec& x, AttrValues out_size) {
  if (out_size.size() > 1) {
    return ArgumentError("out_size", "one number",
                         std::to_string(out_size.size()) + " numbers");
  }
  if (out_size.empty()) return x.shape[0];
  if (!out_size[0].known()) return Dim::Unknown();
  return out_size[0].value() > 0 ? Dim(out_size[0].value()) : x.shape[0];
}

}  // namespace

absl::Status SendURecvInferMeta(const TensorSpec& x,
                                const TensorSpec& src_index,
                                const TensorSpec& dst_index,
                                std::string_view reduce_op, AttrValues out_size,
                                TensorSpec* out, TensorSpec* dst_count) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckList("src_index", src_index));
  SY_RETURN_IF_ERROR(CheckList("dst_index", dst_index));
  SY_RETURN_IF_ERROR(CheckShape("dst_index", dst_index, src_index.shape));
  if (reduce_op != "SUM" && reduce_op != "MEAN" && reduce_op != "MAX" &&
      reduce_op != "MIN") {
    return ArgumentError("reduce_op", "\"SUM\", \"MEAN\", \"MAX\" or \"MIN\"",
                         Quoted(reduce_op));
  }
  SY_ASSIGN_OR_RETURN(const Dim nodes, Nodes(x, out_size));
  Shape rows({nodes});
  for (int i = 1; i < x.shape.rank(); ++i) rows.push_back(x.shape[i]);
  SY_RETURN_IF_ERROR(SetOutput(dst_count, DataType::kInt32, Shape({nodes})));
  return SetOutput(out, x.dtype, rows);
}

}  // namespace switchyard::phi
