// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/testing/selection_table.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/testing/fake_ops.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::selection {
namespace {

struct Case {
  const OpInfo* op = nullptr;
  std::vector<std::string> inputs;
  std::vector<std::string> attrs;
  Place place;
  Policy policy;
};

absl::StatusOr<Case> ParseCase(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, "; ");
  Case parsed;
  parsed.op = FindFakeOp(words[0]);
  if (parsed.op == nullptr) {
    return ArgumentError("operator", "a fake one", words[0]);
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word[0] == '@') {
      parsed.place = ParsePlace(word.substr(1)).value_or(Place::Cpu());
    } else if (word.rfind("policy=", 0) == 0) {
      SY_ASSIGN_OR_RETURN(parsed.policy,
                          ParsePolicy(word.substr(7), FakeTable()));
    } else if (parsed.op->input_index(word.substr(0, word.find('='))) >= 0) {
      parsed.inputs.push_back(word);
    } else {
      parsed.attrs.push_back(word);
    }
  }
  return parsed;
}

// The transcript's line without the call, which the line above it has.
std::string AnswerText(const Query& query, const Selection& selection) {
  std::string text;
  if (selection.kernel == nullptr) {
    text = "undecided";
  } else {
    const std::string line = TranscriptLine(query, selection);
    text = line.substr(line.find(" -> ") + 4);
  }
  for (const KernelDef* def : selection.residual) {
    absl::StrAppend(&text, " unless ", KernelText(*def));
  }
  return text;
}

absl::StatusOr<std::string> Answer(const std::string& line) {
  SY_ASSIGN_OR_RETURN(const Case parsed, ParseCase(line));
  SY_ASSIGN_OR_RETURN(
      const ParsedCall call,
      ParseCall(*parsed.op, parsed.inputs, parsed.attrs, parsed.place));
  SY_ASSIGN_OR_RETURN(const Query query, call.MakeQuery(parsed.place));
  const OpKernels& op_kernels = *FakeTable().Find(parsed.op->name);
  SY_ASSIGN_OR_RETURN(const Selection selection,
                      Select(op_kernels, query, parsed.policy));
  return AnswerText(query, selection);
}

}  // namespace

std::string WithAnswers(const std::string& table) {
  std::string out;
  for (const absl::string_view part : absl::StrSplit(table, '\n')) {
    const std::string line(part);
    if (line.rfind("  ->", 0) == 0) continue;
    absl::StrAppend(&out, line, "\n");
    if (line.empty() || line[0] == '#') continue;
    const absl::StatusOr<std::string> answer = Answer(line);
    absl::StrAppend(&out, "  -> ",
                    answer.ok()
                        ? *answer
                        : absl::StrCat("error: ", answer.status().message()),
                    "\n");
  }
  out.pop_back();  // StrSplit saw an empty line after the last line break.
  return out;
}

}  // namespace switchyard::phi::selection
