// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/engine.h"

#include <algorithm>
#include <queue>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "eager/autograd/backward_steps.h"
#include "eager/autograd/grad_mode.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/grad_node.h"
#include "phi/promotion/autocast.h"

namespace switchyard::eager {
namespace {

// A gradient that Grad() returns: of output `output` of step `step`.
struct Capture {
  uint32_t step;
  uint32_t output;
  Tensor grad;
};

// One backward run. The steps' nodes are kept alive by the outputs' nodes,
// which the run holds.
class BackwardRun {
 public:
  BackwardRun(bool retain_graph, const GradArithmetic& arithmetic)
      : retain_graph_(retain_graph), arithmetic_(arithmetic) {}

  // Finds the nodes that lead to `outputs` and, if `inputs` are given, which of
  // them lie before those.
  absl::Status Plan(absl::Span<const Tensor> outputs,
                    const absl::Span<const Tensor>* inputs, bool allow_unused);
  absl::Status Start(const Tensor& output, Tensor grad);
  absl::Status Loop();
  // The gradients of Plan's inputs, in their order; zeros where none arrived.
  absl::StatusOr<std::vector<Tensor>> TakeCaptures(
      absl::Span<const Tensor> inputs);

 private:
  void Discover(absl::Span<const Tensor> outputs);
  absl::Status MarkCaptures(absl::Span<const Tensor> inputs, bool allow_unused);
  void MarkNeeded();
  void CountEdges();
  absl::Status Deliver(uint32_t step, uint32_t output, Tensor grad);
  absl::Status RunStep(Step& step, uint32_t index);
  absl::Status RunHooks(Step& step);
  void CollectCaptures(const Step& step, uint32_t index);
  absl::Status RunNode(Step& step);
  void MarkArrived(uint32_t step);
  // Somebody waits for gradients that arrive at the step.
  bool IsWanted(uint32_t step) const {
    return steps_[step].needed || steps_[step].captured;
  }

  const bool retain_graph_;
  const GradArithmetic& arithmetic_;
  std::vector<RefPtr<GradNode>> roots_;
  BackwardSteps steps_;
  std::vector<Capture> captures_;
  // For each of Grad()'s inputs the number of its capture, or -1 if it is not
  // reached.
  std::vector<int> capture_of_input_;
  // Steps whose gradients are all there: (sequence number, step).
  std::priority_queue<std::pair<uint64_t, uint32_t>> ready_;
};

void BackwardRun::Discover(absl::Span<const Tensor> outputs) {
  for (const Tensor& output : outputs) {
    roots_.push_back(output.impl()->node());
    steps_.Add(roots_.back().get());
  }
  // steps_ grows while it is walked.
  for (size_t i = 0; i < steps_.size(); ++i) {
    absl::InlinedVector<uint32_t, 2> inputs;
    for (const Edge& edge : steps_[i].node->edges()) {
      inputs.push_back(edge.node ? steps_.Add(edge.node.get()) : kNoStep);
    }
    steps_[i].inputs = std::move(inputs);
  }
}

absl::Status BackwardRun::MarkCaptures(absl::Span<const Tensor> inputs,
                                       bool allow_unused) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorImpl& impl = *inputs[i].impl();
    const uint32_t step = steps_.Find(impl.node().get());
    if (step == kNoStep) {
      if (!allow_unused) {
        return absl::InvalidArgumentError(
            "the outputs do not depend on inputs[" + std::to_string(i) +
            "]; set allow_unused to get no gradient");
      }
      capture_of_input_.push_back(-1);
      continue;
    }
    steps_[step].captured = true;
    capture_of_input_.push_back(static_cast<int>(captures_.size()));
    captures_.push_back({step, impl.output(), Tensor()});
  }
  return absl::OkStatus();
}

// A node has to run if a captured gradient lies beyond it.
void BackwardRun::MarkNeeded() {
  // Inputs have smaller sequence numbers than what consumes them.
  std::vector<uint32_t> order(steps_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return steps_[a].node->sequence() < steps_[b].node->sequence();
  });
  for (uint32_t i : order) {
    for (uint32_t input : steps_[i].inputs) {
      if (input != kNoStep) steps_[i].needed |= IsWanted(input);
    }
  }
}

void BackwardRun::CountEdges() {
  for (const Step& step : steps_) {
    if (!step.needed) continue;
    for (uint32_t input : step.inputs) {
      if (input != kNoStep) ++steps_[input].awaited;
    }
  }
}

absl::Status BackwardRun::Plan(absl::Span<const Tensor> outputs,
                               const absl::Span<const Tensor>* inputs,
                               bool allow_unused) {
  Discover(outputs);
  if (inputs != nullptr) {
    SY_RETURN_IF_ERROR(MarkCaptures(*inputs, allow_unused));
    MarkNeeded();
  } else {
    for (Step& step : steps_) step.needed = true;
  }
  CountEdges();
  return absl::OkStatus();
}

