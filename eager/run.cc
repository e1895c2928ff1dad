// SPDX-License-Identifier: Apache-2.0
#include "eager/run.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/grad_mode.h"
#include "eager/autograd/view_family.h"
#include "eager/composite_ops.h"
#include "eager/inplace.h"
#include "eager/operator_node.h"
#include "framework/base/small_array.h"
#include "framework/device/generator.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/dispatch/call.h"
#include "phi/promotion/promotion.h"

namespace switchyard::eager {
namespace {

using phi::OpInfo;
using phi::OutputInfo;
using phi::Slots;
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
  EagerCall(const EagerOp& op, absl::Span<const Tensor* const> inputs,
            Slots slots, absl::Span<const AttrRef> attrs,
            absl::Span<const bool> wanted = {})
      : op_(op),
        info_(*op.info),
        given_(inputs),
        inputs_(inputs),
        slots_(slots),
        attrs_(attrs),
        wanted_(wanted),
        output_slots_(static_cast<int>(info_.outputs.size())),
        inplace_(op.inplace || info_.has(Trait::kInplaceOnly)) {}

  absl::Status Run() {
    SY_RETURN_IF_ERROR(LayOutOutputs());
    needs_grad_ = CurrentGradMode() == GradMode::kOn && SomeInputRequiresGrad();
    if (inplace_) {
      SY_RETURN_IF_ERROR(CheckInplace(op_, inputs_, slots_, needs_grad_));
    }
    if (info_.has(Trait::kRandom)) SY_RETURN_IF_ERROR(DrawRandomState());
    if (needs_grad_ && info_.promotion.inputs != 0 && MayPromote()) {
      SY_RETURN_IF_ERROR(CastPromoted());
    }
    if (UsesComposite()) return Compose();
    SY_RETURN_IF_ERROR(Dispatch());
    Finish();
    return absl::OkStatus();
  }

  // By output slot, once Run() succeeded; undefined where not wanted.
  absl::Span<Tensor> results() {
    return absl::MakeSpan(results_.data(), results_.size());
  }

 private:
  absl::Status LayOutOutputs();
  bool SomeInputRequiresGrad() const;
  bool UsesComposite() const;
  absl::Status DrawRandomState();
  bool MayPromote() const;
  absl::Status CastPromoted();
  absl::Status Dispatch();
  bool ExpectRows(const phi::OpRow& row, absl::Span<TensorBase*> outputs);
  absl::Status CheckRequiredInputs() const;
  absl::Status Compose();
  void Finish();
  bool NeedsNode() const;
  void AttachOutputs(RefPtr<GradNode> node);
  static void Attach(RefPtr<GradNode> node, uint32_t slot,
                     const Tensor& tensor);
  static void JoinView(const Tensor& base, const Tensor& view);
  void ReplaceInput(int slot, Tensor tensor);
  // The input that output argument `output` writes in place; null if it is an
  // output of its own.
  const Tensor* InplaceTarget(int output, int k) const;
  bool IsWanted(int slot) const { return wanted_.empty() || wanted_[slot]; }

