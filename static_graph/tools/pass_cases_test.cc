// SPDX-License-Identifier: Apache-2.0
// Every pass against its cases as text, and that there are enough of them: each
// pass has cases where it changes something and where it must not, and every
// message of the passes, the dialects, autodiff and lowering is in some answer.
#include "static_graph/tools/testing/pass_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "static_graph/ir/testing/text_cases.h"
#include "static_graph/passes/passes.h"

namespace switchyard::static_graph {
namespace {

TEST(PassCases, AnswerAsTheFilesSay) {
  for (const std::string& file : PassCaseFiles()) {
    const std::string text = ReadText(file);
    EXPECT_EQ(WithPassAnswers(file, text), text)
        << file << ": if this is what you want: bazel run "
        << "//static_graph/tools:update_pass_cases";
  }
}

TEST(PassCases, ShowEveryPassChangeAProgramAndLeaveOneAlone) {
  for (const std::string& file : PassCaseFiles()) {
    const auto cases = ir::ParseCases(ReadText(file));
    ASSERT_TRUE(cases.ok()) << file << ": " << cases.status().message();
    int changed = 0;
    int kept = 0;
    for (const ir::TextCase& one : *cases) {
      const bool error = one.answer.rfind("error: ", 0) == 0;
      kept += error || one.answer == "unchanged\n" ? 1 : 0;
      changed += one.answer.rfind("after ", 0) == 0 ? 1 : 0;
    }
    EXPECT_GE(changed, 2) << file;
    EXPECT_GE(kept, 2) << file;
  }
}

TEST(PassCases, ShowThatRelaxedPassesAreRefused) {
  for (const PassInfo& pass : AllPasses()) {
    if (pass.exactness == Exactness::kExact) continue;
    const std::string text = ReadText(PassCaseFile(pass.name));
    EXPECT_NE(text.find(std::string("error: pass must be exact, got the "
                                    "relaxed ") +
                        pass.name),
              text.npos)
        << pass.name;
  }
}

TEST(PassCases, ArePutDownForNoPassThatThereIsNot) {
  const std::vector<std::string> files = PassCaseFiles();
  for (const char* folder :
       {"static_graph/fusion/testdata", "static_graph/passes/testdata"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      EXPECT_EQ(std::count(files.begin(), files.end(), entry.path().string()),
                1)
          << entry.path();
    }
  }
}

TEST(PassCases, PassPageIsUpToDate) {
  EXPECT_EQ(ReadText(kPassPage), PassPage())
      << "bazel run //static_graph/tools:update_pass_cases";
}

// Returns everything that tests expect: the answers of the cases, and the
// literals of *_test.cc.
std::string Expected() {
  std::string expected =
      ReadText("static_graph/autodiff/testdata/gradients.txt");
  for (const std::string& file : PassCaseFiles()) expected += ReadText(file);
  for (const char* folder : {"autodiff", "dialect", "lowering", "pass"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::string("static_graph/") + folder)) {
      const std::string path = entry.path().string();
      if (path.find("_test.cc") == path.npos) continue;
      expected += ir::Literals(ReadText(path));
    }
  }
  return expected;
}

TEST(PassCases, ProduceEveryDiagnostic) {
  const std::string expected = Expected();
  int count = 0;
  for (const char* folder :
       {"autodiff", "dialect", "fusion", "lowering", "pass", "passes"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::string("static_graph/") + folder)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() != ".cc") continue;
      if (path.find("_test.cc") != path.npos) continue;
      // The table's texts are no diagnostics.
      if (entry.path().filename() == "passes.cc") continue;
      for (const std::string& message : ir::Messages(ReadText(path))) {
        EXPECT_NE(expected.find(message), expected.npos)
            << path << ": no test expects \"" << message << "\"";
        ++count;
      }
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace switchyard::static_graph
