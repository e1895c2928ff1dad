// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/policy_block.h"

#include <string>

#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/selection/policy_text.h"
#include "python/bindings/errors.h"

namespace py = pybind11;

namespace switchyard::python {

using phi::dispatch::Environment;

void PolicyBlock::Enter() {
  before_.push_back(Environment::Current().policy);
  Environment::Current().policy = policy_;
}

void PolicyBlock::Exit() {
  if (before_.empty()) {
    ThrowIfError(absl::FailedPreconditionError(
        "policy: must be entered before it is left"));
  }
  Environment::Current().policy = before_.back();
  before_.pop_back();
}

phi::selection::Policy PolicyArgument(py::handle object) {
  if (object.is_none()) return Environment::Current().policy;
  if (py::isinstance<PolicyBlock>(object)) {
    return object.cast<const PolicyBlock&>().policy();
  }
  if (!py::isinstance<py::str>(object)) {
    ThrowIfError(TypeError("policy", "a switchyard.policy, text or None",
                           Py_TYPE(object.ptr())->tp_name));
  }
  return ValueOrThrow(phi::selection::ParsePolicy(
      object.cast<std::string>(), phi::KernelTables::Current()));
}

}  // namespace switchyard::python
