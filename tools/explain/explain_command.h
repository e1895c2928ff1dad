// SPDX-License-Identifier: Apache-2.0
// The command `explain`: which kernel would run for a call that is described by
// words, and why (explained_call.h). The operators and kernels are the
// caller's: explain_main.cc gives it those of the binary.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_EXPLAIN_COMMAND_H_
#define SWITCHYARD_TOOLS_EXPLAIN_EXPLAIN_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

// The words of a command line, sorted.
struct ExplainRequest {
  bool help = false;
  std::string op;
  std::vector<std::string> inputs;  // Words of phi/selection/call_parser.h.
  std::vector<std::string> attrs;
  Place place;
  Policy policy;
  bool json = false;
  // Whether an eager call would record its gradient (ExplainedCall::Options).
  bool recorded = false;
};

// How the command is used, some lines.
std::string_view ExplainUsage();

// The words of a command line, the program's name left out, over `defaults`;
// none at all ask for help. ArgumentError for an unknown option, one without
// its value, or an unreadable place or policy, which names backends of
// `kernels`.
absl::StatusOr<ExplainRequest> ParseExplainArguments(
    absl::Span<const std::string> words, const KernelTable& kernels,
    ExplainRequest defaults = {});

// The answer of the command.
struct ExplainReport {
  std::string text;
  bool fits;  // Some kernel serves the call, or may once shapes are known.
};

// Errors are those of the call itself: an unknown operator or argument, what
// promotion and InferMeta say, or a tensor that the in-place variant can't
// write. That no kernel fits is a report.
absl::StatusOr<ExplainReport> RunExplain(
    const ExplainRequest& request, absl::Span<const OpInfo* const> operators,
    const KernelTable& kernels);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_EXPLAIN_COMMAND_H_
