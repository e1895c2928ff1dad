// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/campaign.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/every_operator.h"
#include "eager/ops/multiply.gen.h"
#include "eager/ops/sum.gen.h"
#include "framework/base/op_error.h"
#include "framework/random/generator.h"
#include "framework/testing/tensors.h"
#include "framework/types/spec_text.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/program/saved_program.h"
#include "static_graph/program/section_file.h"
#include "tests/faults/call_forms.h"
#include "tests/faults/fault_injection.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using eager::Tensor;

// A number of classes or repetitions may ask for any amount.
constexpr int64_t kMaxBytes = 1 << 24;

// Says what is wrong with an answer; "" if nothing is.
std::string Unsound(const absl::Status& status, const std::string& name) {
  if (status.ok()) return "";
  if (status.code() == absl::StatusCode::kInternal ||
      status.code() == absl::StatusCode::kUnknown) {
    return absl::StrCat("answers ", status.ToString());
  }
  if (!absl::StrContains(status.message(), name)) {
    return absl::StrCat("does not name ", name, ": ", status.ToString());
  }
  return "";
}

// Says what is wrong with the library; "" if nothing is.
std::string Unusable() {
  if (eager::CurrentGradMode() != eager::GradMode::kOn) return "grad mode lost";
  try {
    Tensor x(MakeTensor<float>({2}, {1.5f, -2}));
    ThrowIfError(x.set_requires_grad(true));
    const Tensor y = eager::add(eager::multiply(x, x), x);
    ThrowIfError(eager::Backward({eager::sum(y)}));
    if (ToVector<float>(y.dense()) != std::vector<float>{3.75f, 2} ||
        ToVector<float>(x.grad().dense()) != std::vector<float>{4, -3}) {
      return "the next call gives another result";
    }
  } catch (const OpError& error) {
    return absl::StrCat("the next call fails: ", error.what());
  }
  return "";
}

// The gradients of what a recorded call yielded.
std::string CheckBackward(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> differentiable, ones;
  for (const Tensor& output : outputs) {
    if (!output.defined() || output.kind() != TensorKind::kDense ||
        !output.requires_grad() || !IsDifferentiable(output.dtype())) {
      continue;
    }
    differentiable.push_back(output);
    ones.emplace_back(MakeTensorOf(
        output.dtype(), output.shape(),
        std::vector<double>(static_cast<size_t>(output.numel()), 1)));
  }
  if (differentiable.empty()) return "";
  return Unsound(eager::Backward(differentiable, ones), "");
}

// Whether eager does something for the call that a program's text must say: a
// cast of promotion, the state of random numbers.
bool IsCompleted(const OperatorCall& call) {
  return call.op->info->has(phi::Trait::kRandom) || IsPromoted(call);
}

std::string DescriptionOf(const OperatorCall& call) {
  std::string text = call.op->info->name;
  const phi::ArgSegments slots = call.segments();
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const DenseTensor& input = call.inputs[slot];
    const int argument = slots.argument_of(static_cast<int>(slot));
    absl::StrAppend(&text, " ", call.op->info->inputs[argument].name, "=",
                    SpecText(input.dtype(), input.shape()),
                    input.contiguous() ? "" : " strided");
  }
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    absl::StrAppend(&text, " ", call.op->info->attrs[i].name, "=",
                    ToString(call.attrs[i].ref()));
  }
  return text;
}

std::string DescriptionOf(const LegacyCall& call) {
  std::string text = absl::StrCat("legacy ", call.form->type);
  for (const eager::SlotTensors& slot : call.inputs) {
    absl::StrAppend(&text, " ", slot.slot, "=[");
    for (const Tensor& tensor : slot.tensors) {
      absl::StrAppend(&text, SpecText(tensor.dtype(), tensor.shape()), ";");
    }
    absl::StrAppend(&text, "]");
  }
  for (const eager::LegacyAttribute& attr : call.attrs) {
    absl::StrAppend(&text, " ", attr.name, "=", ToString(attr.value.ref()));
  }
  return text;
}

}  // namespace

Campaign::Campaign(CampaignKind kind, const std::string& folder, uint64_t seed)
    : kind_(kind), seed_(seed), valid_(ValidCalls(folder, Operators::kEvery)) {
  for (const OperatorCall& call : valid_) {
    bases_[call.op->info].push_back(&call);
  }
  for (const eager::EagerOp* op : eager::AllEagerOps()) {
    operators_[op->info] = op;
    for (const phi::OutputInfo& output : op->info->outputs) {
      if (output.inplace_of < 0) continue;
      eager::EagerOp& form = inplace_[op->info];
      form = *op;
      form.inplace = true;
    }
  }
}

