// SPDX-License-Identifier: Apache-2.0
// The binary of ./sy explain: the command over all operators and all
// kernels of the binary.
#include <cstdio>
#include <string>
#include <vector>

#include "phi/core/kernel_tables.h"
#include "phi/core/signatures/every_operator.h"
#include "tools/explain/explain_command.h"

namespace {

int Main(const std::vector<std::string>& words) {
  namespace selection = switchyard::phi::selection;
  const auto fail = [](const absl::Status& status) {
    std::fprintf(stderr, "explain: %s\n(explain --help tells more)\n",
                 std::string(status.message()).c_str());
    return 2;
  };
  const switchyard::phi::KernelTable& kernels =
      switchyard::phi::KernelTables::Current();
  const auto request = selection::ParseExplainArguments(words, kernels);
  if (!request.ok()) return fail(request.status());
  if (request->help) {
    std::fputs(selection::ExplainUsage().data(), stdout);
    return 0;
  }
  const auto report =
      selection::RunExplain(*request, switchyard::phi::AllOpInfos(), kernels);
  if (!report.ok()) return fail(report.status());
  std::fputs(report->text.c_str(), stdout);
  return report->fits ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return Main(std::vector<std::string>(argv + 1, argv + argc));
}
