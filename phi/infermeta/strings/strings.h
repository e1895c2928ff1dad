// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on tensors of texts.
#ifndef SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_
#define SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: texts of `shape`, whose extents are not negative.
absl::Status StringsEmptyInferMeta(absl::Span<const int64_t> shape,
                                   TensorSpec* out);

// out: texts of the shape of x, which are texts.
absl::Status StringsCaseInferMeta(const TensorSpec& x, TensorSpec* out);

// out: texts of the shape of x, which are real numbers.
absl::Status StringsFromNumberInferMeta(const TensorSpec& x, TensorSpec* out);

// out: numbers of `dtype`, an integer or floating one, and of the shape of x,
// which are texts.
absl::Status StringsToNumberInferMeta(const TensorSpec& x, DataType dtype,
                                      TensorSpec* out);

// out: some of the texts x, which are of shape [n] or [1, n]; `case_change` is
// NONE, LOWER or UPPER.
absl::Status StringsNormalizeInferMeta(const TensorSpec& x,
                                       std::string_view case_change,
                                       TensorSpec* out);

// out: texts of the shape that the texts x and y broadcast to.
absl::Status StringsConcatInferMeta(const TensorSpec& x, const TensorSpec& y,
                                    TensorSpec* out);

// out: some of `texts`, of the shape of x, whose elements are int32 or int64
// and below their number.
absl::Status StringsTakeInferMeta(const TensorSpec& x,
                                  absl::Span<const std::string> texts,
                                  TensorSpec* out);

// out: int64 of the shape of x, which are texts.
absl::Status StringsFindInferMeta(const TensorSpec& x, TensorSpec* out);

// out: bool of the shape of x, which are texts.
absl::Status StringsFullMatchInferMeta(const TensorSpec& x, TensorSpec* out);

// out: texts with an axis more than x, which are texts of 8 axes at most;
// counts: int64 of the shape of x.
absl::Status StringsSplitInferMeta(const TensorSpec& x, TensorSpec* out,
                                   TensorSpec* counts);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_STRINGS_STRINGS_H_
