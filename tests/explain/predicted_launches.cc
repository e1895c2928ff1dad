// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/predicted_launches.h"

#include <optional>
#include <string_view>
#include <utility>

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
    AddInputs(explanation, policy);
    if (explanation.answer->fallback) AddWritten(explanation, policy);
    if (!explanation.idle) {
      launches_.push_back(explanation.answer->kernel);
      AddReorders(explanation, policy);
    }
    if (explanation.answer->fallback) AddReturned(explanation, policy);
  }

  PredictedCall Take() { return {std::move(launches_), std::move(late_)}; }

 private:
  void AddInputs(const Explanation& explanation, const Policy& policy) {
    // A slot's transforms follow one another.
    std::vector<std::optional<TensorMeta>> metas(
        explanation.query.inputs.size());
    for (const Transform& transform : explanation.answer->transforms) {
      std::optional<TensorMeta>& meta = metas[transform.slot];
      if (!meta.has_value()) meta = *explanation.query.inputs[transform.slot];
      AddTransform(transform, policy, &*meta);
    }
  }

  // Adds the call that makes `x` what the transform says.
  void AddTransform(const Transform& transform, const Policy& policy,
                    TensorMeta* x) {
    switch (transform.kind) {
      case Transform::Kind::kCopy:
        AddCopy(*x, transform.place, policy);
        x->place = transform.place;
        break;
      case Transform::Kind::kReorder:
        AddReorder(*x, transform.layout, policy);
        x->layout = transform.layout;
        break;
      case Transform::Kind::kContiguous:
        AddCall("contiguous", *x, {}, policy);
        break;
      case Transform::Kind::kCast:
        AddCast(*x, transform.dtype, policy);
        x->dtype = transform.dtype;
        break;
    }
    x->contiguous = true;
    x->strides = ContiguousStrides(x->shape);
  }

  // A fallback writes in a copy what it is to write in place.
  void AddWritten(const Explanation& explanation, const Policy& policy) {
    const Query& query = explanation.query;
    for (size_t slot = 0; slot < query.outputs.size(); ++slot) {
      const int written = WrittenInput(query, slot);
      if (written >= 0) AddCopy(*query.inputs[written], Place::Cpu(), policy);
    }
  }

  void AddReorders(const Explanation& explanation, const Policy& policy) {
    const Query& query = explanation.query;
    for (const Transform& transform : explanation.answer->output_transforms) {
      TensorMeta yielded;
      static_cast<TensorSpec&>(yielded) = *query.outputs[transform.slot];
      yielded.layout = transform.layout;
      yielded.place = explanation.answer->fallback ? Place::Cpu() : query.place;
      AddReorder(yielded, LayoutDescriptor(), policy);
    }
  }

  // The results of a fallback go back to the call's place; what is written in
  // place does so without a kernel.
  void AddReturned(const Explanation& explanation, const Policy& policy) {
    const Query& query = explanation.query;
    for (size_t slot = 0; slot < query.outputs.size(); ++slot) {
      const TensorSpec* const output = query.outputs[slot];
      // An optional one has no dtype where it is not made.
      if (output == nullptr || output->dtype == DataType::kUndefined ||
          WrittenInput(query, slot) >= 0) {
        continue;
      }
      if (!output->shape.known()) late_.push_back({launches_.size(), slot});
      TensorMeta returned;
      static_cast<TensorSpec&>(returned) = *output;
      returned.kind = TensorKind::kDense;  // Of SelectedRows, the values.
      returned.layout = LayoutDescriptor();
      AddCopy(returned, query.place, policy);
    }
  }

  // The slot of the input that an output is written over; -1 if there is none.
  static int WrittenInput(const Query& query, size_t slot) {
    if (!query.op->has(phi::Trait::kInplaceOnly)) return -1;
    const int output =
        query.outputs.segments().argument_of(static_cast<int>(slot));
    const int input = query.op->outputs[output].inplace_of;
    if (input < 0) return -1;
    const int written = query.inputs.segments().begin(input) +
                        static_cast<int>(slot) -
                        query.outputs.segments().begin(output);
    return query.inputs[written] == nullptr ? -1 : written;
  }

  void AddCopy(const TensorMeta& x, Place place, const Policy& policy) {
    const AttrRef attrs[] = {place};
    AddCall("copy", x, attrs, policy);
  }

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
    query.place =
        *phi::selection::CallPlace(*query.op, query.inputs, attrs, x.place);
    Explanation explanation = Explain(*kernels_.Find(op), query, policy);
    // Nothing runs from here on; and no transform falls back.
    if (!explanation.answer.ok() || explanation.answer->fallback) {
      launches_.push_back(nullptr);
      return;
    }
    explanation.idle = x.shape.known() && x.shape.numel() == 0;
    Add(explanation, inputs);
  }

  const phi::KernelTable& kernels_;
  std::vector<const KernelDef*> launches_;
  std::vector<PredictedCall::Late> late_;
};

}  // namespace

PredictedCall PredictedLaunches(const Explanation& explanation,
                                absl::Span<const TensorMeta* const> given,
                                const phi::KernelTable& kernels) {
  Prediction prediction(kernels);
  prediction.Add(explanation, given);
  return prediction.Take();
}

}  // namespace switchyard
