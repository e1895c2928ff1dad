// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/predicted_launches.h"

#include <string_view>

#include "phi/core/signatures/every_operator.h"

namespace switchyard {
namespace {

using phi::KernelDef;
using phi::OpInfo;
using phi::selection::Explanation;
using phi::selection::Policy;
using phi::selection::Query;
using phi::selection::Transform;

class Prediction {
 public:
  explicit Prediction(const phi::KernelTable& kernels) : kernels_(kernels) {}

  void Add(const Explanation& explanation,
           absl::Span<const TensorMeta* const> given) {
    if (explanation.composed) {
      for (const Explanation& call : explanation.calls) {
        Add(call, call.query.inputs.elements());
      }
      return;
    }
    const absl::Span<const TensorMeta* const> inputs =
        explanation.query.inputs.elements();
    for (size_t slot = 0; slot < inputs.size(); ++slot) {
      if (inputs[slot] == nullptr ||
          inputs[slot]->dtype == given[slot]->dtype) {
        continue;
      }
      AddCast(*given[slot], inputs[slot]->dtype, explanation.policy);
    }
    const Policy policy = explanation.policy.WithoutTransforms();
    for (const Transform& transform : explanation.answer->transforms) {
      if (transform.kind == Transform::Kind::kCast) {
        AddCast(*inputs[transform.slot], transform.dtype, policy);
      } else if (transform.kind == Transform::Kind::kReorder) {
        AddReorder(*inputs[transform.slot], transform.layout, policy);
      } else {
        AddCall("contiguous", *inputs[transform.slot], {}, policy);
      }
    }
    if (explanation.idle) return;
    launches_.push_back(explanation.answer->kernel);
    for (const Transform& transform : explanation.answer->output_transforms) {
      const TensorSpec& meta = *explanation.query.outputs[transform.slot];
      TensorMeta yielded;
      yielded.shape = meta.shape;
      yielded.dtype = meta.dtype;
      yielded.layout = transform.layout;
      yielded.place = explanation.query.place;
      AddReorder(yielded, LayoutDescriptor(), policy);
    }
  }

  std::vector<const KernelDef*> Take() { return std::move(launches_); }

 private:
  void AddCast(const TensorMeta& x, DataType dtype, const Policy& policy) {
    const AttrRef attrs[] = {dtype};
    AddCall("cast", x, attrs, policy);
  }

  void AddReorder(const TensorMeta& x, LayoutDescriptor layout,
                  const Policy& policy) {
    const AttrRef attrs[] = {Name(layout)};
    AddCall("reorder", x, attrs, policy);
  }

  // A call of an operator with one input.
  void AddCall(std::string_view op, const TensorMeta& x,
               absl::Span<const AttrRef> attrs, const Policy& policy) {
    const TensorMeta* const inputs[] = {&x};
    Query query;
    for (const OpInfo* info : phi::AllOpInfos()) {
      if (info->name == op) query.op = info;
    }
    query.inputs = inputs;
    query.attrs = attrs;
    query.dtype = x.dtype;
    query.place = x.place;
    Explanation explanation = Explain(*kernels_.Find(op), query, policy);
    if (!explanation.answer.ok()) {  // Nothing runs from here on.
      launches_.push_back(nullptr);
      return;
    }
    explanation.idle = x.shape.numel() == 0;
    Add(explanation, inputs);
  }

  const phi::KernelTable& kernels_;
  std::vector<const KernelDef*> launches_;
};

}  // namespace

std::vector<const KernelDef*> PredictedLaunches(
    const Explanation& explanation, absl::Span<const TensorMeta* const> given,
    const phi::KernelTable& kernels) {
  Prediction prediction(kernels);
  prediction.Add(explanation, given);
  return prediction.Take();
}

}  // namespace switchyard
