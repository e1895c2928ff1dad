// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/outcomes.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/device/stream.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "tests/explain/observed_kernels.h"
#include "tests/explain/tested_place.h"
#include "tests/samples/dialect_ops.h"
#include "tools/explain/explained_call.h"

namespace switchyard {

namespace ir = static_graph::ir;
using phi::KernelDef;
using phi::KernelTable;
using phi::selection::ExplainedCall;
using phi::selection::Policy;

std::string TextOf(const Outcome& outcome) {
  if (!outcome.status.ok()) return std::string(outcome.status.message());
  return absl::StrJoin(outcome.launches, "\n",
                       [](std::string* out, const KernelDef* kernel) {
                         absl::StrAppend(out, kernel->op, ": ",
                                         phi::selection::KernelText(*kernel));
                       });
}

Outcome Explained(const Case& call, const Policy& policy,
                  const KernelTable& kernels) {
  auto parsed = phi::selection::ParseCall(call.info(), call.InputWords(),
                                          call.AttrWords(), TestedPlace());
  if (!parsed.ok()) return {parsed.status(), {}};
  // The tensors as they are before promotion.
  std::deque<TensorMeta> metas;
  std::vector<const TensorMeta*> given;
  for (const TensorMeta* tensor : parsed->tensors().elements()) {
    given.push_back(nullptr);
    if (tensor == nullptr) continue;
    given.back() = &metas.emplace_back(*tensor);
  }
  // The tensors and attributes move with the call.
  ExplainedCall::Options options{&kernels, policy, TestedPlace()};
  options.context = &EveryOperatorContext();
  const auto explained =
      ExplainedCall::Make(call.info(), *std::move(parsed), options);
  if (!explained.ok()) return {explained.status(), {}};
  const auto& explanation = (*explained)->explanation();
  if (!explanation.answer.ok()) return {explanation.answer.status(), {}};
  PredictedCall said = PredictedLaunches(explanation, given, kernels);
  if (std::count(said.launches.begin(), said.launches.end(), nullptr) > 0) {
    return {absl::NotFoundError("no kernel for a transform"), {}};
  }
  return {absl::OkStatus(), std::move(said.launches), explanation.composed,
          std::move(said.late)};
}

Outcome RanEagerly(const Case& call, const Policy& policy) {
  const phi::dispatch::PolicyScope scope(policy);
  phi::dispatch::Environment& environment =
      phi::dispatch::Environment::Current();
  const Place before = environment.default_place;
  environment.default_place = TestedPlace();
  phi::Launches().clear();
  auto results = RunEagerly(call);
  environment.default_place = before;
  // Work that fails late is nobody else's error.
  EXPECT_THAT(Synchronize(TestedPlace()), IsOk());
  Outcome outcome = {results.status(), std::move(phi::Launches())};
  if (results.ok()) outcome.results = *std::move(results);
  return outcome;
}

StaticRunner::StaticRunner() {
  RegisterDialects(&context_, static_graph::AllDialectOps()).IgnoreError();
}

Outcome StaticRunner::Run(const Case& call, const Policy& policy) {
  const auto program = Compile(call, policy);
  if (!program.ok()) return {program.status(), {}};
  std::vector<static_graph::RunValue> feeds, fetches;
  for (size_t slot = 0; slot < call.tensors.size(); ++slot) {
    if (call.tensor(slot).dtype() == DataType::kUndefined) continue;
    if (call.tensor(slot).kind() == TensorKind::kDense) {
      feeds.emplace_back(call.tensors[slot]);
    } else {
      feeds.emplace_back(call.others[slot]);
    }
  }
  absl::Status status = (*program)->RunInOrder(feeds, nullptr, &fetches);
  if (!status.ok()) return {status, {}};
  phi::Launches().clear();
  fetches.clear();
  status = (*program)->RunInOrder(feeds, nullptr, &fetches);
  return {status, std::move(phi::Launches())};
}

absl::StatusOr<std::shared_ptr<const static_graph::Executable>>
StaticRunner::Compile(const Case& call, const Policy& policy) {
  ir::Program graph(&context_, call.info().name);
  std::vector<ir::Value> inputs;
  for (size_t slot = 0; slot < call.tensors.size(); ++slot) {
    inputs.emplace_back();
    const TensorBase& tensor = call.tensor(slot);
    if (tensor.dtype() == DataType::kUndefined) continue;
    TensorSpec spec;
    spec.dtype = tensor.dtype();
    spec.kind = tensor.kind();
    spec.shape = tensor.shape();
    inputs.back() = graph.AddFeed(absl::StrCat("x", inputs.size()),
                                  context_.GetTensorType(spec));
  }
  ir::Builder builder(&context_, &graph.entry());
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, *FindDialectRecord(call.info()),
                             {inputs, call.segments()}, call.attr_refs(),
                             &results));
  std::vector<ir::NamedValue> fetches;
  for (const ir::Value result : results) {
    // The gradient of an input that is absent has no dtype, and no elements.
    if (!result || result.tensor_type().dtype() == DataType::kUndefined) {
      continue;
    }
    fetches.push_back({absl::StrCat("y", fetches.size()), result});
  }
  graph.Return(fetches, {});
  static_graph::CompileOptions options;
  // It takes away reorders that eager makes.
  options.assign_layouts = false;
  options.lowering.policy = policy;
  options.lowering.place = TestedPlace();
  return static_graph::Executable::Compile(graph, phi::KernelTables::Current(),
                                           options);
}

}  // namespace switchyard
