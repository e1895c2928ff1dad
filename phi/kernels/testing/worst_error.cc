// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/testing/worst_error.h"

#include <cmath>
#include <limits>

#include "framework/types/float16.h"

namespace switchyard::phi::kernels {
namespace {

// How far `value` is from `exact`, in units in the last place of T.
template <typename T>
long double Error(double value, long double exact) {
  using Limits = std::numeric_limits<T>;
  constexpr long double kFar = 1e9;
  if (std::isnan(exact)) return std::isnan(value) ? 0 : kFar;
  if (std::isinf(exact)) return value == exact ? 0 : kFar;
  int exponent;
  frexpl(exact, &exponent);
  if (exponent < Limits::min_exponent) exponent = Limits::min_exponent;
  if (std::isinf(value)) {
    // As if the exponent went on: the next number after the largest one.
    const long double next = ldexpl(1, Limits::max_exponent);
    return fabsl(exact) >= next
               ? 0
               : (next - fabsl(exact)) /
                     ldexpl(1, Limits::max_exponent - Limits::digits);
  }
  return fabsl(value - exact) / ldexpl(1, exponent - Limits::digits);
}

}  // namespace

template <typename T>
WorstError WorstErrorOf(absl::Span<const double> got,
                        absl::Span<const long double> exact) {
  WorstError worst;
  for (size_t i = 0; i < got.size(); ++i) {
    const long double error = Error<T>(got[i], exact[i]);
    if (error > worst.units) worst = {error, i};
  }
  return worst;
}

template WorstError WorstErrorOf<float>(absl::Span<const double>,
                                        absl::Span<const long double>);
template WorstError WorstErrorOf<float16>(absl::Span<const double>,
                                          absl::Span<const long double>);
template WorstError WorstErrorOf<bfloat16>(absl::Span<const double>,
                                           absl::Span<const long double>);

}  // namespace switchyard::phi::kernels
