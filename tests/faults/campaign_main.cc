// SPDX-License-Identifier: Apache-2.0
// campaign calls|legacy|programs [--count N] [--start K] [--seed S]: runs the
// cases K to K+N-1 of a seed and prints those that are not as they should be;
// `--count 1 --start K` is one of them again. Exits with 1 if there are any.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "absl/debugging/failure_signal_handler.h"
#include "absl/strings/numbers.h"
#include "tests/faults/campaign.h"

namespace switchyard {
namespace {

constexpr char kUsage[] =
    "usage: campaign calls|legacy|programs [--count N] [--start K] [--seed S]";

// The samples, from where `bazel run` starts the tool.
constexpr char kFolder[] = "tests/samples";

int Main(int count, char** words) {
  const std::map<std::string, CampaignKind> kinds = {
      {"calls", CampaignKind::kCalls},
      {"legacy", CampaignKind::kLegacy},
      {"programs", CampaignKind::kPrograms},
  };
  std::map<std::string, int64_t> numbers = {
      {"--count", 1000}, {"--start", 0}, {"--seed", 1}};
  const auto kind = count > 1 ? kinds.find(words[1]) : kinds.end();
  bool understood = kind != kinds.end() && count % 2 == 0;
  for (int i = 2; understood && i < count; i += 2) {
    const auto number = numbers.find(words[i]);
    understood = number != numbers.end() &&
                 absl::SimpleAtoi(words[i + 1], &number->second) &&
                 number->second >= 0;
  }
  if (!understood) {
    std::cerr << kUsage << std::endl;
    return 2;
  }
  absl::InstallFailureSignalHandler({});
  const Campaign campaign(kind->second, kFolder,
                          static_cast<uint64_t>(numbers["--seed"]));
  const std::vector<Finding> findings =
      campaign.Run(numbers["--start"], numbers["--count"], CaseLimits());
  for (const Finding& finding : findings) {
    std::cout << kind->first << " --seed " << numbers["--seed"] << " --start "
              << finding.index << " --count 1: " << finding.text << "\n    "
              << campaign.Describe(finding.index) << "\n";
  }
  std::cout << kind->first << ": " << numbers["--count"] << " cases, "
            << findings.size() << " found" << std::endl;
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace switchyard

int main(int count, char** words) { return switchyard::Main(count, words); }
