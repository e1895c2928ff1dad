// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/promotion.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::promotion {
namespace {

// bool and storage types 0, integers 1, floating 2, complex 3.
int CategoryOf(DataType dtype) {
  if (IsComplex(dtype)) return 3;
  if (IsFloating(dtype)) return 2;
  return IsInteger(dtype) ? 1 : 0;
}

// The signed integers of twice the size, which hold the unsigned ones of
// `size`; float64 above uint64.
DataType SignedAbove(size_t size) {
  if (size == 1) return DataType::kInt16;
  if (size == 2) return DataType::kInt32;
  return size == 4 ? DataType::kInt64 : DataType::kFloat64;
}

}  // namespace

DataType Wider(DataType a, DataType b) {
  if (a == b) return a;
  if (IsComplex(a) || IsComplex(b)) {
    return std::max(ComplexOf(a), ComplexOf(b));
  }
  const int category_a = CategoryOf(a);
  const int category_b = CategoryOf(b);
  if (category_a != category_b) return category_a > category_b ? a : b;
  if (category_a == 1 && IsUnsigned(a) != IsUnsigned(b)) {
    const DataType whole = IsUnsigned(a) ? b : a;
    const DataType natural = IsUnsigned(a) ? a : b;
    return ElementSize(whole) > ElementSize(natural)
               ? whole
               : SignedAbove(ElementSize(natural));
  }
  if (ElementSize(a) != ElementSize(b))
    return ElementSize(a) > ElementSize(b) ? a : b;
  // float16 and bfloat16: neither holds the other.
  return DataType::kFloat32;
}

absl::StatusOr<DataType> PromotePair(const Operand& a, const Operand& b,
                                     bool integer_to_float) {
  const bool integers = IsInteger(a.dtype) && IsInteger(b.dtype);
  const bool floating = IsFloating(a.dtype) && IsFloating(b.dtype);
  const bool complex = IsComplex(a.dtype) || IsComplex(b.dtype);
  const bool mixed_by_scalar = a.scalar || b.scalar;
  if (a.dtype != b.dtype && (IsStorage(a.dtype) || IsStorage(b.dtype))) {
    const Operand& stored = IsStorage(a.dtype) ? a : b;
    return TypeError(stored.name, "of a dtype that is computed with",
                     Name(stored.dtype));
  }
  if (a.dtype != b.dtype && !mixed_by_scalar && !integers && !floating &&
      !complex) {
    // The sentence's argument is the operand that would have to change.
    const std::string expected =
        IsFloating(a.dtype)
            ? absl::StrCat("floating (", a.name, " is ",
                           std::string(Name(a.dtype)), ")")
            : absl::StrCat(std::string(Name(a.dtype)), " as ", a.name);
    return TypeError(b.name, expected, Name(b.dtype));
  }
  if (integers && integer_to_float) return DataType::kFloat32;
  if (a.dtype == b.dtype) return a.dtype;
  if (a.scalar != b.scalar && CategoryOf(a.dtype) == CategoryOf(b.dtype)) {
    return a.scalar ? b.dtype : a.dtype;
  }
  const DataType wider = Wider(a.dtype, b.dtype);
  if (integers && IsFloating(wider)) {
    return TypeError(
        b.name,
        absl::StrCat("unsigned (", a.name, " is ", std::string(Name(a.dtype)),
                     "; no integer dtype holds both)"),
        Name(b.dtype));
  }
  return wider;
}

absl::StatusOr<DataType> Promote(absl::Span<const Operand> operands,
                                 bool integer_to_float) {
  if (operands.empty()) return DataType::kUndefined;
  Operand result = operands[0];
  if (operands.size() == 1 && integer_to_float && IsInteger(result.dtype)) {
    return DataType::kFloat32;
  }
  for (const Operand& operand : operands.subspan(1)) {
    SY_ASSIGN_OR_RETURN(result.dtype,
                        PromotePair(result, operand, integer_to_float));
    result.scalar = result.scalar && operand.scalar;
  }
  return result.dtype;
}

}  // namespace switchyard::phi::promotion
