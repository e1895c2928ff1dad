// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/element_type.h"

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// The dtypes by the numbers of ONNX.
constexpr DataType kTypes[] = {
    DataType::kUndefined,      DataType::kFloat32,    DataType::kUInt8,
    DataType::kInt8,           DataType::kUInt16,     DataType::kInt16,
    DataType::kInt32,          DataType::kInt64,      DataType::kString,
    DataType::kBool,           DataType::kFloat16,    DataType::kFloat64,
    DataType::kUInt32,         DataType::kUInt64,     DataType::kComplex64,
    DataType::kComplex128,     DataType::kBFloat16,   DataType::kFloat8E4M3FN,
    DataType::kFloat8E4M3FNUZ, DataType::kFloat8E5M2, DataType::kFloat8E5M2FNUZ,
    DataType::kUInt4,          DataType::kInt4,       DataType::kFloat4E2M1FN,
    DataType::kFloat8E8M0FNU,  DataType::kUInt2,      DataType::kInt2,
};
constexpr int64_t kNumTypes = sizeof(kTypes) / sizeof(kTypes[0]);

bool IsType(int64_t number) { return number > 0 && number < kNumTypes; }

}  // namespace

absl::StatusOr<DataType> DataTypeOfOnnx(int64_t number) {
  if (!IsType(number)) {
    return ArgumentError("element type",
                         absl::StrCat("in [1, ", kNumTypes, ")"),
                         absl::StrCat(number));
  }
  return kTypes[number];
}

absl::StatusOr<int64_t> OnnxTypeOf(DataType dtype) {
  for (int64_t number = 1; number < kNumTypes; ++number) {
    if (kTypes[number] == dtype) return number;
  }
  return TypeError("dtype", "one of ONNX", Name(dtype));
}

int64_t FirstOpsetOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E4M3FNUZ:
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E5M2FNUZ:
      return 19;
    case DataType::kInt4:
    case DataType::kUInt4:
      return 21;
    case DataType::kFloat4E2M1FN:
      return 23;
    case DataType::kFloat8E8M0FNU:
      return 24;
    case DataType::kInt2:
    case DataType::kUInt2:
      return 25;
    default:
      return 1;
  }
}

}  // namespace switchyard::static_graph
