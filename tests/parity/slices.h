// SPDX-License-Identifier: Apache-2.0
// The slices of a call's tensors over which an operator computes statistics,
// for its bound (tests/parity/bounds.h).
#ifndef SWITCHYARD_TESTS_PARITY_SLICES_H_
#define SWITCHYARD_TESTS_PARITY_SLICES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "tests/parity/run_call.h"

namespace switchyard {

// How elements lie in slices: tensors of [outer, length, inner].
struct Slicing {
  int64_t outer = 1, length = 1, inner = 1;
  // A slice is all elements of one index along `length` (a channel); otherwise
  // all those that differ in it alone (a line).
  bool of_index = false;

  int64_t elements() const { return outer * length * inner; }
  int64_t count() const { return of_index ? length : outer * inner; }
  double elements_each() const {
    return static_cast<double>(elements()) /
           static_cast<double>(count() > 0 ? count() : 1);
  }
  int64_t SliceOf(int64_t element) const {
    if (of_index) return element / inner % length;
    return element / (length * inner) * inner + element % inner;
  }
};

// The channels of a batch_norm's x; `layout` is its data_format, such as
// "NCHW".
Slicing Channels(const Shape& x, std::string_view layout);

// The rows of a layer_norm's x, or its columns: the elements that share a row
// of the statistics, or an element of scale and bias.
Slicing Rows(const Shape& x, int begin_norm_axis);
Slicing Columns(const Shape& x, int begin_norm_axis);

// For each element of a result, the largest finite magnitude among the operands
// and results of its slice, and how many elements the slice has.
struct SliceMagnitudes {
  std::vector<double> magnitudes;
  double elements = 1;
};

// `result` is an output of the call, of batch_norm, layer_norm,
// cross_entropy_with_softmax, its gradient, adam_ or scale. A tensor that has
// neither all elements nor one a slice belongs to every slice.
SliceMagnitudes LargestOfSlices(const OpCall& call, const DenseTensor& result);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_SLICES_H_
