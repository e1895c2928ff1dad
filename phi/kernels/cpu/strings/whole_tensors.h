// SPDX-License-Identifier: Apache-2.0
// The arithmetic of kernels of texts, on whole tensors.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_STRINGS_WHOLE_TENSORS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_STRINGS_WHOLE_TENSORS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/string_tensor.h"

namespace switchyard::phi::kernels::cpu {

// Reads the texts as numbers of the dtype of `out`, which has its memory. The
// errors of ReadNumber(), and TypeError for a dtype without numbers.
absl::Status ReadNumbers(const StringTensor& x, DenseTensor* out);

// Sets `out` to the texts that are not among `stopwords`, in the new case.
// ArgumentError for a text that is no UTF-8, where cases are compared or
// changed.
absl::Status NormalizeTexts(const StringTensor& x,
                            absl::Span<const std::string> stopwords,
                            std::string_view case_change, bool case_sensitive,
                            StringTensor* out);

// Sets `out` to the texts of x with those of y at their ends. ArgumentError for
// shapes that don't broadcast.
absl::Status ConcatTexts(const StringTensor& x, const StringTensor& y,
                         StringTensor* out);

// Sets `out` to the texts at places of int32 or int64. ArgumentError for a
// place that there is none at.
absl::Status TakeTexts(const DenseTensor& x,
                       absl::Span<const std::string> texts, StringTensor* out);

// Writes the place of each text among others, -1 for one that is not there.
void FindTexts(const StringTensor& x, absl::Span<const std::string> texts,
               int64_t* places);

// Writes whether the whole of each text matches the expression of RE2.
// ArgumentError for one that is none, or whose automaton is too large.
absl::Status MatchTexts(const StringTensor& x, std::string_view pattern,
                        bool* matches);

// Where texts are split: at a delimiter, or at white space if that is empty; so
// often at most, if that is not negative.
struct TextSplit {
  std::string_view delimiter;
  int64_t most = -1;
};

// Sets `out` to the pieces of the texts, in rows that empty texts fill up, and
// writes how many each has. ResourceExhausted, before they are made, for more
// than there is room for.
absl::Status SplitTexts(const StringTensor& x, const TextSplit& split,
                        StringTensor* out, int64_t* counts);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_STRINGS_WHOLE_TENSORS_H_
