// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conversion/cast.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Casts codes by `numbers`, one of each code; `row` converts them.
template <typename T>
void CastByTable(const DenseTensor& x, const T* numbers, RowFunction row,
                 DenseTensor* out) {
  const auto size = static_cast<int64_t>(ElementSize(out->dtype()));
  const auto convert = [=](const void* from, int64_t stride, void* to,
                           int64_t count) {
    const auto* codes = static_cast<const uint8_t*>(from);
    constexpr int64_t kBlock = 256;
    T block[kBlock];
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t some = std::min(kBlock, count - begin);
      for (int64_t i = 0; i < some; ++i) {
        block[i] = numbers[codes[(begin + i) * stride]];
      }
      row(block, 1, static_cast<char*>(to) + begin * size, some);
    }
  };
  ForEachRow(x, convert, out);
}

}  // namespace

absl::Status CastStored(const DenseTensor& x, DataType dtype,
                        DenseTensor* out) {
  const double* const numbers = NumbersOfCodes(x.dtype());
  int64_t wholes[256];
  uint8_t codes[256];
  if (IsStoredInteger(x.dtype())) {
    for (int i = 0; i < 256; ++i) wholes[i] = static_cast<int64_t>(numbers[i]);
  }
  if (IsStorage(dtype)) {
    if (IsStoredInteger(x.dtype()) && IsStoredInteger(dtype)) {
      for (int i = 0; i < 256; ++i) {
        codes[i] = CodeOfLastBits(dtype, static_cast<uint8_t>(wholes[i]));
      }
    } else {
      CodesOfNumbers(dtype, numbers, 256, codes);
    }
    CastByTable(x, codes, &CastRow<uint8_t, uint8_t>, out);
    return absl::OkStatus();
  }
  const bool whole = IsStoredInteger(x.dtype());
  const RowFunction row =
      whole ? CastRowTo<int64_t>(dtype) : CastRowTo<double>(dtype);
  if (row == nullptr) return TypeError("dtype", "defined", Name(dtype));
  if (whole) {
    CastByTable(x, wholes, row, out);
  } else {
    CastByTable(x, numbers, row, out);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
