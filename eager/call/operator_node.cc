// SPDX-License-Identifier: Apache-2.0
#include "eager/call/operator_node.h"

#include <string>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/anomaly_mode.h"
#include "eager/call/autograd_ops.h"
#include "eager/call/run.h"
#include "framework/base/small_array.h"
#include "phi/core/added_kernels.h"
#include "phi/core/anomaly/anomaly.h"

namespace switchyard::eager {
namespace {

using phi::ArgSegments;
using phi::GradInfo;
using phi::GradSource;
using Kind = GradSource::Kind;

absl::Status StateError(std::string_view op, std::string_view argument,
                        std::string_view expected, std::string_view got) {
  std::string message(op);
  message.append(": ").append(argument).append(" must be ");
  message.append(expected).append(", got ").append(got);
  return absl::FailedPreconditionError(message);
}

DenseTensor WithoutBuffer(const DenseTensor& dense) {
  return DenseTensor(dense.meta(), nullptr);
}

}  // namespace

bool IsDifferentiable(const GradInfo& grad, int output, DataType dtype) {
  if (!::switchyard::IsDifferentiable(dtype)) return false;
  for (const GradSource& source : grad.inputs) {
    if (source.kind == Kind::kOutputGrad && source.index == output) return true;
  }
  return false;
}

bool ReadsElements(const EagerOp& op, int backward_input,
                   const InputTensors& inputs) {
  const GradInfo& grad = *op.grad;
  if (grad.backward->inputs[backward_input].no_need_buffer) return false;
  const absl::Span<const int8_t> reads_alone = op.backward->reads_alone;
  for (size_t i = 0; i < reads_alone.size(); ++i) {
    if (reads_alone[i] != backward_input) continue;
    for (const Tensor* tensor : inputs.list(grad.outputs[i])) {
      if (tensor != nullptr && tensor->defined() && tensor->requires_grad()) {
        return true;
      }
    }
    // A kernel reads all that the operator takes.
    return phi::AddedKernels(*op.backward->info) != nullptr;
  }
  return true;
}

OperatorNode::OperatorNode(const EagerOp& op, const InputTensors& inputs,
                           absl::Span<const AttrRef> attrs,
                           const ArgSegments& outputs)
    : GradNode(outputs.size()), op_(op) {
  const GradInfo& grad = *op.grad;
  for (const int argument : grad.outputs) {
    for (const Tensor* tensor : inputs.list(argument)) {
      const bool present = tensor != nullptr && tensor->defined();
      AddEdge(present ? Edge{tensor->impl()->node(), tensor->impl()->output()}
                      : Edge{});
    }
  }
  size_t saved = 0;
  for (const GradSource& source : grad.inputs) {
    const bool is_input = source.kind == Kind::kInput;
    const int count =
        (is_input ? inputs.segments() : outputs).size(source.index);
    backward_inputs_.Add(count);
    if (source.kind != Kind::kOutputGrad) saved += count;
  }
  saved_.resize(saved);
  Saved* next = saved_.data();
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    const GradSource& source = grad.inputs[i];
    if (source.kind == Kind::kOutputGrad) continue;
    if (source.kind == Kind::kOutput) {
      // SaveOutputs fills them in, when they are there.
      next += backward_inputs_.segments().size(static_cast<int>(i));
      continue;
    }
    const bool reads = ReadsElements(op, static_cast<int>(i), inputs);
    for (const Tensor* input : inputs.list(source.index)) {
      Save(input, !reads, next++);
    }
  }
  for (int i = 0; i < outputs.arguments(); ++i) outputs_.Add(outputs.size(i));
  attrs_.reserve(grad.attrs.size());
  for (size_t i = 0; i < grad.attrs.size(); ++i) {
    const int from = grad.attrs[i];
    attrs_.emplace_back(from >= 0 ? attrs[from]
                                  : grad.backward->attrs[i].default_value);
  }
}

void OperatorNode::Save(const Tensor* input, bool metadata_only,
                        Saved* saved) const {
  if (input == nullptr || !input->defined()) return;
  saved->metadata_only = metadata_only;
  if (ABSL_PREDICT_TRUE(input->kind() == TensorKind::kDense)) {
    const DenseTensor& dense = input->dense();
    if (metadata_only) {
      saved->dense = WithoutBuffer(dense);
    } else {
      saved->dense = dense;
    }
  } else {
    saved->other = CopyTensor(input->base());
  }
  saved->version = input->version();
  const RefPtr<GradNode>& node = input->impl()->node();
  const uint32_t output = input->impl()->output();
  if (!node) return;
  for (size_t i = 0; i < edges().size(); ++i) {
    if (edges()[i].node == node && edges()[i].output == output) {
      saved->edge_number = static_cast<int32_t>(i);
      return;
    }
  }
  saved->edge = {node, output};
}

