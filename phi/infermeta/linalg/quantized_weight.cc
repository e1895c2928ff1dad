// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linalg/quantized_weight.h"

#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

// Checks what each row has `numbers` of, the scales that stand beside them and
// what both may be.
absl::Status CheckRows(const TensorSpec& weight, const TensorSpec& scale,
                       int bits, int group, Dim numbers) {
  const bool packed = bits == 4;
  if (!packed && bits != 8) {
    return ArgumentError("bits", "4 or 8", std::to_string(bits));
  }
  if (group < 0 || (packed && group % 2 != 0)) {
    return ArgumentError("group",
                         packed ? "even, and at least 0" : "at least 0",
                         std::to_string(group));
  }
  SY_RETURN_IF_ERROR(CheckDtype("weight", weight,
                                packed ? DataType::kUInt8 : DataType::kInt8));
  SY_RETURN_IF_ERROR(CheckDtype("scale", scale, DataType::kFloat32));
  Dim bytes = numbers, groups = numbers;
  if (numbers.known()) {
    const int64_t count = numbers.value();
    bytes = packed ? count / 2 + count % 2 : count;
    groups = group == 0 ? 1 : count / group + (count % group != 0);
  } else {
    groups = group == 0 ? Dim(1) : Dim();
    if (packed) bytes = Dim();
  }
  Shape rows = weight.shape;
  rows[rows.rank() - 1] = bytes;
  SY_RETURN_IF_ERROR(CheckShape("weight", weight, rows));
  rows[rows.rank() - 1] = groups;
  return CheckShape("scale", scale, rows);
}

}  // namespace

absl::Status DequantizeWeightInferMeta(const TensorSpec& weight,
                                       const TensorSpec& scale, int bits,
                                       int group,
                                       absl::Span<const int64_t> extents,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("weight", weight, 1));
  const int last = weight.shape.rank() - 1;
  Dim numbers = weight.shape[last];
  if (bits == 4) {
    SY_ASSIGN_OR_RETURN(numbers, Multiply(numbers, Dim(2)));
  }
  Shape shape;
  for (int i = 0; i < last; ++i) shape.push_back(weight.shape[i]);
  if (last + static_cast<int>(extents.size()) > kMaxRank) {
    return ArgumentError("extents", "for a result of few axes",
                         std::to_string(extents.size()));
  }
  if (extents.empty()) {
    shape.push_back(numbers);
  } else {
    numbers = Dim(1);
    for (const int64_t extent : extents) {
      if (extent < 0) {
        return ArgumentError("extents", "at least 0", std::to_string(extent));
      }
      SY_ASSIGN_OR_RETURN(numbers, Multiply(numbers, Dim(extent)));
      shape.push_back(Dim(extent));
    }
  }
  SY_RETURN_IF_ERROR(CheckRows(weight, scale, bits, group, numbers));
  return SetOutput(out, DataType::kFloat32, shape);
}

absl::Status LinearQuantizedInferMeta(const TensorSpec& x,
                                      const TensorSpec& weight,
                                      const TensorSpec& scale,
                                      const TensorSpec* bias, int bits,
                                      int group, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("x", x, DataType::kFloat32));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckRank("weight", weight, 2));
  Shape shape = x.shape;
  const int last = shape.rank() - 1;
  SY_RETURN_IF_ERROR(CheckRows(weight, scale, bits, group, shape[last]));
  shape[last] = weight.shape[0];
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtypeAndShape("bias", *bias, DataType::kFloat32,
                                          Shape({weight.shape[0]})));
  }
  return SetOutput(out, DataType::kFloat32, shape);
}

}  // namespace switchyard::phi
