// SPDX-License-Identifier: Apache-2.0
// NumberRange: which numbers a tensor holds. phi/core/anomaly/anomaly.h
// compares those of a call's inputs and outputs.
#ifndef SWITCHYARD_PHI_CORE_ANOMALY_NUMBER_RANGE_H_
#define SWITCHYARD_PHI_CORE_ANOMALY_NUMBER_RANGE_H_

#include <cstdint>
#include <limits>

#include "framework/base/status.h"
#include "framework/tensor/tensor_base.h"

namespace switchyard::phi {

// Says which numbers the elements of a tensor are. Of a complex tensor both
// parts count; of one that is not dense its values. A plain value.
struct NumberRange {
  // The least and the greatest finite number; least > greatest if there is
  // none.
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  // Positions, in row-major order, of the first NaN and of the first infinity;
  // -1 if there is none. A tensor in another layout is counted as its memory
  // lies.
  int64_t first_nan = -1;
  int64_t first_infinity = -1;

  bool has_nan() const { return first_nan >= 0; }
  bool finite() const { return first_nan < 0 && first_infinity < 0; }
};

// Reads the tensor, on a device after its work, without a copy of what a view
// spans on the host: an axis that repeats one element is read once. Errors are
// those of copying from a device. A tensor of another dtype than numbers has no
// numbers.
absl::StatusOr<NumberRange> RangeOf(const TensorBase& tensor);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ANOMALY_NUMBER_RANGE_H_
