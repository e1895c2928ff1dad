// SPDX-License-Identifier: Apache-2.0
// FunctionNode: the gradient of a sy.autograd.Function, in eager calls.
// bind_function.cc makes it; switchyard/function.py has the class.
#ifndef SWITCHYARD_PYTHON_BINDINGS_FUNCTION_NODE_H_
#define SWITCHYARD_PYTHON_BINDINGS_FUNCTION_NODE_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard::python {

// The GradNode of one call of a Function. It owns a Python function, which has
// the call's ctx: function(node, grads, wanted) returns a gradient, or None,
// for each input. It runs with the GIL held, in the thread's grad mode, on
// whichever thread runs backward; what it raises leaves through backward().
class FunctionNode final : public eager::GradNode {
 public:
  // `outputs` is the number of the call's results. GIL held.
  FunctionNode(std::string name, uint32_t outputs,
               absl::Span<const eager::Tensor> inputs, PyObject* function);

  std::string_view name() const override { return name_; }
  absl::Status Apply(const eager::GradCall& call) override;
  void ReleaseSaved() override { function_.reset(); }
  const eager::GradArithmetic* arithmetic() const override;

 private:
  absl::StatusOr<pybind11::object> Call(const eager::GradCall& call);

  std::string name_;
  std::shared_ptr<PyObject> function_;  // Null once it was released.
};

// A node as its function gets it, for the length of a call.
struct FunctionHandle {
  RefPtr<eager::GradNode> node;
};

// Returns `tensor`'s elements as output number `output` of `node`; apart from
// the graph for a dtype that has no gradient.
eager::Tensor AsOutput(const eager::Tensor& tensor,
                       const RefPtr<eager::GradNode>& node, uint32_t output);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_FUNCTION_NODE_H_
