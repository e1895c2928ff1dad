// SPDX-License-Identifier: Apache-2.0
#include "framework/types/dim.h"

#include <optional>

#include "framework/base/checked_math.h"

namespace switchyard {
namespace {

absl::StatusOr<Dim> KnownOrError(std::optional<int64_t> result, Dim a,
                                 const char* sign, Dim b) {
  if (result.has_value()) return Dim(*result);
  return SizeError("size", "below 2^63", ToString(a) + sign + ToString(b));
}

}  // namespace

absl::StatusOr<Dim> Multiply(Dim a, Dim b) {
  if (a == Dim(0) || b == Dim(0)) return Dim(0);
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  if (!a.known() || !b.known()) return Dim::Unknown();
  return KnownOrError(CheckedMultiply(a.value(), b.value()), a, " * ", b);
}

absl::StatusOr<Dim> Add(Dim a, Dim b) {
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  if (!a.known() || !b.known()) return Dim::Unknown();
  return KnownOrError(CheckedAdd(a.value(), b.value()), a, " + ", b);
}

std::string ToString(Dim dim) {
  if (dim.known()) return std::to_string(dim.value());
  if (dim.symbolic()) return "s" + std::to_string(dim.symbol());
  return "?";
}

}  // namespace switchyard
