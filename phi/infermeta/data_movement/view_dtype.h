// SPDX-License-Identifier: Apache-2.0
// InferMeta of views that say something else of the same elements.
#ifndef SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_VIEW_DTYPE_H_
#define SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_VIEW_DTYPE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: of `dtype`, the last extent of x times its width and divided by the new
// one. TypeError for texts, for another width where one is below 8 bits (but
// uint8 of such elements, their codes), and for bool unless x is. ArgumentError
// where the last axis has no whole number of new elements.
absl::Status ViewDtypeInferMeta(const TensorSpec& x, DataType dtype,
                                TensorSpec* out);

// out: as x, which has one axis or two, the last of as many elements as there
// are keys: texts or numbers.
absl::Status ZipMapInferMeta(const TensorSpec& x,
                             absl::Span<const std::string> texts,
                             absl::Span<const int64_t> numbers,
                             TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_VIEW_DTYPE_H_
