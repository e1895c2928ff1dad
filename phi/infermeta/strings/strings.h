// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on tensors of texts.
#ifndef SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_
#define SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: texts of `shape`, whose extents are not negative.
absl::Status StringsEmptyInferMeta(absl::Span<const int64_t> shape,
                                   TensorSpec* out);

// out: texts of the shape of x, which are texts.
absl::Status StringsCaseInferMeta(const TensorSpec& x, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_
