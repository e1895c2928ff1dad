// SPDX-License-Identifier: Apache-2.0
#include "eager/call/run.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/anomaly_mode.h"
#include "eager/call/cast_inputs.h"
#include "eager/call/choose_kernels.h"
#include "eager/call/composite_meta.h"
#include "eager/call/detect_anomaly.h"
#include "eager/call/inplace.h"
#include "eager/call/operator_node.h"
#include "eager/call/result_maker.h"
#include "eager/call/unset_array.h"
#include "eager/call/view_graph.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/view_group.h"
#include "framework/base/small_array.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/random/generator.h"
#include "phi/core/arg_buffer.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/environment.h"
#include "phi/promotion/autocast.h"

namespace switchyard::eager {
namespace {

using phi::ArgList;
using phi::ArgSegments;
using phi::OpInfo;
using phi::OutputInfo;
using phi::Trait;

constexpr int kInline = 8;
constexpr int kInlineOutputs = 4;

bool Present(const Tensor* tensor) {
  return tensor != nullptr && tensor->defined();
}

bool HasListOutput(const OpInfo& info) {
  for (const OutputInfo& output : info.outputs) {
    if (output.list) return true;
  }
  return false;
}

// One call on its way.
class EagerCall {
 public:
  EagerCall(const EagerOp& op, const InputTensors& inputs,
            absl::Span<const AttrRef> attrs, absl::Span<const bool> wanted = {})
      : op_(op),
        info_(*op.info),
        given_(inputs),
        inputs_(inputs),
        attrs_(attrs),
        wanted_(wanted),
        output_segments_(static_cast<int>(info_.outputs.size())),
        inplace_(op.inplace || info_.has(Trait::kInplaceOnly)) {}

  absl::Status Run() {
    if (ABSL_PREDICT_TRUE(!DetectsAnomalies())) return RunUnchecked();
    return RunDetecting(op_, given_, attrs_,
                        [this]() -> absl::StatusOr<OutputTensors> {
                          SY_RETURN_IF_ERROR(RunUnchecked());
                          return OutputTensors(results_, output_segments_);
                        });
  }

  // All outputs, once Run() succeeded; undefined where not wanted.
  absl::Span<Tensor> results() {
    return absl::MakeSpan(results_.data(), results_.size());
  }

 private:
  absl::Status RunUnchecked() {
    SY_RETURN_IF_ERROR(LayOutOutputs());
    needs_grad_ = CurrentGradMode() == GradMode::kOn && SomeInputRequiresGrad();
    if (inplace_) {
      SY_RETURN_IF_ERROR(CheckInplace(op_, given_, needs_grad_));
    }
    if (info_.has(Trait::kRandom)) SY_RETURN_IF_ERROR(DrawRandomState());
    if (phi::promotion::AutocastDtype() != DataType::kUndefined && !inplace_) {
      SY_RETURN_IF_ERROR(CastAutocast(op_, &inputs_));
    }
    if (info_.promotion.inputs != 0 && (needs_grad_ || op_.slot == nullptr)) {
      SY_RETURN_IF_ERROR(CastPromoted(op_, &inputs_));
    }
    if (inplace_ && needs_grad_ && op_.grad != nullptr) {
      SY_RETURN_IF_ERROR(KeepOverwritten(op_, &inputs_));
    }
    const ChosenKernels chosen = ChooseKernels(op_, inplace_, needs_grad_);
    bool composes = chosen.kernels == nullptr;
    if (!composes) SY_RETURN_IF_ERROR(Dispatch(chosen, &composes));
    if (!composes) {
      Finish();
      return absl::OkStatus();
    }
    if (inplace_) return ComposeInPlace();
    return HasOwnGradient() ? ComposeRecorded() : Compose();
  }

