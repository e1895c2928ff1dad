// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/function_node.h"

#include <utility>

#include "eager/call/autograd_ops.h"
#include "eager/ops/autograd_ops.h"
#include "eager/tensor/tensor_impl.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/hooks.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

absl::StatusOr<eager::Tensor> GradientOf(py::handle object) {
  if (object.is_none()) return eager::Tensor();
  if (IsTensor(object.ptr())) return GetTensor(object.ptr());
  return TypeError("gradient", "a tensor or None",
                   Py_TYPE(object.ptr())->tp_name);
}

}  // namespace

FunctionNode::FunctionNode(std::string name, uint32_t outputs,
                           absl::Span<const eager::Tensor> inputs,
                           PyObject* function)
    : GradNode(outputs),
      name_(std::move(name)),
      function_(HoldFunction(function)) {
  for (const eager::Tensor& input : inputs) {
    AddEdge({input.impl()->node(), input.impl()->output()});
  }
}

absl::StatusOr<py::object> FunctionNode::Call(const eager::GradCall& call) {
  py::tuple grads(call.output_grads.size());
  for (size_t i = 0; i < call.output_grads.size(); ++i) {
    eager::Tensor& grad = call.output_grads[i];
    if (grad.defined() && grad.kind() != TensorKind::kDense) {
      SY_ASSIGN_OR_RETURN(grad, eager::autograd_ops.Densify(grad));
    }
    PyObject* wrapped = WrapTensor(grad);
    if (wrapped == nullptr) throw py::error_already_set();
    grads[i] = py::reinterpret_steal<py::object>(wrapped);
  }
  py::tuple wanted(call.wanted.size());
  for (size_t i = 0; i < call.wanted.size(); ++i) {
    wanted[i] = py::bool_(call.wanted[i]);
  }
  // It may be released by what it calls.
  const std::shared_ptr<PyObject> function = function_;
  return py::handle(function.get())(
      FunctionHandle{RefPtr<GradNode>::Share(this)}, grads, wanted);
}

absl::Status FunctionNode::Apply(const eager::GradCall& call) {
  if (function_ == nullptr) {
    return absl::FailedPreconditionError(
        name_ +
        ": graph must be run backward once (or the runs before the last with "
        "retain_graph), got freed saved tensors");
  }
  const HeldGil gil;
  return WithGilOrWait([&]() -> absl::Status {
    try {
      SY_ASSIGN_OR_RETURN(const py::sequence results, Call(call));
      for (size_t i = 0; i < call.input_grads.size(); ++i) {
        if (!call.wanted[i]) continue;
        SY_ASSIGN_OR_RETURN(call.input_grads[i],
                            GradientOf(py::object(results[i])));
      }
      return absl::OkStatus();
    } catch (py::error_already_set& error) {
      error.restore();
      return StatusOfPythonError();
    }
  });
}

const eager::GradArithmetic* FunctionNode::arithmetic() const {
  return &eager::autograd_ops;
}

eager::Tensor AsOutput(const eager::Tensor& tensor,
                       const RefPtr<eager::GradNode>& node, uint32_t output) {
  eager::Tensor result = tensor.detach();
  if (IsDifferentiable(result.dtype())) result.impl()->SetNode(node, output);
  return result;
}

}  // namespace switchyard::python
