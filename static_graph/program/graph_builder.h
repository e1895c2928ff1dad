// SPDX-License-Identifier: Apache-2.0
// GraphBuilder: builds an ir::Program call by call. pipeline.h optimises what
// it builds, executable.h compiles it.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_GRAPH_BUILDER_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_GRAPH_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_array.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/program.h"
#include "static_graph/program/program_draft.h"
#include "static_graph/program/traced_regions.h"

namespace switchyard::static_graph {

// Builds an ir::Program call by call, as tracing does: operators at the end of
// the program, control flow by functions, gradients, fetches and new states. It
// numbers the streams of random operators and advances their state.
//
//   GraphBuilder builder(&context, "scaled");
//   SY_ASSIGN_OR_RETURN(ir::Value x,
//                       builder.AddFeed("x", DataType::kFloat32, {2}));
//   SY_ASSIGN_OR_RETURN(ir::Value y, builder.Call("multiply", {x, x}));
//   SY_RETURN_IF_ERROR(builder.Fetch("y", y));
//   SY_ASSIGN_OR_RETURN(ir::Program graph, builder.Finish());
//
// Used by one thread at a time. Errors of its functions leave the program as it
// was, unless they say otherwise; after Finish() all of them fail.
class GraphBuilder {
 public:
  // The operators that calls and gradients use are registered with `context`
  // (RegisterDialects), which outlives the builder and what it builds.
  GraphBuilder(ir::Context* context, std::string_view name)
      : draft_(context, name) {}
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // The extent of feeds that is called `name`: the same symbol each time; with
  // "" a new one, which no other extent is known to be equal to.
  Dim Symbol(const std::string& name);

  // Adds an argument to the program. ArgumentError for a name that is taken,
  // TypeError for a dtype or a kind that no tensor of numbers has. The first
  // extent of an array is its length, which may differ from run to run.
  absl::StatusOr<ir::Value> AddFeed(const std::string& name, DataType dtype,
                                    const Shape& shape,
                                    TensorKind kind = TensorKind::kDense);
  absl::StatusOr<ir::Value> AddState(const std::string& name, DataType dtype,
                                     const Shape& shape);
  // Adds a constant with the elements of `tensor`, which is contiguous.
  absl::StatusOr<ir::Value> Constant(const DenseTensor& tensor);
  // Adds the operators that make an array of constants. ArgumentError, as of
  // `argument`, if its last position is empty.
  absl::StatusOr<ir::Value> ArrayConstant(std::string_view argument,
                                          const TensorArray& array);

  // Says where the operations come from that are added from now on.
  void SetLocation(ir::Location location) {
    draft_.builder.SetLocation(location);
  }

  // Adds a call of an operator, as BuildOp (static_graph/dialect/build_op.h)
  // does; with `inplace` of the options it is recorded as written, until
  // Optimize or Gradients() makes values of it. A random operator without its
  // `rng` input gets the program's rng state and the next stream; in the
  // condition of While it is Unimplemented.
  absl::Status Call(const DialectOp& op, const InputValues& inputs,
                    std::vector<AttrRef> attrs, std::vector<ir::Value>* results,
                    const BuildOpOptions& options = {});
  // Calls an operator without lists by its name; optional inputs may be
  // left out at the end. Returns the first output. NotFound if the context has
  // no such operator.
  absl::StatusOr<ir::Value> Call(std::string_view op,
                                 absl::Span<const ir::Value> inputs,
                                 std::vector<AttrRef> attrs = {});

  // Adds a write: `target`, and what shares its memory, holds what `value` does
  // from now on. TypeError, as of "x[...] = value", unless both have one type.
  absl::Status Write(ir::Value target, ir::Value value);

  // Adds a cf.if and returns its results: what both functions, which get
  // nothing, yield. Both draw random numbers from the same stream on; what
  // comes after continues after the one that ran. They are called twice where
  // they draw another number of times.
  absl::StatusOr<std::vector<ir::Value>> If(ir::Value condition,
                                            const RegionFunction& then_branch,
                                            const RegionFunction& else_branch) {
    return TraceIf(&draft_, condition, then_branch, else_branch);
  }
  // Adds a cf.while and returns its results. `condition` yields one value. Both
  // are called twice where `body` draws random numbers.
  absl::StatusOr<std::vector<ir::Value>> While(absl::Span<const ir::Value> init,
                                               const RegionFunction& condition,
                                               const RegionFunction& body) {
    return TraceWhile(&draft_, init, condition, body);
  }

  // Adds a cf.custom_gradient and returns its results: the values of `outputs`,
  // whose gradient for `inputs` is what `rule` computes of the gradients of the
  // results and of the results, in this order; null for an input that has none.
  // No random operator may be in it.
  absl::StatusOr<std::vector<ir::Value>> CustomGradient(
      absl::Span<const ir::Value> outputs, absl::Span<const ir::Value> inputs,
      const RegionFunction& rule) {
    return TraceCustomGradient(&draft_, outputs, inputs, rule);
  }

  // Calls `function`; gradients compute again what it adds, where they need it,
  // so that it need not be kept. A status of `function` is returned.
  absl::Status Checkpoint(absl::FunctionRef<absl::Status()> function) {
    return TraceCheckpoint(&draft_, ++checkpoints_, function);
  }

  // Returns the number of the region that operations go to: each has its own, 0
  // is the program's. A value belongs to the region that it was made in; when
  // that is over the value may be gone (an error drops the region).
  int64_t region() const { return draft_.regions.current(); }
  // Returns ArgumentError if what was made in this region can't be used now.
  absl::Status CheckVisible(std::string_view argument, int64_t region) const {
    return draft_.regions.CheckVisible(argument, region);
  }

  // Returns gradients of a one-element `loss` for each value of `wrt`; null
  // where it does not depend. What was added before an error stays, unused.
  // In-place variants before it become values; any value that one of them wrote
  // may still be used, for what it is now. Writes that gradients don't follow
  // (under no_grad) leave a value, and a state of `wrt`, the gradient that it
  // had. ArgumentError for one of `wrt` that is a feed or a state and was
  // written otherwise, as for a leaf in eager.
  absl::StatusOr<std::vector<ir::Value>> Gradients(
      ir::Value loss, absl::Span<const ir::Value> wrt);

  // Names a value that the program returns; sets the value that a state has
  // after a run. Both outside of regions, once for each name.
  absl::Status Fetch(const std::string& name, ir::Value value);
  absl::Status Update(const std::string& name, ir::Value value);

  // Ends the program: adds the return and the random generator's new offset,
  // and hands the program over, for Optimize or Executable::Compile to verify.
  // Outside of regions.
  absl::StatusOr<ir::Program> Finish();

 private:
  ProgramDraft draft_;
  std::vector<ir::NamedValue> fetches_;
  std::vector<ir::NamedValue> updates_;
  HashSet<std::string> fetched_;  // Names.
  HashSet<std::string> updated_;
  HashMap<std::string, uint32_t> symbols_;  // By name.
  uint32_t next_symbol_ = 0;
  int64_t checkpoints_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_GRAPH_BUILDER_H_