void OperatorNode::SaveOutputs(const phi::ArgList<const Tensor>& outputs) {
  const GradInfo& grad = *op_.grad;
  size_t next = 0;
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    const GradSource& source = grad.inputs[i];
    if (source.kind == Kind::kOutputGrad) continue;
    const bool is_output = source.kind == Kind::kOutput;
    const phi::InputInfo& info = grad.backward->inputs[i];
    const int count = backward_inputs_.segments().size(static_cast<int>(i));
    for (int k = 0; k < count; ++k, ++next) {
      if (!is_output) continue;
      const uint32_t slot = outputs.segments().begin(source.index) + k;
      Save(&outputs[slot], info.no_need_buffer, &saved_[next]);
      // No edge to this node itself: Unpack adds it when it is needed. Nor
      // to what an in-place operator wrote over.
      saved_[next].edge_number = -1;
      saved_[next].edge = {nullptr, slot};
    }
  }
  if (outputs.size() == 1) return;
  output_metas_.resize(outputs.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (!outputs[slot].defined()) continue;
    output_metas_[slot] = {outputs[slot].shape(), outputs[slot].dtype()};
  }
}

absl::Status OperatorNode::CheckVersion(const Saved& saved,
                                        const char* argument) const {
  const TensorBase& tensor = saved.tensor();
  if (saved.metadata_only || !tensor.allocated()) return absl::OkStatus();
  const uint32_t version = tensor.buffer()->version();
  if (version == saved.version) return absl::OkStatus();
  return StateError(op_.info->name, argument,
                    "at version " + std::to_string(saved.version) +
                        " (as saved for the gradient)",
                    "version " + std::to_string(version) +
                        ": an in-place operator wrote it meanwhile");
}

absl::StatusOr<Tensor> OperatorNode::Unpack(const Saved& saved,
                                            const GradSource& source,
                                            const char* argument) {
  const DataType dtype = saved.tensor().dtype();
  if (dtype == DataType::kUndefined) return Tensor();
  SY_RETURN_IF_ERROR(CheckVersion(saved, argument));
  Tensor tensor = saved.other == nullptr
                      ? Tensor(saved.dense)
                      : Tensor(RefPtr<TensorImpl>::Adopt(
                            new TensorImpl(CopyTensor(*saved.other))));
  if (CurrentGradMode() == GradMode::kOff) return tensor;
  const Edge& edge =
      saved.edge_number >= 0 ? edges()[saved.edge_number] : saved.edge;
  RefPtr<GradNode> node = edge.node;
  if (source.kind == Kind::kOutput &&
      IsDifferentiable(*op_.grad, source.index, dtype)) {
    node = RefPtr<GradNode>::Share(this);
  }
  tensor.impl()->SetNode(std::move(node), edge.output);
  return tensor;
}

absl::StatusOr<Tensor> OperatorNode::Zeros(const OutputMeta& meta,
                                           Place place) const {
  if (op_.autograd == nullptr) {
    return absl::FailedPreconditionError(std::string(name()) +
                                         ": an output has no gradient, and the "
                                         "operator can't make zeros for it");
  }
  return op_.autograd->Filled(meta.shape, meta.dtype, 0.0, place);
}

absl::StatusOr<Tensor> OperatorNode::MissingOutputGrad(
    const GradCall& call, uint32_t slot, const phi::InputInfo& info) const {
  if (info.optional) return Tensor();
  const OutputMeta& meta = output_metas_[slot];
  if (meta.dtype == DataType::kUndefined) return Tensor();
  // The node runs since some gradient came; all of them lie on one place.
  for (const Tensor& grad : call.output_grads) {
    if (grad.defined()) return Zeros(meta, grad.place());
  }
  return Zeros(meta, Place::Cpu());
}