  const EagerOp& op_;
  const OpInfo& info_;
  absl::Span<const Tensor* const> given_;
  // With promoted ones cast and the random state filled in.
  absl::Span<const Tensor* const> inputs_;
  Slots slots_;
  absl::Span<const AttrRef> attrs_;
  absl::Span<const bool> wanted_;  // Empty: all.
  Slots output_slots_;
  absl::InlinedVector<uint16_t, kInline> output_begins_;
  bool inplace_;
  bool needs_grad_ = false;
  // Where some input is not the given one: all of them, and those that are
  // this call's own.
  struct Replacements {
    std::vector<const Tensor*> inputs;
    std::vector<Tensor> own;
  };
  std::unique_ptr<Replacements> replacements_;
  SmallArray<Tensor, kInlineOutputs> results_;  // What the kernel writes.
};

absl::Status EagerCall::LayOutOutputs() {
  if (!HasListOutput(info_)) return absl::OkStatus();
  output_begins_.resize(info_.outputs.size() + 1);
  const absl::Status status =
      phi::OutputSlots(info_, slots_, attrs_, output_begins_.data());
  if (!status.ok()) return Annotate(status, info_.name);
  output_slots_ = Slots(output_begins_.data(), output_slots_.arguments());
  return absl::OkStatus();
}

bool EagerCall::SomeInputRequiresGrad() const {
  for (const Tensor* input : inputs_) {
    if (Present(input) && input->requires_grad()) return true;
  }
  return false;
}

bool EagerCall::UsesComposite() const {
  if (op_.row == nullptr) return true;
  // The kernel's result would have no gradient; the composite's has.
  return needs_grad_ && op_.composite != nullptr && op_.grad == nullptr;
}

// Puts `tensor` into `slot` for the length of the call.
void EagerCall::ReplaceInput(int slot, Tensor tensor) {
  if (replacements_ == nullptr) {
    replacements_ = std::make_unique<Replacements>();
    replacements_->inputs.assign(inputs_.begin(), inputs_.end());
    // Never reallocated: `inputs` points into it.
    replacements_->own.reserve(inputs_.size());
    inputs_ = replacements_->inputs;
  }
  replacements_->own.push_back(std::move(tensor));
  replacements_->inputs[slot] = &replacements_->own.back();
}

absl::Status EagerCall::DrawRandomState() {
  const int rng = info_.input_index("rng");
  if (rng < 0 || Present(inputs_[slots_.begin(rng)])) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      CpuAllocator().Allocate(2 * sizeof(int64_t)));
  DenseTensor state;
  state.SetMeta(DataType::kInt64, {2}, Place::Cpu());
  state.SetBuffer(std::move(buffer));
  const RngState reserved = DefaultGenerator().Reserve(1);
  state.mutable_data<int64_t>()[0] = reserved.seed;
  state.mutable_data<int64_t>()[1] = reserved.offset;
  ReplaceInput(slots_.begin(rng), Tensor(std::move(state)));
  return absl::OkStatus();
}

// False if all inputs have the dtype that promotion would give them.
bool EagerCall::MayPromote() const {
  if (info_.promotion.integer_to_float) return true;
  DataType first = DataType::kUndefined;
  for (const Tensor* input : inputs_) {
    if (!Present(input)) continue;
    if (first == DataType::kUndefined) first = input->dtype();
    if (input->dtype() != first) return true;
  }
  return false;
}

// Casts those promoted inputs that require grad, recorded; the others are
// dispatch's to cast, which comes to the same dtype.
absl::Status EagerCall::CastPromoted() {
  absl::InlinedVector<phi::promotion::Operand, kInline> operands;
  absl::InlinedVector<int, kInline> slots;
  for (int input = 0; input < slots_.arguments(); ++input) {
    if ((info_.promotion.inputs >> input & 1) == 0) continue;
    for (int slot = slots_.begin(input); slot < slots_.end(input); ++slot) {
      if (!Present(inputs_[slot])) continue;
      operands.push_back({info_.inputs[input].name, inputs_[slot]->dtype(),
                          inputs_[slot]->rank() == 0});
      slots.push_back(slot);
    }
  }
  absl::StatusOr<DataType> dtype =
      phi::promotion::Promote(operands, info_.promotion.integer_to_float);
  if (!dtype.ok()) return Annotate(dtype.status(), info_.name);
  for (int slot : slots) {
    const Tensor& input = *inputs_[slot];
    if (input.dtype() == *dtype || !input.requires_grad()) continue;
    const AttrRef attrs[] = {*dtype};
    Tensor cast;
    SY_RETURN_IF_ERROR(eager::Run(*op_.autograd->cast, {&input}, Slots(1),
                                  attrs, absl::MakeSpan(&cast, 1)));
    ReplaceInput(slot, std::move(cast));
  }
  return absl::OkStatus();
}

