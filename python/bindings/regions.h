// SPDX-License-Identifier: Apache-2.0
// Regions: Python functions that fill regions of a graph that is being traced:
// branches, loops, gradients.
#ifndef SWITCHYARD_PYTHON_BINDINGS_REGIONS_H_
#define SWITCHYARD_PYTHON_BINDINGS_REGIONS_H_

#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "python/bindings/trace_call.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::python {

// Returns the Value as Python has it; None for null.
pybind11::object WrapOrNone(const std::shared_ptr<Graph>& graph,
                            static_graph::ir::Value value);

// Returns a Value of this graph; throws, as of `argument`, for anything else.
static_graph::ir::Value ValueArgument(const std::shared_ptr<Graph>& graph,
                                      const char* argument,
                                      pybind11::handle object);

// Returns a value of the graph; numbers, arrays and eager tensors become
// constants.
static_graph::ir::Value ValueOrConstant(const std::shared_ptr<Graph>& graph,
                                        const char* argument,
                                        pybind11::handle object);

// Python functions as regions. What one raises goes through the graph's code as
// a status, which ends the building, and is thrown again after it.
class Regions {
 public:
  explicit Regions(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  // `function` returns a sequence, in which None stands for null if `optional`.
  static_graph::RegionFunction Of(const char* argument,
                                  pybind11::object function,
                                  bool optional = false);

  // Returns the values, detached where no gradients are recorded.
  pybind11::tuple Results(
      absl::StatusOr<std::vector<static_graph::ir::Value>> values);

 private:
  std::shared_ptr<Graph> graph_;
  std::exception_ptr raised_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_REGIONS_H_