absl::Status BackwardRun::Deliver(uint32_t index, uint32_t output,
                                  Tensor grad) {
  Tensor& sum = steps_[index].grads[output];
  if (!sum.defined()) {
    sum = std::move(grad);
  } else if (grad.defined()) {
    SY_ASSIGN_OR_RETURN(sum, arithmetic_.Add(sum, grad));
  }
  return absl::OkStatus();
}

absl::Status BackwardRun::Start(const Tensor& output, Tensor grad) {
  const TensorImpl& impl = *output.impl();
  return Deliver(steps_.Add(impl.node().get()), impl.output(), std::move(grad));
}

absl::Status BackwardRun::RunHooks(Step& step) {
  for (uint32_t output = 0; output < step.grads.size(); ++output) {
    Tensor& grad = step.grads[output];
    AutogradMeta* meta = step.node->meta(output);
    if (meta == nullptr || !grad.defined()) continue;
    SY_RETURN_IF_ERROR(meta->RunHooks(&grad));
    if (meta->retain_grad()) {
      SY_RETURN_IF_ERROR(meta->Accumulate(grad, arithmetic_));
    }
  }
  return absl::OkStatus();
}

void BackwardRun::CollectCaptures(const Step& step, uint32_t index) {
  for (Capture& capture : captures_) {
    if (capture.step == index) capture.grad = step.grads[capture.output];
  }
}

void BackwardRun::MarkArrived(uint32_t index) {
  Step& step = steps_[index];
  if (--step.awaited == 0) ready_.push({step.node->sequence(), index});
}

absl::Status BackwardRun::RunNode(Step& step) {
  const absl::Span<const Edge> edges = step.node->edges();
  absl::InlinedVector<Tensor, 4> input_grads(edges.size());
  const bool arrived =
      std::any_of(step.grads.begin(), step.grads.end(),
                  [](const Tensor& grad) { return grad.defined(); });
  if (arrived) {
    absl::InlinedVector<bool, 4> wanted(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) {
      wanted[i] = step.inputs[i] != kNoStep && IsWanted(step.inputs[i]);
    }
    GradCall call{absl::MakeSpan(step.grads), wanted,
                  absl::MakeSpan(input_grads), &arithmetic_};
    SY_RETURN_IF_ERROR(step.node->Apply(call));
    if (!retain_graph_) step.node->ReleaseSaved();
  }
  step.grads.clear();
  for (size_t i = 0; i < edges.size(); ++i) {
    const uint32_t input = step.inputs[i];
    if (input == kNoStep) continue;
    SY_RETURN_IF_ERROR(
        Deliver(input, edges[i].output, std::move(input_grads[i])));
    MarkArrived(input);
  }
  return absl::OkStatus();
}

