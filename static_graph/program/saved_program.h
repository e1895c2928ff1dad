// SPDX-License-Identifier: Apache-2.0
// Saved programs: a computation (the dialect `op`, as IR text) with the state
// that it runs on, in one file with a checksum per section (section_file.h).
// What is saved is not lowered: kernels are chosen anew where it is loaded. The
// version of each operator's meaning goes along, and another one is refused.
// Taking the training part off first is export_inference.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "static_graph/executor/state.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

struct SavedProgram {
  ir::Program program;
  State state;
};

// The states that `program` has, from `state`; others are left out.
// ArgumentError where one is missing or of another dtype or shape.
absl::StatusOr<std::string> SerializeProgram(const ir::Program& program,
                                             const State& state);

// Any byte string may be given. DataLoss where it is damaged or cut short;
// FailedPrecondition for an operator of another version; InvalidArgument or
// NotFound for a program that parser or verifier refuse, such as one with
// operators that are not registered with `context`.
absl::StatusOr<SavedProgram> DeserializeProgram(ir::Context* context,
                                                std::string_view bytes);

// The same with a file; errors name it. An existing file is replaced at once
// and never half written.
absl::Status SaveProgram(const std::string& path, const ir::Program& program,
                         const State& state);
absl::StatusOr<SavedProgram> LoadProgram(ir::Context* context,
                                         const std::string& path);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_