const Tensor* EagerCall::InplaceTarget(int output, int k) const {
  const int input = info_.outputs[output].inplace_of;
  if (!inplace_ || input < 0) return nullptr;
  return given_[slots_.begin(input) + k];
}

absl::Status EagerCall::Dispatch() {
  SmallArray<const TensorBase*, kInline> inputs(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (Present(inputs_[i])) inputs[i] = &inputs_[i]->base();
  }
  results_.Reset(output_slots_.size());
  SmallArray<TensorBase*, kInlineOutputs> outputs(results_.size());
  for (int output = 0; output < output_slots_.arguments(); ++output) {
    const OutputInfo& info = info_.outputs[output];
    const int begin = output_slots_.begin(output);
    for (int slot = begin; slot < output_slots_.end(output); ++slot) {
      const bool written_in_place = inplace_ && info.inplace_of >= 0;
      const Tensor* target = InplaceTarget(output, slot - begin);
      if (written_in_place && !Present(target)) continue;
      if (info.optional && !IsWanted(slot)) continue;
      results_[slot] = written_in_place
                           ? Tensor(target->dense())
                           : Tensor(RefPtr<TensorBody>::Adopt(new TensorBody));
      outputs[slot] = &results_[slot].mutable_dense();
    }
  }
  const phi::OpRow& row = *op_.row->load(std::memory_order_acquire);
  absl::Status status =
      phi::dispatch::Call(info_, inputs, slots_, attrs_, outputs, output_slots_)
          .Run(row);
  // Nothing was computed yet when the kernel turned out to yield rows.
  if (__builtin_expect(!status.ok(), 0) && IsTypeError(status) &&
      ExpectRows(row, absl::MakeSpan(outputs.data(), outputs.size()))) {
    status = phi::dispatch::Call(info_, inputs, slots_, attrs_, outputs,
                                 output_slots_)
                 .Run(row);
  }
  return status;
}

// Results that some kernel of the row yields as SelectedRows become such. False
// if there are none.
bool EagerCall::ExpectRows(const phi::OpRow& row,
                           absl::Span<TensorBase*> outputs) {
  bool found = false;
  for (const phi::KernelDef* kernel : row.kernels) {
    for (size_t i = 0; i < kernel->outputs.size(); ++i) {
      const int slot = output_slots_.begin(static_cast<int>(i));
      if (kernel->outputs[i].kind != TensorKind::kSelectedRows ||
          outputs[slot] == nullptr ||
          outputs[slot]->kind() == TensorKind::kSelectedRows) {
        continue;
      }
      results_[slot] = Tensor(SelectedRows());
      outputs[slot] = results_[slot].body()->mutable_rows();
      found = true;
    }
  }
  return found;
}

// What dispatch checks for kernels.
absl::Status EagerCall::CheckRequiredInputs() const {
  for (int input = 0; input < slots_.arguments(); ++input) {
    const phi::InputInfo& info = info_.inputs[input];
    if (info.optional) continue;
    for (int slot = slots_.begin(input); slot < slots_.end(input); ++slot) {
      if (Present(inputs_[slot])) continue;
      return Annotate(ArgumentError(info.name, "given", "none"), info_.name);
    }
  }
  return absl::OkStatus();
}

absl::Status EagerCall::Compose() {
  SY_RETURN_IF_ERROR(CheckRequiredInputs());
  absl::InlinedVector<bool, kInline> wanted(output_slots_.size(), true);
  for (int slot = 0; slot < output_slots_.size(); ++slot) {
    wanted[slot] = IsWanted(slot);
  }
  results_.Reset(output_slots_.size());
  CompositeCall call(inputs_, slots_, attrs_, wanted, results(), output_slots_);
  absl::Status status = op_.composite(call);
  return status.ok() ? status : Annotate(status, info_.name);
}

