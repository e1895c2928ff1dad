// SPDX-License-Identifier: Apache-2.0
// Tests as text. A file is a list of cases:
//   === <name>: <what it shows>
//   <input>
//   --- <answer, whose other lines follow>
// A test compares a file with itself, answered again; an update command writes
// what the comparison expects.
// An input that does not begin with "program" stands inside of one, and an
// answer shows only the changed end of a program:
//   === zeros: an output that nothing used has the gradient 0
//     ^entry(%x: feed "x" tensor<float32[1]>):
//       %0 = op.relu(%x) : tensor<float32[1]>
//       builtin.return("loss" = %0)
//   --- after 1 line
//       %1 = ...
#ifndef SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEXT_CASES_H_
#define SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEXT_CASES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

// One case of a file.
struct TextCase {
  std::string name;
  std::string input;
  std::string answer;
};

// ArgumentError, with the line, for a file that is not of this form.
absl::StatusOr<std::vector<TextCase>> ParseCases(std::string_view file);

// Returns the program of an input: inside of "program @p {" and "}" unless it
// says so itself.
std::string WholeProgram(std::string_view input);

// Returns the end of the printed program `after`: "after <n> lines" of the
// block that `before` begins with too, and the lines that follow; the arguments
// too if they are others.
std::string ChangedEnd(std::string_view before, std::string_view after);

// The file with every answer replaced by what `answer` says to its case; a line
// "error: ..." after what could be read of another file.
std::string Answered(std::string_view file,
                     absl::FunctionRef<std::string(const TextCase&)> answer);

// The parts of messages in a C++ source: its string literals of several words,
// adjacent ones joined, without blanks at the ends.
std::vector<std::string> Messages(std::string_view source);

// All its string literals, one a line.
std::string Literals(std::string_view source);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEXT_CASES_H_