  absl::Status LayOutOutputs();
  bool SomeInputRequiresGrad() const;
  bool HasOwnGradient() const;
  absl::Status DrawRandomState();
  absl::Status Dispatch(const ChosenKernels& chosen, bool* composes);
  absl::Status Compose();
  absl::Status ComposeRecorded();
  absl::Status ComposeInPlace();
  void Finish();
  bool NeedsNode() const;
  void AttachOutputs(RefPtr<GradNode> node);
  static void Attach(RefPtr<GradNode> node, uint32_t slot,
                     const Tensor& tensor);
  void JoinView(const Tensor& base, const Tensor& view) const;
  // The input that output argument `output` writes in place; null if it is an
  // output of its own.
  const Tensor* InplaceTarget(int output, int k) const {
    const int input = inplace_ ? info_.outputs[output].inplace_of : -1;
    return input < 0 ? nullptr : given_.list(input)[k];
  }
  bool IsWanted(int slot) const { return wanted_.empty() || wanted_[slot]; }

  const EagerOp& op_;
  const OpInfo& info_;
  InputTensors given_;
  // The given inputs, with cast ones and the random state in their places.
  CallInputs inputs_;
  absl::Span<const AttrRef> attrs_;
  absl::Span<const bool> wanted_;  // Empty: all.
  ArgSegments output_segments_;
  phi::ArgLayout output_layout_;  // Where there are lists: what those refer to.
  bool inplace_;
  bool needs_grad_ = false;
  SmallArray<Tensor, kInlineOutputs> results_;  // What the kernel writes.
};

absl::Status EagerCall::LayOutOutputs() {
  if (!HasListOutput(info_)) return absl::OkStatus();
  const absl::Status status = phi::LayOutOutputs(
      info_, inputs_.all().segments(), attrs_, &output_layout_);
  if (!status.ok()) return Annotate(status, info_.name);
  output_segments_ = output_layout_.segments();
  return absl::OkStatus();
}

bool EagerCall::SomeInputRequiresGrad() const {
  for (const Tensor* input : inputs_.all().elements()) {
    if (Present(input) && input->requires_grad()) return true;
  }
  return false;
}

// False for a call of other operators, which is differentiated as they are
// (static_graph/dialect/build_op.h, IsAnothersCall, is the same rule).
bool EagerCall::HasOwnGradient() const {
  return op_.grad != nullptr && info_.has_infer_meta();
}

absl::Status EagerCall::DrawRandomState() {
  const int rng = info_.input_index("rng");
  if (rng < 0 || Present(inputs_.all().optional(rng))) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      CpuAllocator().Allocate(2 * sizeof(int64_t)));
  DenseTensor state;
  state.SetMeta(DataType::kInt64, {2}, Place::Cpu());
  state.SetBuffer(std::move(buffer));
  const RngState reserved = DefaultGenerator().Reserve(1);
  state.mutable_data<int64_t>()[0] = reserved.seed;
  state.mutable_data<int64_t>()[1] = reserved.offset;
  inputs_.Replace(given_.segments().begin(rng), Tensor(std::move(state)));
  return absl::OkStatus();
}

absl::Status EagerCall::Dispatch(const ChosenKernels& chosen, bool* composes) {
  const absl::Span<const Tensor* const> tensors = inputs_.all().elements();
  UnsetArray<const TensorBase*, kInline> inputs(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    inputs[i] = Present(tensors[i]) ? &tensors[i]->base() : nullptr;
  }
  results_.Reset(output_segments_.size());
  UnsetArray<TensorBase*, kInlineOutputs> outputs(results_.size());
  for (int output = 0; output < output_segments_.arguments(); ++output) {
    const OutputInfo& info = info_.outputs[output];
    const int begin = output_segments_.begin(output);
    for (int slot = begin; slot < output_segments_.end(output); ++slot) {
      outputs[slot] = nullptr;
      const bool written_in_place = inplace_ && info.inplace_of >= 0;
      const Tensor* const target = InplaceTarget(output, slot - begin);
      if (written_in_place && !Present(target)) continue;
      if (info.optional && !IsWanted(slot)) continue;
      if (written_in_place) {
        SY_ASSIGN_OR_RETURN(results_[slot], InplaceResult(*target));
      } else {
        results_[slot] = Tensor(RefPtr<TensorImpl>::Adopt(new TensorImpl));
      }
      outputs[slot] = &results_[slot].mutable_dense();
    }
  }
  const phi::TensorArgs args = {
      {{inputs.data(), inputs.size()}, inputs_.all().segments()},
      attrs_,
      {{outputs.data(), outputs.size()}, output_segments_}};
  ResultMaker maker(results(), {outputs.data(), outputs.size()});
  phi::dispatch::Call call(*chosen.info, args, &maker);
  if (op_.composite != nullptr) call.AllowComposite();
  SY_RETURN_IF_ERROR(call.Run(*chosen.kernels));
  *composes = call.composes();
  return absl::OkStatus();
}

absl::Status EagerCall::Compose() {
  results_.Reset(output_segments_.size());
  UnsetArray<Tensor*, kInline> made(results_.size());
  for (size_t slot = 0; slot < made.size(); ++slot) {
    made[slot] = IsWanted(static_cast<int>(slot)) ? &results_[slot] : nullptr;
  }
  const ArgList<Tensor* const> outputs({made.data(), made.size()},
                                       output_segments_);
  CompositeMeta meta(info_, outputs);
  absl::Status status = meta.Infer(inputs_.all(), attrs_);
  if (status.ok()) {
    // Zeros and the like have no tensor that says where they belong.
    const phi::dispatch::DefaultPlaceScope scope(
        ComposedPlace(info_, inputs_.all()));
    const phi::promotion::NoAutocastScope no_autocast;
    static const Tensor kAbsent;  // Owns nothing: trivially destroyed.
    const absl::Span<const Tensor* const> given = inputs_.all().elements();
    UnsetArray<const Tensor*, kInline> inputs(given.size());
    for (size_t slot = 0; slot < inputs.size(); ++slot) {
      inputs[slot] = given[slot] == nullptr ? &kAbsent : given[slot];
    }
    status = op_.composite(
        {{{inputs.data(), inputs.size()}, inputs_.all().segments()},
         attrs_,
         outputs});
  }
  if (status.ok()) status = meta.Check();
  return status.ok() ? status : Annotate(status, info_.name);
}

// Composes unrecorded: the backward operator of the entry is the gradient.
absl::Status EagerCall::ComposeRecorded() {
  {
    const NoGradGuard guard;
    SY_RETURN_IF_ERROR(Compose());
  }
  // A node belongs to the result alone: one that is an input itself is shared.
  for (Tensor& result : results()) {
    for (const Tensor* input : inputs_.all().elements()) {
      if (Present(input) && input->impl() == result.impl()) {
        result = Tensor(result.dense());
      }
    }
  }
  Finish();
  return absl::OkStatus();
}

// Composes unrecorded, and writes what came of it.
absl::Status EagerCall::ComposeInPlace() {
  {
    const NoGradGuard guard;
    SY_RETURN_IF_ERROR(Compose());
  }
  SY_RETURN_IF_ERROR(WriteComposed(op_, given_, {results(), output_segments_}));
  Finish();
  return absl::OkStatus();
}

bool EagerCall::NeedsNode() const {
  if (!needs_grad_ || op_.grad == nullptr) return false;
  for (const int argument : op_.grad->outputs) {
    for (const Tensor* input : inputs_.all().list(argument)) {
      if (Present(input) && input->requires_grad()) return true;
    }
  }
  return false;
}

// Makes `tensor` output number `slot` of `node`. A tensor that was written in
// place leaves the hooks with its old value, and takes along that its gradient
// is to be kept.
void EagerCall::Attach(RefPtr<GradNode> node, uint32_t slot,
                       const Tensor& tensor) {
  TensorImpl& impl = *tensor.impl();
  const bool retain = tensor.retains_grad();
  if (impl.meta()) impl.SetMeta(nullptr);
  impl.SetNode(std::move(node), slot);
  if (retain) {
    impl.MutableMeta().set_retain_grad();
    impl.node()->SetMeta(slot, impl.meta());
  }
  if (ViewGroup* group = impl.view_group()) group->SetRequiresGrad();
}

// An operator without a gradient is `detach`: its result shares the memory and
// the version, and nothing else.
void EagerCall::JoinView(const Tensor& base, const Tensor& view) const {
  if (op_.grad == nullptr && op_.composite == nullptr) return;
  if (view.dense().buffer() != base.dense().buffer()) return;
  const bool recorded = CurrentGradMode() == GradMode::kOn;
  // A view that a composite made may be a member already.
  const bool known = view.impl()->view_group() != nullptr;
  view.impl()->JoinViewGroup(base.impl()->GetOrCreateViewGroup());
  if (known || !recorded) {
    view.impl()->view_group()->SetRecorded(view.impl().get(), recorded);
  }
}

void EagerCall::Finish() {
  RefPtr<GradNode> owner;
  OperatorNode* node = nullptr;
  if (NeedsNode()) {
    node = NewOperatorNode(op_, inputs_.all(), attrs_, output_segments_);
    owner = RefPtr<GradNode>::Adopt(node);
  }
  for (int output = 0; output < output_segments_.arguments(); ++output) {
    const OutputInfo& info = info_.outputs[output];
    const int begin = output_segments_.begin(output);
    for (int slot = begin; slot < output_segments_.end(output); ++slot) {
      Tensor& result = results_[slot];
      if (!result.defined()) continue;
      if (result.dtype() == DataType::kUndefined) {
        result = Tensor();  // Optional, and the kernel did not make it.
      } else if (const Tensor* target = InplaceTarget(output, slot - begin)) {
        FinishInplace(*target, &result);
      } else if (info.view_of >= 0) {
        JoinView(inputs_.all().one(info.view_of), result);
      }
    }
  }
  if (node != nullptr) {
    node->SaveOutputs({results_, output_segments_});
    AttachOutputs(std::move(owner));
  }
}

void EagerCall::AttachOutputs(RefPtr<GradNode> node) {
  const bool single = results_.size() == 1;
  const ArgList<const Tensor> outputs(results_, output_segments_);
  for (const auto [output, slot, result] : outputs) {
    if (result.defined() &&
        IsDifferentiable(*op_.grad, output, result.dtype())) {
      Attach(single ? std::move(node) : node, slot, result);
      if (inplace_ && info_.outputs[output].inplace_of >= 0) {
        CarryToViews(result);
      }
    }
  }
}

// Runs `call`; nothing is assigned to `outputs` before all is done.
absl::Status RunInto(EagerCall& call, absl::Span<Tensor> outputs) {
  SY_RETURN_IF_ERROR(call.Run());
  const absl::Span<Tensor> results = call.results();
  std::move(results.begin(), results.end(), outputs.begin());
  return absl::OkStatus();
}

}  // namespace

absl::Status RunWanted(const EagerOp& op, const InputTensors& inputs,
                       absl::Span<const AttrRef> attrs,
                       absl::Span<const bool> wanted,
                       absl::Span<Tensor> outputs) {
  EagerCall call(op, inputs, attrs, wanted);
  return RunInto(call, outputs);
}

absl::Status Run(const EagerOp& op, const InputTensors& inputs,
                 absl::Span<const AttrRef> attrs, absl::Span<Tensor> outputs) {
  EagerCall call(op, inputs, attrs);
  return RunInto(call, outputs);
}

absl::Status Run(const EagerOp& op, const InputTensors& inputs,
                 absl::Span<const AttrRef> attrs,
                 std::vector<Tensor>* outputs) {
  EagerCall call(op, inputs, attrs);
  SY_RETURN_IF_ERROR(call.Run());
  const absl::Span<Tensor> results = call.results();
  outputs->assign(std::make_move_iterator(results.begin()),
                  std::make_move_iterator(results.end()));
  return absl::OkStatus();
}

}  // namespace switchyard::eager