bool EagerCall::NeedsNode() const {
  if (!needs_grad_ || op_.grad == nullptr) return false;
  for (int8_t input : op_.grad->outputs) {
    for (int slot = slots_.begin(input); slot < slots_.end(input); ++slot) {
      if (Present(inputs_[slot]) && inputs_[slot]->requires_grad()) return true;
    }
  }
  return false;
}

// Makes `tensor` output number `slot` of `node`. A tensor that was written in
// place leaves the hooks with its old value, and takes along that its gradient
// is to be kept.
void EagerCall::Attach(RefPtr<GradNode> node, uint32_t slot,
                       const Tensor& tensor) {
  TensorBody& body = *tensor.body();
  const bool retain = tensor.retains_grad();
  if (body.meta()) body.SetMeta(nullptr);
  body.SetNode(std::move(node), slot);
  if (retain) {
    body.MutableMeta().set_retain_grad();
    body.node()->SetMeta(slot, body.meta());
  }
  if (ViewFamily* family = body.family()) family->SetRequiresGrad();
}

void EagerCall::JoinView(const Tensor& base, const Tensor& view) {
  if (view.dense().buffer() != base.dense().buffer()) return;
  view.body()->JoinFamily(base.body()->FoundFamily());
}

void EagerCall::Finish() {
  RefPtr<GradNode> owner;
  OperatorNode* node = nullptr;
  if (NeedsNode()) {
    node = new OperatorNode(op_, inputs_, slots_, attrs_, output_slots_);
    owner = RefPtr<GradNode>::Adopt(node);
  }
  for (int output = 0; output < output_slots_.arguments(); ++output) {
    const OutputInfo& info = info_.outputs[output];
    const int begin = output_slots_.begin(output);
    for (int slot = begin; slot < output_slots_.end(output); ++slot) {
      Tensor& result = results_[slot];
      if (!result.defined()) continue;
      if (result.dtype() == DataType::kUndefined) {
        result = Tensor();  // Optional, and the kernel did not make it.
      } else if (const Tensor* target = InplaceTarget(output, slot - begin)) {
        result.dense().buffer()->BumpVersion();
        result = *target;
      } else if (info.view_of >= 0) {
        JoinView(*inputs_[slots_.begin(info.view_of)], result);
      }
    }
  }
  if (node != nullptr) {
    node->SaveOutputs(results_, output_slots_);
    AttachOutputs(std::move(owner));
  }
}

void EagerCall::AttachOutputs(RefPtr<GradNode> node) {
  const bool single = results_.size() == 1;
  for (int output = 0; output < output_slots_.arguments(); ++output) {
    const int end = output_slots_.end(output);
    for (int slot = output_slots_.begin(output); slot < end; ++slot) {
      const Tensor& result = results_[slot];
      if (result.defined() &&
          IsDifferentiable(*op_.grad, output, result.dtype())) {
        Attach(single ? std::move(node) : node, slot, result);
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

absl::Status RunWanted(const EagerOp& op,
                       absl::Span<const Tensor* const> inputs, Slots slots,
                       absl::Span<const AttrRef> attrs,
                       absl::Span<const bool> wanted,
                       absl::Span<Tensor> outputs) {
  EagerCall call(op, inputs, slots, attrs, wanted);
  return RunInto(call, outputs);
}

absl::Status Run(const EagerOp& op, absl::Span<const Tensor* const> inputs,
                 Slots slots, absl::Span<const AttrRef> attrs,
                 absl::Span<Tensor> outputs) {
  EagerCall call(op, inputs, slots, attrs);
  return RunInto(call, outputs);
}

absl::Status Run(const EagerOp& op, absl::Span<const Tensor* const> inputs,
                 Slots slots, absl::Span<const AttrRef> attrs,
                 std::vector<Tensor>* outputs) {
  EagerCall call(op, inputs, slots, attrs);
  SY_RETURN_IF_ERROR(call.Run());
  const absl::Span<Tensor> results = call.results();
  outputs->assign(std::make_move_iterator(results.begin()),
                  std::make_move_iterator(results.end()));
  return absl::OkStatus();
}

}  // namespace switchyard::eager
