// SPDX-License-Identifier: Apache-2.0
// Compares a kernel's result with a reference's. Two bounds: the same bits, or
// at most kMaxUlps of the largest magnitude along the axis that the operator
// reduces. Neither depends on how small a single element happens to be, so that
// the verdict is the same with any vector width.
#ifndef SWITCHYARD_TESTS_PARITY_COMPARE_H_
#define SWITCHYARD_TESTS_PARITY_COMPARE_H_

#include <cstdint>
#include <vector>

#include "framework/tensor/dense_tensor.h"

namespace switchyard {

constexpr double kMaxUlps = 4;

// For each element of `reference`, the largest finite magnitude among those
// that differ from it only in their position along `axis`, which may be
// negative. A scalar's own magnitude.
std::vector<double> LargestAlong(const DenseTensor& reference, int axis);

// For each element of `sums`, the largest magnitude among itself and those
// elements of `terms` that add up to it. The axes of `sums` stand at `axis` of
// `terms` and after it (-1: they are the last ones); those that `sums` lacks or
// has with extent 1 are summed.
std::vector<double> LargestSummed(const DenseTensor& terms,
                                  const DenseTensor& sums, int axis);

// The distance between a result and its reference.
struct Comparison {
  // True if dtype, shape, layout, contiguity and sequences are the same;
  // otherwise nothing else is compared.
  bool same_meta = false;
  bool identical = false;  // Every element has the same bits.
  // The first element whose bits differ, in row-major order; -1 if none does,
  // or if they are not contiguous.
  int64_t first_difference = -1;
  // The largest difference, in ULP of the magnitude given for that element;
  // infinite where only one of the two is NaN, or an infinity.
  double ulps = 0;
};

// `magnitudes` has one entry for each element of `reference`. Differences are
// measured for floating dtypes only; elements of others are the same or
// infinitely far.
Comparison Compare(const DenseTensor& result, const DenseTensor& reference,
                   const std::vector<double>& magnitudes);

// The distance from `magnitude` to the next larger number of a floating dtype.
double Ulp(DataType dtype, double magnitude);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_COMPARE_H_
