// SPDX-License-Identifier: Apache-2.0
#include "library/dtypes.h"

#include "absl/strings/str_cat.h"

namespace switchyard::library {
namespace {

struct Numbered {
  switchyard_dtype number;
  DataType dtype;
};

constexpr Numbered kDataTypes[] = {
    {SWITCHYARD_BOOL, DataType::kBool},
    {SWITCHYARD_UINT8, DataType::kUInt8},
    {SWITCHYARD_INT8, DataType::kInt8},
    {SWITCHYARD_INT16, DataType::kInt16},
    {SWITCHYARD_INT32, DataType::kInt32},
    {SWITCHYARD_INT64, DataType::kInt64},
    {SWITCHYARD_FLOAT16, DataType::kFloat16},
    {SWITCHYARD_BFLOAT16, DataType::kBFloat16},
    {SWITCHYARD_FLOAT32, DataType::kFloat32},
    {SWITCHYARD_FLOAT64, DataType::kFloat64},
    {SWITCHYARD_COMPLEX64, DataType::kComplex64},
    {SWITCHYARD_COMPLEX128, DataType::kComplex128},
    {SWITCHYARD_STRING, DataType::kString},
    {SWITCHYARD_UINT16, DataType::kUInt16},
    {SWITCHYARD_UINT32, DataType::kUInt32},
    {SWITCHYARD_UINT64, DataType::kUInt64},
    {SWITCHYARD_FLOAT8_E4M3FN, DataType::kFloat8E4M3FN},
    {SWITCHYARD_FLOAT8_E4M3FNUZ, DataType::kFloat8E4M3FNUZ},
    {SWITCHYARD_FLOAT8_E5M2, DataType::kFloat8E5M2},
    {SWITCHYARD_FLOAT8_E5M2FNUZ, DataType::kFloat8E5M2FNUZ},
    {SWITCHYARD_FLOAT8_E8M0FNU, DataType::kFloat8E8M0FNU},
    {SWITCHYARD_FLOAT4_E2M1FN, DataType::kFloat4E2M1FN},
    {SWITCHYARD_INT4, DataType::kInt4},
    {SWITCHYARD_UINT4, DataType::kUInt4},
    {SWITCHYARD_INT2, DataType::kInt2},
    {SWITCHYARD_UINT2, DataType::kUInt2},
};

}  // namespace

switchyard_dtype NumberOf(DataType dtype) {
  for (const Numbered& row : kDataTypes) {
    if (row.dtype == dtype) return row.number;
  }
  return 0;
}

switchyard_kind NumberOf(TensorKind kind) {
  switch (kind) {
    case TensorKind::kDense:
      return SWITCHYARD_DENSE;
    case TensorKind::kSelectedRows:
      return SWITCHYARD_SELECTED_ROWS;
    case TensorKind::kSparseCoo:
      return SWITCHYARD_SPARSE_COO;
    case TensorKind::kSparseCsr:
      return SWITCHYARD_SPARSE_CSR;
    case TensorKind::kTensorArray:
      return SWITCHYARD_ARRAY;
    case TensorKind::kStrings:
      return SWITCHYARD_STRINGS;
  }
  return SWITCHYARD_DENSE;
}

DataType DataTypeOfNumber(switchyard_dtype number) {
  for (const Numbered& row : kDataTypes) {
    if (row.number == number) return row.dtype;
  }
  return DataType::kUndefined;
}

absl::StatusOr<DataType> ElementDataType(switchyard_dtype number) {
  const DataType dtype = DataTypeOfNumber(number);
  if (dtype == DataType::kUndefined) {
    return ArgumentError("dtype", "a number of switchyard.h",
                         absl::StrCat(number));
  }
  if (dtype == DataType::kString) {
    return TypeError("dtype", "of numbers (switchyard_session_set_texts)",
                     Name(dtype));
  }
  return dtype;
}

}  // namespace switchyard::library

const char* switchyard_dtype_name(switchyard_dtype dtype) {
  using switchyard::DataType;
  const DataType known = switchyard::library::DataTypeOfNumber(dtype);
  // Names are literals, which end with a zero.
  return known == DataType::kUndefined ? nullptr
                                       : switchyard::Name(known).data();
}

size_t switchyard_dtype_size(switchyard_dtype dtype) {
  return switchyard::ElementSize(switchyard::library::DataTypeOfNumber(dtype));
}
