// SPDX-License-Identifier: Apache-2.0
// EagerProgram: a run of a program by the eager executor, an operation after
// the other, with the bits of the static one. Loops and branches run as they
// come; nothing is compiled, fused or planned.
#ifndef SWITCHYARD_PYTHON_BINDINGS_EAGER_PROGRAM_H_
#define SWITCHYARD_PYTHON_BINDINGS_EAGER_PROGRAM_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/executor/state.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::python {

using NamedTensors = std::vector<std::pair<std::string, eager::Tensor>>;

// One call of a run; `kernels` are those that it ran, as lines of transcripts
// name them, each once. Nanoseconds since the run was made.
struct EagerStep {
  std::string op;
  std::string kernels;
  std::string location;
  int64_t begin = 0;
  int64_t end = 0;
};

// One run. Values die with their last use. The states change at the end, if
// nothing has failed. One thread at a time.
class EagerProgram {
 public:
  // `program` and `state`, which may be null, outlive the run. `check` is
  // called before each iteration of a loop; an error ends the run. `lowering`
  // has the program's place, its policy, which holds instead of the thread's,
  // and its choice of denormals. With `profile` the steps are kept.
  EagerProgram(const static_graph::ir::Program& program,
               static_graph::State* state,
               const static_graph::LoweringOptions& lowering,
               std::function<absl::Status()> check, bool profile)
      : program_(program),
        state_(state),
        place_(lowering.place),
        policy_(lowering.admitted()),
        denormals_(lowering.relaxed.denormals),
        check_(std::move(check)),
        profile_(profile) {}

  // Returns what the program fetches, in its order. ArgumentError or TypeError
  // for feeds and states that are missing or of another kind, dtype or shape;
  // else what operators report, with the place of the operation. With
  // `recorded` these tensors are the states, which stay as they are, and
  // gradients are recorded as those of any eager call.
  absl::StatusOr<NamedTensors> Run(const NamedTensors& feeds,
                                   const NamedTensors* recorded = nullptr);

  const std::vector<EagerStep>& steps() const { return steps_; }

 private:
  using Values = std::vector<eager::Tensor>;
  // The values whose last use is in an operation.
  using Deaths = HashMap<const static_graph::ir::Operation*,
                         std::vector<static_graph::ir::Value>>;

  absl::Status BindArguments(const NamedTensors& feeds,
                             const NamedTensors* states);
  absl::StatusOr<NamedTensors> Fetch() const;
  absl::Status WriteStates();
  // Runs the operations of a block before its terminator; returns what that
  // takes.
  absl::StatusOr<Values> RunBlock(const static_graph::ir::Block& block);
  absl::Status RunOperation(const static_graph::ir::Operation& op);
  absl::Status RunConstant(const static_graph::ir::Operation& op);
  absl::Status RunIf(const static_graph::ir::Operation& op);
  absl::Status RunWhile(const static_graph::ir::Operation& op);
  absl::Status RunCall(const static_graph::ir::Operation& op);
  const Deaths& DeathsIn(const static_graph::ir::Block& block);
  Values Operands(const static_graph::ir::Operation& op) const;
  absl::Status Bind(const static_graph::ir::Operation& op,
                    absl::Span<const eager::Tensor> results);
  int64_t Now() const;

  const static_graph::ir::Program& program_;
  static_graph::State* state_;
  const Place place_;
  const phi::selection::Policy policy_;
  const static_graph::Denormals denormals_;
  std::function<absl::Status()> check_;
  const bool profile_;
  HashMap<static_graph::ir::Value, eager::Tensor> values_;
  HashMap<const static_graph::ir::Block*, Deaths> deaths_;
  std::vector<EagerStep> steps_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_EAGER_PROGRAM_H_
