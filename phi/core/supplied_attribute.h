// SPDX-License-Identifier: Apache-2.0
// The values of attributes that tensors supply (AttrInfo::supplied), read from
// the tensors. What is known of them before is an AttrValue
// (framework/types/attr_value.h).
#ifndef SWITCHYARD_PHI_CORE_SUPPLIED_ATTRIBUTE_H_
#define SWITCHYARD_PHI_CORE_SUPPLIED_ATTRIBUTE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/attribute.h"

namespace switchyard::phi {

// The elements of tensors, one tensor after another; of either sort, or of
// both where tensors are mixed.
struct SuppliedNumbers {
  std::vector<int64_t> integers;
  std::vector<double> numbers;
};

// Adds the elements of `tensor` (int32, int64, float32 or float64, contiguous,
// on the CPU) to `read`. `name` names it in errors: ArgumentError for more
// elements than a call can have, TypeError for another dtype.
absl::Status ReadNumbers(std::string_view name, const DenseTensor& tensor,
                         SuppliedNumbers* read);

// The attribute of type `to` (int, int64_t, int64_t[], float, float[] or
// Scalar) that they make: any number of elements for a list, one for the
// others.
absl::StatusOr<Attribute> MakeAttribute(std::string_view name,
                                        const SuppliedNumbers& read,
                                        AttrType to);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_SUPPLIED_ATTRIBUTE_H_
