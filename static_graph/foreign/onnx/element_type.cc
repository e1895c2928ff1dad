// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/element_type.h"

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

struct ElementType {
  const char* name;
  DataType ours;  // kUndefined: we lack it.
};

constexpr ElementType kTypes[] = {
    {"undefined", DataType::kUndefined},
    {"float32", DataType::kFloat32},
    {"uint8", DataType::kUInt8},
    {"int8", DataType::kInt8},
    {"uint16", DataType::kUInt16},
    {"int16", DataType::kInt16},
    {"int32", DataType::kInt32},
    {"int64", DataType::kInt64},
    {"string", DataType::kString},
    {"bool", DataType::kBool},
    {"float16", DataType::kFloat16},
    {"float64", DataType::kFloat64},
    {"uint32", DataType::kUInt32},
    {"uint64", DataType::kUInt64},
    {"complex64", DataType::kComplex64},
    {"complex128", DataType::kComplex128},
    {"bfloat16", DataType::kBFloat16},
    {"float8e4m3fn", DataType::kUndefined},
    {"float8e4m3fnuz", DataType::kUndefined},
    {"float8e5m2", DataType::kUndefined},
    {"float8e5m2fnuz", DataType::kUndefined},
    {"uint4", DataType::kUndefined},
    {"int4", DataType::kUndefined},
    {"float4e2m1", DataType::kUndefined},
    {"float8e8m0", DataType::kUndefined},
    {"uint2", DataType::kUndefined},
    {"int2", DataType::kUndefined},
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
  if (kTypes[number].ours != DataType::kUndefined) return kTypes[number].ours;
  return TypeError("element type", "one that tensors have here",
                   kTypes[number].name);
}

absl::StatusOr<int64_t> OnnxTypeOf(DataType dtype) {
  for (int64_t number = 1; number < kNumTypes; ++number) {
    if (dtype != DataType::kUndefined && kTypes[number].ours == dtype) {
      return number;
    }
  }
  return TypeError("dtype", "one that ONNX has", Name(dtype));
}

}  // namespace switchyard::static_graph
