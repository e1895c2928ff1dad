// SPDX-License-Identifier: Apache-2.0
// Texts and a regular expression.
#include <re2/re2.h>

#include "absl/strings/str_cat.h"
#include "phi/kernels/cpu/strings/whole_tensors.h"

namespace switchyard::phi::kernels::cpu {

absl::Status MatchTexts(const StringTensor& x, std::string_view pattern,
                        bool* matches) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 expression({pattern.data(), pattern.size()}, options);
  if (!expression.ok()) {
    return ArgumentError(
        "pattern", "a regular expression of RE2",
        absl::StrCat("'", std::string(pattern), "': ", expression.error()));
  }
  for (size_t i = 0; i < x.elements().size(); ++i) {
    matches[i] = RE2::FullMatch(x.elements()[i], expression);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
