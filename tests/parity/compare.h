// SPDX-License-Identifier: Apache-2.0
// Compares a kernel's result with a reference's, element by element: the same
// bits, or at most so far off as the element's limit says. Which limits an
// operator has: tests/parity/bounds.h.
#ifndef SWITCHYARD_TESTS_PARITY_COMPARE_H_
#define SWITCHYARD_TESTS_PARITY_COMPARE_H_

#include <cstdint>
#include <vector>

#include "framework/tensor/dense_tensor.h"

namespace switchyard {

// How far each element of a result may be off. Of a complex element each part
// may be. Empty: the same bits.
struct Limits {
  std::vector<double> magnitudes;  // Distances are in ULP of these.
  std::vector<double> distances;   // The largest that are allowed.

  bool bits() const { return distances.empty(); }
};

// For each element of `reference`, the largest finite magnitude among those
// that differ from it only in their position along `axis`, which may be
// negative. A scalar's own magnitude.
std::vector<double> LargestAlong(const DenseTensor& reference, int axis);

// The distance between a result and its reference.
struct Comparison {
  // True if dtype, shape, layout, contiguity and sequences are the same;
  // otherwise nothing else is compared.
  bool same_meta = false;
  bool identical = false;  // Every element has the same bits.
  // The first element whose bits differ, in row-major order; -1 if none does,
  // or if they are not contiguous.
  int64_t first_difference = -1;
  // The largest difference, in ULP of the magnitude of that element's limit
  // (of the element itself where bits are compared); infinite where only one
  // of the two is NaN, or an infinity.
  double ulps = 0;
  // How many elements are off by more than their limits: all where the
  // metadata differ.
  int64_t outside = 0;
};

// Differences are measured for floating dtypes only; elements of others are the
// same or infinitely far.
Comparison Compare(const DenseTensor& result, const DenseTensor& reference,
                   const Limits& limits);

// Returns `tensor` with each of its elements changed by a little more than its
// limit: by the lowest bit where the limit is bits, by one ULP more than the
// limit otherwise. `changed` is the number of elements that are changed: where
// a limit is not bits, those that are finite and stay so.
DenseTensor BeyondLimits(const DenseTensor& tensor, const Limits& limits,
                         int64_t* changed);

// The distance from `magnitude` to the next larger number of a floating dtype.
double Ulp(DataType dtype, double magnitude);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_COMPARE_H_
