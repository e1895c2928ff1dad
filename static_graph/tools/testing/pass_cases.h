// SPDX-License-Identifier: Apache-2.0
// Tests of passes as text (static_graph/ir/testing/text_cases.h). The file
// <pass>.txt holds the cases of that pass. A case's input is a program; before
// it may stand
//   // passes: a,b     these instead
//   // exact           relaxed passes are refused
// and the answer is the changed end of the program, "unchanged", or "error:
// <what the runner says>".
#ifndef SWITCHYARD_STATIC_GRAPH_TOOLS_TESTING_PASS_CASES_H_
#define SWITCHYARD_STATIC_GRAPH_TOOLS_TESTING_PASS_CASES_H_

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::static_graph {

// The files, from the workspace's root: one a pass of AllPasses(), and one for
// lower. Autodiff's are static_graph/autodiff/testdata, over toy operators.
std::vector<std::string> PassCaseFiles();

// The one of a pass: beside its source.
std::string PassCaseFile(std::string_view pass);

// Returns `text`, the contents of `path`, with every answer computed again.
std::string WithPassAnswers(const std::string& path, const std::string& text);

// docs/passes.md: the reference of all passes.
inline constexpr char kPassPage[] = "docs/passes.md";
std::string PassPage();

// The contents of a file; empty if it can't be read.
std::string ReadText(const std::string& path);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TOOLS_TESTING_PASS_CASES_H_