// Backward operators take no SelectedRows.
absl::Status OperatorNode::MakeDense(Tensor* gradient) const {
  if (op_.autograd == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(*gradient, op_.autograd->Densify(*gradient));
  return absl::OkStatus();
}

absl::Status OperatorNode::GatherInputs(const GradCall& call, Inputs* inputs) {
  const GradInfo& grad = *op_.grad;
  size_t next = 0;
  for (size_t i = 0; i < grad.inputs.size(); ++i) {
    const GradSource& source = grad.inputs[i];
    const phi::InputInfo& info = grad.backward->inputs[i];
    const int count = backward_inputs_.segments().size(static_cast<int>(i));
    const int begin = source.kind == Kind::kOutputGrad
                          ? outputs_.segments().begin(source.index)
                          : 0;
    for (int k = 0; k < count; ++k) {
      if (source.kind == Kind::kOutputGrad &&
          call.output_grads[begin + k].defined()) {
        // Copied, not moved: an operator may take one gradient twice.
        inputs->push_back(call.output_grads[begin + k]);
        if (ABSL_PREDICT_FALSE(inputs->back().kind() ==
                               TensorKind::kSelectedRows)) {
          SY_RETURN_IF_ERROR(MakeDense(&inputs->back()));
        }
        continue;
      }
      absl::StatusOr<Tensor> input =
          source.kind == Kind::kOutputGrad
              ? MissingOutputGrad(call, begin + k, info)
              : Unpack(saved_[next++], source, info.name);
      if (!input.ok()) return input.status();
      inputs->push_back(*std::move(input));
    }
  }
  return absl::OkStatus();
}

// A gradient that is not recorded, though it depends on what requires grad,
// would be taken for a constant. A saved result depends on the inputs even if
// no gradient flows into it, as into the softmax of a cross entropy.
absl::Status OperatorNode::CheckCreateGraph(
    absl::Span<const Tensor> inputs) const {
  const EagerOp& backward = *op_.backward;
  if (CurrentGradMode() == GradMode::kOff || backward.composite != nullptr ||
      backward.grad != nullptr) {
    return absl::OkStatus();
  }
  const phi::ArgList<const Tensor> list(inputs, backward_inputs_.segments());
  for (const auto [argument, slot, input] : list) {
    const bool result = op_.grad->inputs[argument].kind == Kind::kOutput;
    if (!input.defined() ||
        !(input.requires_grad() ||
          (result && ::switchyard::IsDifferentiable(input.dtype())))) {
      continue;
    }
    return StateError(name(), "create_graph", "false",
                      "true: its gradient has no gradient itself");
  }
  return absl::OkStatus();
}

absl::Status OperatorNode::Apply(const GradCall& call) {
  if (released_) {
    return StateError(name(), "graph",
                      "run backward once (or the runs before "
                      "the last with retain_graph)",
                      "freed saved tensors");
  }
  Inputs inputs;
  SY_RETURN_IF_ERROR(GatherInputs(call, &inputs));
  SY_RETURN_IF_ERROR(CheckCreateGraph(inputs));
  SmallArray<const Tensor*, 8> pointers(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = &inputs[i];
  SmallArray<AttrRef, 8> attrs(attrs_.size());
  for (size_t i = 0; i < attrs_.size(); ++i) attrs[i] = attrs_[i].ref();
  const absl::Status status =
      RunWanted(*op_.backward, {pointers, backward_inputs_.segments()}, attrs,
                call.wanted, call.input_grads);
  if (ABSL_PREDICT_TRUE(status.ok())) return status;
  return phi::PlaceAnomaly(status, PlaceText());
}

std::string OperatorNode::PlaceText() const {
  return std::string("; where ") + op_.info->name +
         " was called is not known, since detect_anomaly was off then";
}

std::string PlacedOperatorNode::PlaceText() const {
  return place_.empty() ? place_ : " (at " + place_ + ")";
}

OperatorNode* NewOperatorNode(const EagerOp& op, const InputTensors& inputs,
                              absl::Span<const AttrRef> attrs,
                              const ArgSegments& outputs) {
  if (ABSL_PREDICT_TRUE(!DetectsAnomalies())) {
    return new OperatorNode(op, inputs, attrs, outputs);
  }
  return new PlacedOperatorNode(CurrentCallSite(), op, inputs, attrs, outputs);
}

const GradArithmetic* OperatorNode::arithmetic() const { return op_.autograd; }

void OperatorNode::ReleaseSaved() {
  released_ = true;
  saved_.clear();
}

}  // namespace switchyard::eager
