// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/legacy_data_type.h"

namespace switchyard::phi {
namespace {

struct Row {
  int number;
  DataType dtype;
};
constexpr Row kRows[] = {
    {0, DataType::kBool},       {1, DataType::kInt16},
    {2, DataType::kInt32},      {3, DataType::kInt64},
    {4, DataType::kFloat16},    {5, DataType::kFloat32},
    {6, DataType::kFloat64},    {20, DataType::kUInt8},
    {21, DataType::kInt8},      {22, DataType::kBFloat16},
    {23, DataType::kComplex64}, {24, DataType::kComplex128},
};

}  // namespace

std::optional<DataType> DataTypeOfLegacy(int number) {
  for (const Row& row : kRows) {
    if (row.number == number) return row.dtype;
  }
  return std::nullopt;
}

std::optional<int> LegacyOfDataType(DataType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.number;
  }
  return std::nullopt;
}

}  // namespace switchyard::phi
