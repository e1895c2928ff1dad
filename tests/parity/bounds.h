// SPDX-License-Identifier: Apache-2.0
// How near an operator's results must be to those of the legacy kernel, for the
// ledger (tests/parity/measure.h). A bound is stated for each element, in ULP
// of what that element is computed from: never of the largest element of a
// tensor.
#ifndef SWITCHYARD_TESTS_PARITY_BOUNDS_H_
#define SWITCHYARD_TESTS_PARITY_BOUNDS_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "tests/parity/compare.h"
#include "tests/parity/run_call.h"

namespace switchyard {

// The kinds of bounds. With n terms of a sum, an element is at most
// 4 + sqrt(n) ULP off: rounding errors of n additions grow like sqrt(n)
// (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis",
// SIAM J. Sci. Comput. 41, 2019).
enum class Bound {
  kBits,   // The same bits.
  kAxis,   // 4 + sqrt(n) ULP of the largest of the n results along the
           // attribute `axis`.
  kTerms,  // 4 + sqrt(n) ULP of the sum of the terms' magnitudes; the same
           // bits where nothing is summed.
  kPlace,  // 5 ULP of the largest operand or result at the element's place.
};

// Returns the bound of an operator: kBits unless its results depend on the
// order in which a kernel adds or on the mathematics library.
Bound GetBound(std::string_view op);

// Returns the bound's name on the page, such as "terms".
std::string_view Name(Bound bound);

// The limits of a call's results.
class CallLimits {
 public:
  // Where the operator is linear in what it adds, runs the legacy kernel twice
  // more, in float64: on the magnitudes of its operands, and on ones, which
  // counts the terms.
  static absl::StatusOr<CallLimits> Make(const OpCall& call);

  // Returns the limits of tensor `index` of output `output`, which is `legacy`.
  Limits For(size_t output, size_t index, const DenseTensor& legacy) const;

 private:
  explicit CallLimits(const OpCall& call) : call_(call) {}

  Limits OfTerms(const DenseTensor& legacy, std::vector<double> magnitudes,
                 const std::vector<double>& counts) const;

  OpCall call_;
  Outcome magnitudes_, counts_;  // Of the runs that count terms.
};

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_BOUNDS_H_
