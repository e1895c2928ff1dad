// SPDX-License-Identifier: Apache-2.0
// Saved programs: a computation (the dialect `op`, as IR text) with the state
// that it runs on, in one file with a checksum per section (section_file.h).
// The saved program is not lowered: kernels are chosen again where it is
// loaded. Those that were chosen here may go along, to be compared with them
// (kernel_lock.h). The version of each operator goes along: an older one is
// upgraded when the file is read (static_graph/dialect/op_upgrades.h), a newer
// one refused. Taking the training part off first is export_inference.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_

#include <optional>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "static_graph/executor/state.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/relaxed_choices.h"
#include "static_graph/program/kernel_lock.h"

namespace switchyard::static_graph {

// A loaded program and its state.
struct SavedProgram {
  ir::Program program;
  State state;
  std::optional<KernelLock> lock;  // If the file has one.
  RelaxedChoices relaxed = {};     // Exact if the file has none.
};

// The parts of a file besides a program and its states.
struct SaveOptions {
  const KernelLock* lock = nullptr;  // None if null.
  RelaxedChoices relaxed = {};
};

// Returns the bytes of a program with the states that it has, from `state`;
// others are left out. ArgumentError where a state is missing or of another
// dtype or shape.
absl::StatusOr<std::string> SerializeProgram(const ir::Program& program,
                                             const State& state,
                                             const SaveOptions& options = {});

// Reads what SerializeProgram() wrote; any byte string may be given. DataLoss
// where it is damaged or cut short; FailedPrecondition for an operator of
// a version from which no upgrade leads to today's, and for a relaxed choice
// that is not known here; InvalidArgument or NotFound
// for a program that parser or verifier refuse, such as one with operators that
// are not registered with `context`.
absl::StatusOr<SavedProgram> DeserializeProgram(ir::Context* context,
                                                std::string_view bytes);

// Write and read a file; errors name it. An existing file is replaced at once
// and never half written.
absl::Status SaveProgram(const std::string& path, const ir::Program& program,
                         const State& state, const SaveOptions& options = {});
absl::StatusOr<SavedProgram> LoadProgram(ir::Context* context,
                                         const std::string& path);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_SAVED_PROGRAM_H_
