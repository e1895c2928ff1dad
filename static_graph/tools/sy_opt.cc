// SPDX-License-Identifier: Apache-2.0
// sy_opt: reads a program's text, runs passes over it and prints it.
//   sy_opt [--passes=NAME,...] [--exact] [--each] [--statistics] [FILE]
//   sy_opt --list
// Without FILE it reads standard input. Diagnostics go to standard error; the
// exit code is 1 if there is one, 2 for a wrong command line.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "framework/base/file.h"
#include "static_graph/ir/printer.h"
#include "static_graph/tools/conversions.h"
#include "static_graph/tools/pass_runner.h"

namespace switchyard::static_graph {
namespace {

constexpr char kUsage[] =
    "usage: sy_opt [--passes=NAME,...] [--exact] [--each] [--statistics] "
    "[FILE]\n"
    "       sy_opt --list\n"
    "  --passes      in this order; none: only verify\n"
    "  --exact       refuse passes that don't keep every bit\n"
    "  --each        print the program after each pass, on standard error\n"
    "  --statistics  print operations before and after each pass and its time, "
    "there too\n"
    "  --list        say which passes there are\n";

struct Arguments {
  std::string passes;
  std::string file;
  PassManagerOptions options;
  bool statistics = false;
  bool list = false;
};

void PrintAfter(std::string_view pass, const ir::Program& program,
                bool changed) {
  std::cerr << "// after " << pass << (changed ? "" : ", which changed nothing")
            << "\n"
            << ir::Print(program);
}

std::optional<Arguments> ParseArguments(const std::vector<std::string>& words) {
  constexpr std::string_view kPasses = "--passes=";
  Arguments arguments;
  for (const std::string& word : words) {
    if (word.rfind(kPasses, 0) == 0) {
      arguments.passes = word.substr(kPasses.size());
    } else if (word == "--exact") {
      arguments.options.exactness = Exactness::kExact;
    } else if (word == "--each") {
      arguments.options.after_pass = PrintAfter;
    } else if (word == "--statistics") {
      arguments.statistics = true;
    } else if (word == "--list") {
      arguments.list = true;
    } else if (word.rfind("--", 0) != 0 && arguments.file.empty()) {
      arguments.file = word;
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

absl::StatusOr<std::string> ReadAll(const std::string& file) {
  if (!file.empty()) return ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

int Main(const std::vector<std::string>& words) {
  const std::optional<Arguments> arguments = ParseArguments(words);
  if (!arguments.has_value()) {
    std::cerr << kUsage;
    return 2;
  }
  if (arguments->list) {
    std::cout << PassReference(PassesAndConversions());
    return 0;
  }
  const absl::StatusOr<std::string> text = ReadAll(arguments->file);
  if (!text.ok()) {
    std::cerr << "sy_opt: " << text.status().message() << "\n";
    return 1;
  }
  const std::unique_ptr<ir::Context> context = AllOperatorsContext();
  PassManagerOptions options = arguments->options;
  std::vector<PassStatistics> statistics;
  if (arguments->statistics) options.statistics = &statistics;
  const absl::StatusOr<PassRun> run =
      RunPasses(context.get(), *text, arguments->passes, options);
  if (arguments->statistics) std::cerr << StatisticsTable(statistics);
  if (!run.ok()) {
    std::cerr << "sy_opt: "
              << (arguments->file.empty() ? "<stdin>" : arguments->file) << ": "
              << run.status().message() << "\n";
    return 1;
  }
  std::cout << run->text;
  return 0;
}

}  // namespace
}  // namespace switchyard::static_graph

int main(int argc, char** argv) {
  return switchyard::static_graph::Main(
      std::vector<std::string>(argv + 1, argv + argc));
}