absl::Status BackwardRun::Loop() {
  for (const RefPtr<GradNode>& root : roots_) {
    const uint32_t index = steps_.Find(root.get());
    Step& step = steps_[index];
    // An output that another one depends on waits; one that is listed twice
    // starts once.
    if (step.awaited != 0 || step.started) continue;
    step.started = true;
    ready_.push({step.node->sequence(), index});
  }
  while (!ready_.empty()) {
    const uint32_t index = ready_.top().second;
    ready_.pop();
    Step& step = steps_[index];
    SY_RETURN_IF_ERROR(RunHooks(step));
    if (step.captured) CollectCaptures(step, index);
    if (step.needed) SY_RETURN_IF_ERROR(RunNode(step));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Tensor>> BackwardRun::TakeCaptures(
    absl::Span<const Tensor> inputs) {
  std::vector<Tensor> grads(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (capture_of_input_[i] < 0) continue;
    grads[i] = captures_[capture_of_input_[i]].grad;
    if (grads[i].defined()) continue;
    SY_ASSIGN_OR_RETURN(grads[i], arithmetic_.FilledLike(inputs[i], 0.0));
  }
  return grads;
}

std::string Numbered(const char* name, size_t i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

absl::Status CheckRequiresGrad(const char* name,
                               absl::Span<const Tensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined() && tensors[i].kind() != TensorKind::kDense &&
        tensors[i].kind() != TensorKind::kSelectedRows) {
      return TypeError(Numbered(name, i), "dense", Name(tensors[i].kind()));
    }
    if (tensors[i].defined() && tensors[i].requires_grad()) continue;
    return absl::FailedPreconditionError(
        Numbered(name, i) + " must be a tensor that requires grad, got " +
        (tensors[i].defined() ? "one that does not" : "an undefined one"));
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(absl::Span<const Tensor> outputs,
                            const absl::Span<const Tensor>* inputs,
                            absl::Span<const Tensor> grad_outputs) {
  if (inputs != nullptr) {
    SY_RETURN_IF_ERROR(CheckRequiresGrad("inputs", *inputs));
  }
  if (!grad_outputs.empty() && grad_outputs.size() != outputs.size()) {
    return ArgumentError("grad_outputs",
                         "empty or " + std::to_string(outputs.size()) +
                             " tensors, one for each output",
                         std::to_string(grad_outputs.size()));
  }
  return CheckRequiresGrad("outputs", outputs);
}

// The gradient that output number i starts with, given or made.
absl::StatusOr<Tensor> FirstGrad(std::string_view function,
                                 absl::Span<const Tensor> outputs,
                                 absl::Span<const Tensor> grad_outputs,
                                 size_t i, const GradArithmetic& arithmetic) {
  constexpr char kName[] = "grad_outputs";
  if (i < grad_outputs.size() && grad_outputs[i].defined()) {
    // The number is for the error alone.
    if (CheckGradient(kName, grad_outputs[i], outputs[i]).ok()) {
      return grad_outputs[i];
    }
    return Annotate(
        CheckGradient(Numbered(kName, i), grad_outputs[i], outputs[i]),
        function);
  }
  if (outputs[i].numel() == 1) return arithmetic.FilledLike(outputs[i], 1.0);
  return Annotate(
      ArgumentError(Numbered(kName, i),
                    "given for an output of several elements",
                    "none for shape " + ToString(outputs[i].shape())),
      function);
}

// Stands in where only leaves take part, which know no operator.
class LeavesOnly final : public GradArithmetic {
 public:
  explicit LeavesOnly(std::string_view function) : function_(function) {}

  absl::StatusOr<Tensor> Add(const Tensor&, const Tensor&) const override {
    return Refusal();
  }
  absl::StatusOr<Tensor> Copy(const Tensor&) const override {
    return Refusal();
  }
  absl::StatusOr<Tensor> FilledLike(const Tensor&, double) const override {
    return Refusal();
  }
  absl::StatusOr<Tensor> Take(const Tensor&, const Region&) const override {
    return Refusal();
  }
  absl::StatusOr<Tensor> Put(const Tensor&, const Region&) const override {
    return Refusal();
  }
  absl::StatusOr<Tensor> Clear(const Tensor&, const Region&) const override {
    return Refusal();
  }

 private:
  absl::Status Refusal() const {
    return absl::FailedPreconditionError(
        std::string(function_) +
        ": outputs must be computed by an operator, got leaves only");
  }

  std::string_view function_;
};

const GradArithmetic& ArithmeticOf(absl::Span<const Tensor> outputs,
                                   const LeavesOnly& leaves_only) {
  for (const Tensor& output : outputs) {
    const GradArithmetic* arithmetic = output.grad_node()->arithmetic();
    if (arithmetic != nullptr) return *arithmetic;
  }
  return leaves_only;
}

// `inputs` null: accumulate into the leaves. Errors in the arguments name
// `function`, all others an operator.
absl::StatusOr<std::vector<Tensor>> RunBackward(
    std::string_view function, absl::Span<const Tensor> outputs,
    const absl::Span<const Tensor>* inputs,
    absl::Span<const Tensor> grad_outputs, const GradOptions& options) {
  SY_RETURN_IF_ERROR(
      Annotate(CheckArguments(outputs, inputs, grad_outputs), function));
  const bool retain = options.retain_graph.value_or(options.create_graph);
  const LeavesOnly leaves_only(function);
  const GradArithmetic& arithmetic = ArithmeticOf(outputs, leaves_only);
  BackwardRun run(retain, arithmetic);
  SY_RETURN_IF_ERROR(
      Annotate(run.Plan(outputs, inputs, options.allow_unused), function));
  std::vector<Tensor> grads(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    SY_ASSIGN_OR_RETURN(
        grads[i], FirstGrad(function, outputs, grad_outputs, i, arithmetic));
  }
  GradModeGuard mode(options.create_graph ? GradMode::kOn : GradMode::kOff);
  const phi::promotion::NoAutocastScope no_autocast;
  for (size_t i = 0; i < outputs.size(); ++i) {
    SY_RETURN_IF_ERROR(run.Start(outputs[i], std::move(grads[i])));
  }
  SY_RETURN_IF_ERROR(run.Loop());
  if (inputs == nullptr) return std::vector<Tensor>();
  return run.TakeCaptures(*inputs);
}

}  // namespace

absl::Status Backward(absl::Span<const Tensor> outputs,
                      absl::Span<const Tensor> grad_outputs,
                      const BackwardOptions& options) {
  GradOptions all;
  static_cast<BackwardOptions&>(all) = options;
  return RunBackward("backward", outputs, nullptr, grad_outputs, all).status();
}

absl::StatusOr<std::vector<Tensor>> Grad(absl::Span<const Tensor> outputs,
                                         absl::Span<const Tensor> inputs,
                                         absl::Span<const Tensor> grad_outputs,
                                         const GradOptions& options) {
  return RunBackward("grad", outputs, &inputs, grad_outputs, options);
}

}  // namespace switchyard::eager