std::vector<Finding> Campaign::Run(int64_t start, int64_t count,
                                   const CaseLimits& limits) const {
  SyRefuseAllocationsOver(kMaxBytes);
  std::vector<Finding> findings = RunForked(
      start, count, limits, [this](int64_t index) { return Check(index); });
  SyRefuseAllocationsOver(INT64_MAX);
  return findings;
}

Campaign::Case Campaign::Make(CallMaker& maker) const {
  Case made;
  if (kind_ == CampaignKind::kLegacy) {
    const auto forms = phi::AllLegacyForms();
    const phi::LegacyForm& form = *forms[maker.Below(forms.size())];
    made.legacy = maker.Legacy(form, *operators_.at(form.op));
    return made;
  }
  const auto operators = eager::AllEagerOps();
  made.call = maker.Call(*operators[maker.Below(operators.size())]);
  made.recorded = maker.Chance(50);
  const auto inplace = inplace_.find(made.call.op->info);
  if (kind_ == CampaignKind::kCalls && inplace != inplace_.end() &&
      maker.Chance(30)) {
    made.call.op = &inplace->second;
  }
  return made;
}

std::string Campaign::Describe(int64_t index) const {
  CallMaker maker(seed_, index, bases_);
  const Case made = Make(maker);
  if (kind_ == CampaignKind::kLegacy) return DescriptionOf(made.legacy);
  return absl::StrCat(made.call.op->inplace ? "in place " : "",
                      made.recorded ? "recorded " : "",
                      DescriptionOf(made.call));
}

std::string Campaign::Check(int64_t index) const {
  CallMaker maker(seed_, index, bases_);
  DefaultGenerator().Seed(static_cast<int64_t>(seed_));
  const Case made = Make(maker);
  std::string wrong;
  switch (kind_) {
    case CampaignKind::kCalls:
      wrong = CheckCall(made);
      break;
    case CampaignKind::kLegacy:
      wrong = CheckLegacy(made.legacy);
      break;
    case CampaignKind::kPrograms:
      wrong = CheckProgram(made.call, index, maker);
      break;
  }
  return wrong.empty() ? Unusable() : wrong;
}

std::string Campaign::CheckCall(const Case& made) const {
  const auto outputs = RunEager(made.call, made.recorded);
  std::string wrong = Unsound(outputs.status(), made.call.op->info->name);
  if (wrong.empty() && outputs.ok()) wrong = CheckBackward(*outputs);
  return wrong;
}

std::string Campaign::CheckLegacy(const LegacyCall& call) const {
  return Unsound(
      eager::RunLegacyOp(call.form->type, call.inputs, call.attrs).status(),
      call.form->type);
}

std::string Campaign::CheckProgram(const OperatorCall& call, int64_t index,
                                   CallMaker& maker) const {
  if (!HasProgram(call)) return "";
  // A call may write its inputs.
  CallMaker again(seed_, index, bases_);
  const Results results = RunDense(Make(again).call, /*recorded=*/false);
  phi::ArgLayout layout;
  if (!phi::LayOutOutputs(*call.op->info, call.segments(), call.attr_refs(),
                          &layout)
           .ok() ||
      layout.size() > 100) {
    return "";
  }
  // Results as the call yields them, or any others.
  std::vector<DenseTensor> claimed;
  while (claimed.size() < layout.size()) claimed.push_back(maker.AnyTensor());
  bool same = results.ok() && results->size() == layout.size();
  if (same && maker.Chance(80)) {
    claimed = *results;
  } else {
    same = false;
  }
  const std::unique_ptr<ir::Context> context = NewContext();
  std::string text =
      ProgramText(context.get(), call, claimed, layout.segments());
  const bool changed = maker.Chance(30);
  if (changed) maker.ChangeText(&text);
  const static_graph::Section sections[] = {{1, text}, {2, ""}, {3, ""}};
  const auto saved = static_graph::DeserializeProgram(
      context.get(), static_graph::EncodeSections(sections));
  const Results run = saved.ok() ? RunProgram(saved->program, call, claimed)
                                 : Results(saved.status());
  std::string wrong = Unsound(run.status(), "");
  if (!wrong.empty() || changed || !same || IsCompleted(call)) return wrong;
  if (!run.ok()) {
    return absl::StrCat("eager yields a result, the program: ",
                        run.status().ToString());
  }
  for (size_t i = 0; i < run->size(); ++i) {
    if (ComparedBytes((*run)[i]) == ComparedBytes((*results)[i])) continue;
    return absl::StrCat("output ", i, ": eager and program differ");
  }
  return "";
}

}  // namespace switchyard
