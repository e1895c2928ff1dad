// SPDX-License-Identifier: Apache-2.0
#include "eager/call/detect_anomaly.h"

#include <vector>

#include "phi/core/anomaly/anomaly.h"
#include "phi/core/op_info.h"

namespace switchyard::eager {
namespace {

// Whether a call that is checked runs in this thread.
thread_local bool inside = false;

class InsideScope {
 public:
  InsideScope() { inside = true; }
  ~InsideScope() { inside = false; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;
};

}  // namespace

absl::Status RunDetecting(
    const EagerOp& op, const InputTensors& inputs,
    absl::Span<const AttrRef> attrs,
    absl::FunctionRef<absl::StatusOr<OutputTensors>()> call) {
  if (inside) return call().status();
  const phi::OpInfo& info = *op.info;
  std::vector<const TensorBase*> read;
  for (const Tensor* input : inputs.elements()) {
    const bool present = input != nullptr && input->defined();
    read.push_back(present ? &input->base() : nullptr);
  }
  phi::AnomalyCheck check(info, {read, inputs.segments()}, attrs);
  if (op.inplace || info.has(phi::Trait::kInplaceOnly)) {
    SY_RETURN_IF_ERROR(Annotate(check.ReadInputs(), info.name));
  }
  absl::StatusOr<OutputTensors> results;
  {
    const InsideScope scope;
    results = call();
  }
  if (!results.ok()) return results.status();
  std::vector<const TensorBase*> written;
  for (const Tensor& result : results->elements()) {
    written.push_back(result.defined() ? &result.base() : nullptr);
  }
  return Annotate(check.CheckOutputs({written, results->segments()}),
                  info.name);
}

}  // namespace switchyard::eager
