// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conversion/index_copy.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::kernels::cpu {

absl::StatusOr<Workspace<int64_t>> CopyIndices(Allocator& allocator,
                                               const DenseTensor& x) {
  SY_ASSIGN_OR_RETURN(Workspace<int64_t> copy,
                      Workspace<int64_t>::Make(allocator, x.numel()));
  switch (x.dtype()) {
    case DataType::kInt8:
      std::copy_n(x.data<int8_t>(), x.numel(), copy.data());
      break;
    case DataType::kUInt8:
      std::copy_n(x.data<uint8_t>(), x.numel(), copy.data());
      break;
    case DataType::kInt16:
      std::copy_n(x.data<int16_t>(), x.numel(), copy.data());
      break;
    case DataType::kInt32:
      std::copy_n(x.data<int32_t>(), x.numel(), copy.data());
      break;
    default:
      std::copy_n(x.data<int64_t>(), x.numel(), copy.data());
  }
  return copy;
}

absl::StatusOr<Workspace<int64_t>> CopyIndicesIn(Allocator& allocator,
                                                 std::string_view argument,
                                                 const DenseTensor& x,
                                                 int64_t low, int64_t high) {
  SY_ASSIGN_OR_RETURN(Workspace<int64_t> copy, CopyIndices(allocator, x));
  for (const int64_t index : copy.span()) {
    if (index >= low && index < high) continue;
    return RangeError(argument, absl::StrCat("in [", low, ", ", high, ")"),
                      std::to_string(index));
  }
  return copy;
}

}  // namespace switchyard::phi::kernels::cpu
