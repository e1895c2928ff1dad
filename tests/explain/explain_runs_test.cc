// SPDX-License-Identifier: Apache-2.0
// What explain says is what runs. Over the real table: every sample of every
// operator and the calls of its gradients, on contiguous and on strided
// tensors, under several policies, eager (the first call and a remembered one)
// and static. The kernels that explain predicts are compared with those that
// were entered, which their own thunks write down (observed_kernels.h); eager
// and static launch the same. One source, three tests: on the CPU, on the
// simulated device with a kernel for each one of the CPU (EXPLAIN_PLACE=sim:0),
// and there with a dozen and fallbacks for the rest (SIM_KERNELS=few).
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eager/ops/every_operator.h"
#include "framework/device/stream.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/dispatch/environment.h"
#include "phi/selection/policy_text.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "tests/explain/cases.h"
#include "tests/explain/observed_kernels.h"
#include "tests/explain/predicted_launches.h"
#include "tests/explain/tested_place.h"
#include "tests/samples/sample_calls.h"
#include "tools/explain/explained_call.h"

namespace switchyard {
namespace {

using phi::KernelDef;
using phi::KernelTable;
using phi::selection::ExplainedCall;
using phi::selection::Policy;
namespace ir = static_graph::ir;
using Kernels = std::vector<const KernelDef*>;

// The kernels that a call launches, or its error.
struct Outcome {
  absl::Status status;
  Kernels launches;
  bool composed = false;                       // Said of an explained call.
  std::vector<PredictedCall::Late> late = {};  // Said of one, too.
  std::vector<DenseTensor> results = {};       // Of a call that ran eagerly.
};

std::string TextOf(const Outcome& outcome) {
  if (!outcome.status.ok()) return std::string(outcome.status.message());
  return absl::StrJoin(outcome.launches, "\n",
                       [](std::string* out, const KernelDef* kernel) {
                         absl::StrAppend(out, kernel->op, ": ",
                                         phi::selection::KernelText(*kernel));
                       });
}

const static_graph::DialectOp* FindDialectOp(const phi::OpInfo& info) {
  for (const static_graph::DialectOp* op : static_graph::AllDialectOps()) {
    if (op->info == &info) return op;
  }
  return nullptr;
}

// Why it can't be made is a failure of the test.
std::vector<Case> CheckedCasesOf(const SampleCall& sample) {
  auto cases = MakeCases(sample);
  EXPECT_THAT(cases, IsOk());
  return cases.ok() ? *std::move(cases) : std::vector<Case>();
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
  const auto explained = ExplainedCall::Make(call.info(), *std::move(parsed),
                                             {&kernels, policy, TestedPlace()});
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

// Runs the call as a program, once to plan it and once to be observed.
class StaticRunner {
 public:
  StaticRunner() {
    RegisterDialects(&context_, static_graph::AllDialectOps()).IgnoreError();
  }

  Outcome Run(const Case& call, const Policy& policy) {
    const auto program = Compile(call, policy);
    if (!program.ok()) return {program.status(), {}};
    std::vector<static_graph::RunValue> feeds, fetches;
    for (const DenseTensor& tensor : call.tensors) {
      if (tensor.dtype() != DataType::kUndefined) feeds.emplace_back(tensor);
    }
    absl::Status status = (*program)->RunInOrder(feeds, nullptr, &fetches);
    if (!status.ok()) return {status, {}};
    phi::Launches().clear();
    fetches.clear();
    status = (*program)->RunInOrder(feeds, nullptr, &fetches);
    return {status, std::move(phi::Launches())};
  }

 private:
  absl::StatusOr<std::shared_ptr<const static_graph::Executable>> Compile(
      const Case& call, const Policy& policy) {
    ir::Program graph(&context_, call.info().name);
    std::vector<ir::Value> inputs;
    for (const DenseTensor& tensor : call.tensors) {
      inputs.emplace_back();
      if (tensor.dtype() == DataType::kUndefined) continue;
      inputs.back() =
          graph.AddFeed(absl::StrCat("x", inputs.size()),
                        context_.GetTensorType(tensor.dtype(), tensor.shape()));
    }
    ir::Builder builder(&context_, &graph.entry());
    std::vector<ir::Value> results;
    SY_RETURN_IF_ERROR(BuildOp(builder, *FindDialectOp(call.info()),
                               {inputs, call.segments()}, call.attr_refs(),
                               &results));
    std::vector<ir::NamedValue> fetches;
    for (const ir::Value result : results) {
      if (result)
        fetches.push_back({absl::StrCat("y", fetches.size()), result});
    }
    graph.Return(fetches, {});
    static_graph::CompileOptions options;
    // It takes away reorders that eager makes.
    options.assign_layouts = false;
    options.lowering.policy = policy;
    options.lowering.place = TestedPlace();
    return static_graph::Executable::Compile(
        graph, phi::KernelTables::Current(), options);
  }

  ir::Context context_;
};

// A program gives an operator that must write in place memory of its own, by a
// copy that is no transform; copies of a fallback are among them.
Outcome WithoutCopies(Outcome outcome) {
  Kernels& launches = outcome.launches;
  launches.erase(std::remove_if(launches.begin(), launches.end(),
                                [](const KernelDef* kernel) {
                                  return std::string_view(kernel->op) == "copy";
                                }),
                 launches.end());
  return outcome;
}

void ExpectSame(const Outcome& said, const Outcome& did, const char* who) {
  EXPECT_EQ(said.status.ok(), did.status.ok())
      << who << ": " << did.status << "\nexplained: " << said.status;
  if (!said.status.ok() || !did.status.ok()) return;
  EXPECT_EQ(TextOf(said), TextOf(did)) << who;
  EXPECT_TRUE(said.launches == did.launches) << who;
}

// Expects what eager did, except the calls of a composite whose results nobody
// uses: programs are without dead code.
void ExpectSameStatically(Outcome said, const Outcome& did) {
  if (said.composed && said.status.ok() && did.status.ok()) {
    Kernels used;
    auto next = did.launches.begin();
    for (const KernelDef* kernel : said.launches) {
      if (next == did.launches.end() || *next != kernel) continue;
      used.push_back(kernel);
      ++next;
    }
    EXPECT_FALSE(used.empty() && !said.launches.empty());
    said.launches = std::move(used);
  }
  ExpectSame(said, did, "static");
}

// Takes from what is said the copies of `results` that turned out to be empty.
Outcome WithoutEmptyCopies(Outcome said,
                           const std::vector<DenseTensor>& results) {
  for (auto late = said.late.rbegin(); late != said.late.rend(); ++late) {
    if (late->output >= results.size() || results[late->output].numel() > 0) {
      continue;
    }
    said.launches.erase(said.launches.begin() +
                        static_cast<std::ptrdiff_t>(late->launch));
  }
  said.late.clear();
  return said;
}

void CheckEager(const Case& on_host, const Policy& policy) {
  const Case call = OnTestedPlace(on_host, /*rng_on_host=*/true);
  const Outcome did = RanEagerly(call, policy);
  const Outcome said = WithoutEmptyCopies(
      Explained(call, policy, phi::KernelTables::Current()), did.results);
  ExpectSame(said, did, "eager");
  ExpectSame(said, RanEagerly(call, policy), "eager again");
}

// Returns how many kernels explain says.
size_t CheckStatic(const Case& on_host, const Policy& policy,
                   StaticRunner* programs) {
  const Case call = OnTestedPlace(on_host, /*rng_on_host=*/false);
  Outcome said = Explained(call, policy, phi::KernelTables::Current());
  const size_t launches = said.launches.size();
  if (!said.late.empty()) {
    said =
        WithoutEmptyCopies(std::move(said), RanEagerly(call, policy).results);
  }
  Outcome did = programs->Run(call, policy);
  if (call.info().has(phi::Trait::kInplaceOnly)) {
    said = WithoutCopies(std::move(said));
    did = WithoutCopies(std::move(did));
  }
  ExpectSameStatically(std::move(said), did);
  return launches;
}

constexpr int kParts = 64;

// One part of the samples, so that shards share them.
class ExplainRuns : public testing::TestWithParam<int> {};

TEST_P(ExplainRuns, AsExplained) {
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  StaticRunner programs;
  const std::vector<Policy> policies = TestedPolicies();
  size_t launches = 0;
  for (size_t i = GetParam(); i < samples->size(); i += kParts) {
    const SampleCall& sample = (*samples)[i];
    if (!sample.valid || !sample.run_by.empty()) continue;
    for (const Case& call : CheckedCasesOf(sample)) {
      const Case contiguous = Contiguous(call);
      const Case strided = Strided(contiguous);
      for (const Policy& policy : policies) {
        SCOPED_TRACE(absl::StrCat(call.info().name, " in ", sample.text,
                                  " under ", phi::selection::ToString(policy)));
        CheckEager(contiguous, policy);
        launches += CheckStatic(contiguous, policy, &programs);
        // A tensor that is written in place must be contiguous.
        if (call.info().has(phi::Trait::kInplaceOnly)) continue;
        CheckEager(call, policy);
        CheckEager(strided, policy);
      }
    }
  }
  EXPECT_GT(launches, 50u);
}

INSTANTIATE_TEST_SUITE_P(Samples, ExplainRuns, testing::Range(0, kParts));

TEST(ExplainRunsTest, EveryOperatorIsAmongTheCases) {
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  std::set<std::string> found;
  for (const SampleCall& sample : *samples) {
    if (!sample.valid) continue;
    if (!sample.run_by.empty()) {  // In a test of its own.
      const auto* const record = FindDialectOp(*sample.op);
      found.insert(record->info->name);
      if (record->backward != nullptr) {
        found.insert(record->backward->info->name);
      }
      continue;
    }
    for (const Case& call : CheckedCasesOf(sample)) {
      found.insert(call.info().name);
    }
  }
  for (const eager::EagerOp* op : eager::AllEagerOps()) {
    EXPECT_EQ(found.count(op->info->name), 1u) << op->info->name;
  }
}

// The choice doesn't depend on the order in which kernels were gathered.
TEST(ExplainRunsTest, ShuffledKernelsGiveTheSameChoices) {
  if (FewKernels()) GTEST_SKIP() << "kernels that the other tests shuffle";
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  std::vector<Case> cases;
  for (const SampleCall& sample : *samples) {
    if (!sample.valid || !sample.run_by.empty()) continue;
    for (const Case& call : CheckedCasesOf(sample)) {
      cases.push_back(OnTestedPlace(call, /*rng_on_host=*/true));
    }
  }
  Kernels kernels;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    kernels.insert(kernels.end(), row->kernels.begin(), row->kernels.end());
  }
  std::mt19937 random(3);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(kernels.begin(), kernels.end(), random);
    const auto table = phi::MakeKernelTable(kernels);
    ASSERT_THAT(table, IsOk());
    for (const Case& call : cases) {
      for (const Policy& policy : TestedPolicies()) {
        SCOPED_TRACE(absl::StrCat(call.info().name, " ",
                                  absl::StrJoin(call.InputWords(), " "),
                                  " under ", phi::selection::ToString(policy)));
        const Outcome expected =
            Explained(call, policy, phi::KernelTables::Current());
        const Outcome got = Explained(call, policy, (*table)->table());
        EXPECT_EQ(expected.status, got.status);
        EXPECT_TRUE(expected.launches == got.launches);
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
