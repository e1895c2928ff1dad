// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/view_dtype.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/base/checked_math.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

constexpr int kByte = 8;

bool IsNumber(DataType dtype) {
  return dtype != DataType::kUndefined && dtype != DataType::kString;
}

absl::Status CheckDtypes(DataType from, DataType to) {
  if (!IsNumber(from)) return TypeError("x", "of numbers", Name(from));
  if (!IsNumber(to)) return TypeError("dtype", "one of numbers", Name(to));
  if (to == DataType::kBool && from != to) {
    return TypeError("dtype", "another than bool, whose bytes are 0 and 1",
                     Name(to));
  }
  const int bits = ElementBits(from);
  // An element of fewer than 8 bits has a byte of its own: its code.
  const bool code = bits < kByte && to == DataType::kUInt8;
  if (bits != ElementBits(to) && !code &&
      (bits < kByte || ElementBits(to) < kByte)) {
    return TypeError("dtype",
                     absl::StrCat("of ", bits, " bits, as x (",
                                  std::string(Name(from)), ") is"),
                     Name(to));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ViewDtypeInferMeta(const TensorSpec& x, DataType dtype,
                                TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtypes(x.dtype, dtype));
  const auto from = static_cast<int64_t>(ElementSize(x.dtype));
  const auto to = static_cast<int64_t>(ElementSize(dtype));
  Shape shape = x.shape;
  if (from == to) return SetOutput(out, dtype, shape);
  if (shape.rank() == 0) {
    return ArgumentError("x", "of one axis at least where the width changes",
                         ToString(shape));
  }
  const int last = shape.rank() - 1;
  const Dim extent = shape[last];
  if (!extent.known()) {
    shape[last] = Dim::Unknown();
  } else if (from > to) {
    const auto more = CheckedMultiply(extent.value(), from / to);
    if (!more.has_value()) {
      return SizeError("x", "of fewer elements", ToString(shape));
    }
    shape[last] = Dim(*more);
  } else if (extent.value() % (to / from) == 0) {
    shape[last] = Dim(extent.value() / (to / from));
  } else {
    return ArgumentError(
        "x", absl::StrCat("of a last extent that ", to / from, " divides"),
        ToString(shape));
  }
  return SetOutput(out, dtype, shape);
}

absl::Status ZipMapInferMeta(const TensorSpec& x,
                             absl::Span<const std::string> texts,
                             absl::Span<const int64_t> numbers,
                             TensorSpec* out) {
  if (!IsFloating(x.dtype)) return TypeError("x", "floating", Name(x.dtype));
  if (x.shape.rank() != 1 && x.shape.rank() != 2) {
    return ArgumentError("x", "of one axis or two", ToString(x.shape));
  }
  if (!texts.empty() && !numbers.empty()) {
    return ArgumentError("numbers", "none where texts are given",
                         absl::StrCat(numbers.size()));
  }
  const size_t keys = texts.size() + numbers.size();
  const Dim columns = x.shape[x.shape.rank() - 1];
  if (columns.known() && columns.value() != static_cast<int64_t>(keys)) {
    return ArgumentError("x", absl::StrCat("of ", keys, " columns, one a key"),
                         ToString(x.shape));
  }
  return SetOutput(out, x.dtype, x.shape);
}

}  // namespace switchyard::phi
