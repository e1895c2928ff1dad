// SPDX-License-Identifier: Apache-2.0
// Tests as text. A file is a list of cases:
//   === <name>: <what it shows>
//   <input>
//   ---
//   <answer>
// A test compares a file with itself, answered again; an update command writes
// what the comparison expects.
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
