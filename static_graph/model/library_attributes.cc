// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/library_attributes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/selection/policy_text.h"

namespace switchyard::static_graph {

absl::Status KeepDeclinedLibrariesOff(const LibraryUses& libraries,
                                      const phi::KernelTable& kernels,
                                      phi::selection::Policy* policy) {
  if (policy->lists != nullptr) {
    return ArgumentError("library_attributes",
                         "False where the policy has lists of its own", "True");
  }
  phi::selection::ListParser lists(kernels);
  for (const auto& [library, ops] : libraries) {
    if (kernels.FindBackend(library) == nullptr) continue;
    std::vector<std::string> declined;
    for (const auto& [op, uses] : ops) {
      if (uses.declined == 0 || kernels.Find(op) == nullptr) continue;
      if (uses.used > 0) {
        return absl::UnimplementedError(
            absl::StrCat("library_attributes: ", uses.used, " calls of ", op,
                         " use ", library, " and ", uses.declined,
                         " decline it; a policy has one list for all calls"));
      }
      declined.push_back(op);
    }
    if (declined.empty()) continue;
    SY_RETURN_IF_ERROR(lists.Add(/*on=*/false, library, declined));
  }
  policy->lists = lists.Intern();
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
