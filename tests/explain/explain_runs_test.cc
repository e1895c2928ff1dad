// SPDX-License-Identifier: Apache-2.0
// Checks that what explain says is what runs. Over the real table: every sample
// of every operator and the calls of its gradients, on contiguous and on
// strided tensors, under several policies, eager (the first call and a
// remembered one) and static. The kernels that explain predicts are compared
// with those that were entered, which their own thunks write down
// (observed_kernels.h); eager and static launch the same. One source, three
// tests: on the CPU, on the simulated device with a kernel for each one of the
// CPU (EXPLAIN_PLACE=sim:0), and there with a dozen and fallbacks for the rest
// (SIM_KERNELS=few).
#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eager/ops/every_operator.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/selection/policy_text.h"
#include "tests/explain/cases.h"
#include "tests/explain/outcomes.h"
#include "tests/explain/tested_place.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using phi::KernelDef;
using phi::selection::Policy;
using Kernels = std::vector<const KernelDef*>;

// Reads the samples once for all parts.
const absl::StatusOr<std::vector<SampleCall>>& Samples() {
  static const auto* const samples =
      new absl::StatusOr<std::vector<SampleCall>>(
          ReadSampleCalls("tests/samples"));
  return *samples;
}

// Why it can't be made is a failure of the test.
std::vector<Case> CheckedCasesOf(const SampleCall& sample) {
  auto cases = MakeCases(sample);
  EXPECT_THAT(cases, IsOk());
  return cases.ok() ? *std::move(cases) : std::vector<Case>();
}

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
                           const std::vector<CaseTensor>& results) {
  for (auto late = said.late.rbegin(); late != said.late.rend(); ++late) {
    if (late->output >= results.size() ||
        results[late->output].dense.numel() > 0) {
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

// Whether the operator takes or makes what is not dense: a test of its own runs
// it on the host (OtherKinds).
bool IsOfOtherKinds(const SampleCall& sample) { return !sample.run_by.empty(); }

// Checks a call on tensors of the host, of any kind: a program too, unless
// `programs` is null. Returns how many kernels explain says.
size_t CheckKinds(const Case& call, const Policy& policy,
                  StaticRunner* programs) {
  const Outcome said = Explained(call, policy, phi::KernelTables::Current());
  const Outcome did = RanEagerly(call, policy);
  // The kernel that refuses elements was launched.
  const bool refused = said.status.ok() && !did.status.ok();
  if (refused) {
    EXPECT_EQ(TextOf(said), TextOf({absl::OkStatus(), did.launches}));
    return said.launches.size();
  }
  ExpectSame(said, did, "eager");
  ExpectSame(said, RanEagerly(call, policy), "eager again");
  if (programs != nullptr) {
    ExpectSameStatically(said, programs->Run(call, policy));
  }
  return said.launches.size();
}

constexpr int kParts = 64;

// One part of the samples, so that shards share them.
class ExplainRuns : public testing::TestWithParam<int> {};

TEST_P(ExplainRuns, AsExplained) {
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  StaticRunner programs;
  const std::vector<Policy> policies = TestedPolicies();
  size_t launches = 0;
  for (size_t i = GetParam(); i < samples->size(); i += kParts) {
    const SampleCall& sample = (*samples)[i];
    if (!sample.valid || IsOfOtherKinds(sample)) continue;
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

// Sparse tensors, arrays and texts, which are of the host alone. The elements
// of a sample's tensors may contradict each other (rows that do not fit the
// values), which a kernel says that was launched.
TEST(ExplainRunsTest, OtherKinds) {
  if (TestedPlace() != Place::Cpu()) GTEST_SKIP() << "they are on the host";
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  StaticRunner programs;
  const std::vector<Policy> policies = TestedPolicies();
  std::set<TensorKind> kinds;
  size_t launches = 0;
  for (const SampleCall& sample : *samples) {
    if (!sample.valid || !IsOfOtherKinds(sample)) continue;
    for (const Case& call : CheckedCasesOf(sample)) {
      bool strings = absl::StartsWith(call.info().name, "strings");
      for (size_t slot = 0; slot < call.tensors.size(); ++slot) {
        kinds.insert(call.tensor(slot).kind());
      }
      for (const Policy& policy : policies) {
        SCOPED_TRACE(absl::StrCat(call.info().name, " in ", sample.text,
                                  " under ", phi::selection::ToString(policy)));
        launches += CheckKinds(call, policy, strings ? nullptr : &programs);
        CheckKinds(Strided(call), policy, nullptr);
      }
    }
  }
  if (OnlyOperators() != nullptr) return;
  EXPECT_GT(launches, 100u);
  for (const TensorKind kind :
       {TensorKind::kSparseCoo, TensorKind::kSparseCsr,
        TensorKind::kTensorArray, TensorKind::kStrings}) {
    EXPECT_EQ(kinds.count(kind), 1u) << Name(kind);
  }
}

TEST(ExplainRunsTest, EveryOperatorIsAmongTheCases) {
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  std::set<std::string> found;
  for (const SampleCall& sample : *samples) {
    if (!sample.valid) continue;
    for (const Case& call : CheckedCasesOf(sample)) {
      found.insert(call.info().name);
    }
  }
  for (const eager::EagerOp* op : eager::AllEagerOps()) {
    EXPECT_EQ(found.count(op->info->name), 1u) << op->info->name;
  }
}

// The kernel table's kernels in other orders: reversed, so that any two of them
// change places, and shuffled.
std::vector<std::unique_ptr<const phi::OwnedKernelTable>> ReorderedTables() {
  Kernels kernels;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    kernels.insert(kernels.end(), row->kernels.begin(), row->kernels.end());
  }
  std::vector<std::unique_ptr<const phi::OwnedKernelTable>> tables;
  const auto add = [&] {
    auto table = phi::MakeKernelTable(kernels);
    EXPECT_THAT(table, IsOk());
    if (table.ok()) tables.push_back(*std::move(table));
  };
  std::reverse(kernels.begin(), kernels.end());
  add();
  std::mt19937 random(3);
  std::shuffle(kernels.begin(), kernels.end(), random);
  add();
  return tables;
}

// The choice doesn't depend on the order in which kernels were gathered.
TEST(ExplainRunsTest, ShuffledKernelsGiveTheSameChoices) {
  if (FewKernels()) GTEST_SKIP() << "kernels that the other tests shuffle";
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  const std::vector<Policy> policies = TestedPolicies();
  const auto tables = ReorderedTables();
  ASSERT_EQ(tables.size(), 2u);
  for (const SampleCall& sample : *samples) {
    if (!sample.valid || IsOfOtherKinds(sample)) continue;
    for (const Case& on_host : CheckedCasesOf(sample)) {
      const Case call = OnTestedPlace(on_host, /*rng_on_host=*/true);
      for (const Policy& policy : policies) {
        SCOPED_TRACE(absl::StrCat(call.info().name, " ",
                                  absl::StrJoin(call.InputWords(), " "),
                                  " under ", phi::selection::ToString(policy)));
        const Outcome expected =
            Explained(call, policy, phi::KernelTables::Current());
        for (const auto& table : tables) {
          const Outcome got = Explained(call, policy, table->table());
          EXPECT_EQ(expected.status, got.status);
          EXPECT_TRUE(expected.launches == got.launches);
        }
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
