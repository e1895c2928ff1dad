// SPDX-License-Identifier: Apache-2.0
// ledger [OP] [--json] [--update]: what `./sy ledger` runs, in the folder of
// the workspace.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

// Runs of a call of which the fastest counts.
constexpr int kRepeats = 7;
constexpr char kPage[] = "docs/parity.md";

struct LedgerOptions {
  std::string op;
  bool json = false;
  bool update = false;
};

absl::StatusOr<LedgerOptions> ParseOptions(int argc, char** argv) {
  LedgerOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (word == "--update") {
      options.update = true;
    } else if (word.substr(0, 1) == "-" || !options.op.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown argument '", std::string(word),
                       "'; expected [OP] [--json] [--update]"));
    } else {
      options.op = word;
    }
  }
  if (options.update && (options.json || !options.op.empty())) {
    return absl::InvalidArgumentError(
        "--update writes the page of all operators; give it alone");
  }
  return options;
}

absl::Status WritePage(const std::string& page) {
  std::ofstream out(kPage, std::ios::binary);
  out << page;
  if (!out.flush()) {
    return absl::UnavailableError(absl::StrCat("cannot write ", kPage));
  }
  return absl::OkStatus();
}

// True where a row is of the operator, or of its gradient.
bool IsOf(const ParityRow& row, const std::string& op) {
  return row.op == op || row.op == op + "_grad";
}

absl::Status Run(const LedgerOptions& options) {
  // A gradient's calls follow from its operator's samples.
  const std::string samples_of(
      absl::StripSuffix(absl::string_view(options.op), "_grad"));
  SY_ASSIGN_OR_RETURN(
      std::vector<ParityRow> rows,
      MeasureParity({"tests/samples", Place::Cpu(), kRepeats, samples_of}));
  std::vector<ParityRow> chosen;
  std::vector<std::string> hashes;
  bool all_pass = true;
  for (ParityRow& row : rows) {
    if (!options.op.empty() && !IsOf(row, options.op)) continue;
    SY_ASSIGN_OR_RETURN(hashes.emplace_back(), SourceHash(".", row));
    all_pass = all_pass && row.passes();
    chosen.push_back(std::move(row));
  }
  if (chosen.empty()) {
    return absl::NotFoundError(
        absl::StrCat(options.op, " has no legacy kernel with a twin of ours"));
  }
  if (options.update) SY_RETURN_IF_ERROR(WritePage(ParityPage(chosen, hashes)));
  if (options.json) {
    std::printf("%s", ParityJson(chosen, hashes).c_str());
  } else if (options.op.empty()) {
    std::printf("%s", ParityFigures(chosen).c_str());
  } else {
    for (size_t i = 0; i < chosen.size(); ++i) {
      std::printf("%s", ParityDetail(chosen[i], hashes[i]).c_str());
    }
  }
  return all_pass ? absl::OkStatus()
                  : absl::FailedPreconditionError("a row fails");
}

int Main(int argc, char** argv) {
  const auto options = ParseOptions(argc, argv);
  const absl::Status status = options.ok() ? Run(*options) : options.status();
  if (status.ok()) return 0;
  std::fprintf(stderr, "ledger: %s\n", std::string(status.message()).c_str());
  return options.ok() ? 1 : 2;
}

}  // namespace
}  // namespace switchyard

int main(int argc, char** argv) { return switchyard::Main(argc, argv); }
