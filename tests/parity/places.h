// SPDX-License-Identifier: Apache-2.0
// The magnitudes of a call's tensors at each place, for its bound
// (tests/parity/bounds.h).
#ifndef SWITCHYARD_TESTS_PARITY_PLACES_H_
#define SWITCHYARD_TESTS_PARITY_PLACES_H_

#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "tests/parity/run_call.h"

namespace switchyard {

// For each element of a result, the largest finite magnitude among it and the
// operands' elements at its place. A tensor that has not one element for each
// of the first operand's, and rows, which lie in another order, are at every
// place.
std::vector<double> LargestAtPlaces(const OpCall& call,
                                    const DenseTensor& result);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_PLACES_H_
