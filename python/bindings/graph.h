// SPDX-License-Identifier: Apache-2.0
// Graph: a program while Python traces it: the IR context, the program, where
// the next operation goes, and the random operators' state. GraphBuilder in
// Python is a handle on it; finish() lowers it to an executable Program
// (python/bindings/program.h).
#ifndef SWITCHYARD_PYTHON_BINDINGS_GRAPH_H_
#define SWITCHYARD_PYTHON_BINDINGS_GRAPH_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "python/bindings/optimize.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"

namespace switchyard::python {

// The state that random operators draw from: int64[2], seed and offset.
inline constexpr char kRngState[] = "rng";

// Used by one thread at a time, under the GIL.
class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static absl::StatusOr<std::shared_ptr<Graph>> Create(std::string_view name);

  // Arguments of the program; ArgumentError for a name that is taken.
  absl::StatusOr<static_graph::ir::Value> AddFeed(const std::string& name,
                                                  DataType dtype,
                                                  const Shape& shape);
  absl::StatusOr<static_graph::ir::Value> AddState(const std::string& name,
                                                   DataType dtype,
                                                   const Shape& shape);

  // One call of an operator; random ones get the rng state and the next stream.
  absl::Status Call(const static_graph::DialectOp& op,
                    const static_graph::InputValues& inputs,
                    std::vector<AttrRef> attrs,
                    std::vector<static_graph::ir::Value>* results);

  // What goes on inside a region of control flow: given the region's arguments,
  // it makes operations of this graph and returns what the region yields.
  using RegionFunction =
      std::function<absl::StatusOr<std::vector<static_graph::ir::Value>>(
          absl::Span<const static_graph::ir::Value>)>;

  // The results of a cf.if: what both functions, which get nothing, yield. Both
  // draw random numbers from the same stream on; what comes after continues
  // behind the one that draws more.
  absl::StatusOr<std::vector<static_graph::ir::Value>> If(
      static_graph::ir::Value condition, const RegionFunction& then_branch,
      const RegionFunction& else_branch);
  // The results of a cf.while. `condition` yields one value. Operators that
  // draw random numbers are refused inside: each iteration would draw the same.
  absl::StatusOr<std::vector<static_graph::ir::Value>> While(
      absl::Span<const static_graph::ir::Value> init,
      const RegionFunction& condition, const RegionFunction& body);

  // The number of the region that operations go to: each has its own, 0 is the
  // program's. A value belongs to the region that it was made in; when that is
  // over the value may be gone (an error drops the region).
  int64_t region() const { return regions_.back(); }
  // ArgumentError if what was made in this region can't be used now.
  absl::Status CheckVisible(std::string_view argument, int64_t region) const;

  // Gradients of a one-element `loss`; null where it does not depend.
  absl::StatusOr<std::vector<static_graph::ir::Value>> Gradients(
      static_graph::ir::Value loss,
      absl::Span<const static_graph::ir::Value> wrt);

  // Both outside of regions.
  absl::Status Fetch(const std::string& name, static_graph::ir::Value value);
  absl::Status Update(const std::string& name, static_graph::ir::Value value);

  // Outside of regions. Ends the program: return, new rng offset, passes,
  // verified. The graph can't be added to afterwards.
  absl::Status Finish(Optimization optimization);

  // A constant of a number or array that meets a Value.
  static_graph::ir::Value Constant(const DenseTensor& tensor);

  const static_graph::ir::Program& program() const { return program_; }
  const std::shared_ptr<static_graph::ir::Context>& context() const {
    return context_;
  }

 private:
  Graph(std::shared_ptr<static_graph::ir::Context> context,
        std::string_view name);
  absl::Status CheckOpen(std::string_view name) const;
  // CheckOpen, and that no region is being made.
  absl::Status CheckOutermost(std::string_view name) const;
  absl::StatusOr<static_graph::ir::Value> Rng();
  // Runs `function` with its operations going where `inner` is.
  absl::StatusOr<std::vector<static_graph::ir::Value>> InRegion(
      static_graph::ir::Builder& inner,
      absl::Span<const static_graph::ir::Value> arguments,
      const RegionFunction& function);

  std::shared_ptr<static_graph::ir::Context> context_;
  static_graph::ir::Program program_;
  static_graph::ir::Builder builder_;
  std::vector<static_graph::ir::NamedValue> fetches_;
  std::vector<static_graph::ir::NamedValue> updates_;
  int64_t random_ops_ = 0;
  std::vector<int64_t> regions_ = {0};  // Around the place, outermost first.
  int64_t last_region_ = 0;
  int loops_ = 0;  // That are being made, one inside the other.
  bool finished_ = false;
};

// A call of an operator with Python objects, at least one of them a Value (all
// of one graph); arrays and numbers become constants. Results are new
// references to Values, null becomes None.
absl::Status TraceCall(const static_graph::DialectOp& op,
                       const phi::ArgList<PyObject* const>& inputs,
                       absl::Span<const AttrRef> attrs,
                       std::vector<PyObject*>* results);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_GRAPH_H_
