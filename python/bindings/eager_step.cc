// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/eager_step.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::python {

std::string KernelsOf(const std::vector<std::string>& lines) {
  std::vector<std::string> kernels;
  for (const std::string& line : lines) {
    const size_t arrow = line.find("-> ");
    if (arrow == std::string::npos) continue;
    const size_t begin = arrow + std::strlen("-> ");
    const std::string kernel =
        line.substr(begin, line.find(" (", begin) - begin);
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
      kernels.push_back(kernel);
    }
  }
  std::string text;
  for (const std::string& kernel : kernels) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", kernel);
  }
  return text;
}

std::string StepName(const static_graph::ir::Operation& op) {
  const static_graph::DialectOp* const record = static_graph::FindDialectOp(op);
  return record == nullptr ? std::string(op.name()) : record->info->name;
}

}  // namespace switchyard::python
