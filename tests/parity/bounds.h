// SPDX-License-Identifier: Apache-2.0
// How near an operator's results must be to those of the legacy kernel, for the
// ledger (tests/parity/measure.h).
#ifndef SWITCHYARD_TESTS_PARITY_BOUNDS_H_
#define SWITCHYARD_TESTS_PARITY_BOUNDS_H_

#include <string_view>
#include <vector>

#include "tests/parity/compare.h"
#include "tests/parity/run_call.h"

namespace switchyard {

// How far an element may be off.
enum class Bound {
  kBits,        // The same bits.
  kUlpsOfAxis,  // ULP of the largest result along the attribute `axis`.
  kUlpsOfSum,   // ULP of the largest element of `out_grad` that adds up to the
                // result; the same bits where nothing is summed.
  kUlpsOfElement,   // ULP of the result itself.
  kUlpsOfOperand,   // ULP of the result or of the element that it is of,
                    // whichever is larger.
  kUlpsOfGradient,  // ULP of the result or of the element of `out_grad` that
                    // flows into it, whichever is larger.
  kUlpsOfOperands,  // ULP of the largest element of all operands and results.
};

// Returns the bound of an operator: kBits unless its results depend on the
// order in which a kernel adds or on the mathematics library.
Bound GetBound(std::string_view op);

// Returns how many ULP off a result may be: kMaxUlps, and four times that where
// the bound is kUlpsOfOperands, for errors grow with the terms of a sum.
double MaxUlps(Bound bound);

// Returns, for each element of a result, the magnitude whose ULP its bound is
// given in. `bound` is GetBound() of the call's operator; it becomes kBits
// where nothing of this call is summed.
std::vector<double> Magnitudes(const OpCall& call, const DenseTensor& legacy,
                               Bound* bound);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_BOUNDS_H_
