// SPDX-License-Identifier: Apache-2.0
#include "static_graph/tools/testing/pass_cases.h"

#include <fstream>
#include <iterator>
#include <memory>

#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/testing/text_cases.h"
#include "static_graph/passes/passes.h"
#include "static_graph/tools/pass_runner.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kPasses = "// passes: ";
constexpr std::string_view kExact = "// exact\n";

// "a/b/c.txt" is "c".
std::string StemOf(const std::string& path) {
  const size_t begin = path.rfind('/') + 1;
  return path.substr(begin, path.rfind('.') - begin);
}

std::string AnswerTo(std::string_view input, std::string passes) {
  PassManagerOptions options;
  if (input.substr(0, kPasses.size()) == kPasses) {
    const size_t end = input.find('\n');
    passes = input.substr(kPasses.size(), end - kPasses.size());
    input.remove_prefix(end + 1);
  }
  if (input.substr(0, kExact.size()) == kExact) {
    options.exactness = Exactness::kExact;
    input.remove_prefix(kExact.size());
  }
  const std::unique_ptr<ir::Context> context = AllOperatorsContext();
  ir::RegisterTestDialect(context.get());  // Operations with side effects.
  const std::string program = ir::WholeProgram(input);
  const auto before = RunPasses(context.get(), program, "");
  const auto after = RunPasses(context.get(), program, passes, options);
  if (!after.ok()) {
    return "error: " + std::string(after.status().message()) + "\n";
  }
  if (after->changed) return ir::ChangedEnd(before->text, after->text);
  return after->text == before->text ? "unchanged\n"
                                     : "error: changed without saying so\n";
}

}  // namespace

std::string PassCaseFile(std::string_view pass) {
  constexpr std::string_view kFusion = "_fusion";
  const bool fuses = pass.size() > kFusion.size() &&
                     pass.substr(pass.size() - kFusion.size()) == kFusion;
  return std::string("static_graph/") + (fuses ? "fusion" : "passes") +
         "/testdata/" + std::string(pass) + ".txt";
}

std::vector<std::string> PassCaseFiles() {
  std::vector<std::string> files = {
      "static_graph/lowering/testdata/assign_layouts.txt",
      "static_graph/lowering/testdata/lower.txt"};
  for (const PassInfo& pass : AllPasses()) {
    files.push_back(PassCaseFile(pass.name));
  }
  return files;
}

std::string WithPassAnswers(const std::string& path, const std::string& text) {
  return ir::Answered(text, [&](const ir::TextCase& one) {
    return AnswerTo(one.input, StemOf(path));
  });
}

std::string PassPage() { return PassReference(AllPasses()); }

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace switchyard::static_graph
