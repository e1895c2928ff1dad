// SPDX-License-Identifier: Apache-2.0
// Every operator that is a gradient or has a composite, called with arguments
// that a file or a caller may hold: in eager, recorded and not; by its legacy
// names; and as text of a program whose results claim to be what the valid call
// yields. The answer is an error that names the operator, or a result, which is
// the same everywhere; never a crash (the sanitizers watch), never an Internal
// error.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eager/legacy/run_legacy_op.h"
#include "eager/ops/every_operator.h"
#include "gtest/gtest.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/ir/parser.h"
#include "tests/faults/call_forms.h"
#include "tests/faults/fault_injection.h"
#include "tests/faults/operator_calls.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using eager::EagerOp;

constexpr char kFolder[] = "tests/samples";
// A number of classes or repetitions may ask for any amount.
constexpr int64_t kMaxBytes = 1 << 24;
// A context keeps every type that was ever made in it.
constexpr int kProgramsPerContext = 500;

void ExpectSound(const absl::Status& status, const std::string& op) {
  if (status.ok()) return;
  EXPECT_NE(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_NE(status.code(), absl::StatusCode::kUnknown) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), op)) << status;
}

void ExpectSame(const Results& got, const Results& want) {
  ASSERT_EQ(got.ok(), want.ok()) << got.status() << " | " << want.status();
  if (!got.ok()) return;
  ASSERT_EQ(got->size(), want->size());
  for (size_t i = 0; i < got->size(); ++i) {
    EXPECT_EQ(ComparedBytes((*got)[i]), ComparedBytes((*want)[i]))
        << "output " << i;
  }
}

void TraceAll(const OperatorCall& call) {
  static const auto* forms = [] {
    auto* by_op =
        new std::map<const phi::OpInfo*, std::vector<const phi::LegacyForm*>>;
    for (const phi::LegacyForm* form : phi::AllLegacyForms()) {
      (*by_op)[form->op].push_back(form);
    }
    return by_op;
  }();
  const auto found = forms->find(call.op->info);
  if (found == forms->end()) return;
  for (const phi::LegacyForm* form : found->second) {
    std::vector<eager::SlotTensors> inputs;
    std::vector<eager::LegacyAttribute> attrs;
    if (!ByLegacyNames(call, *form, &inputs, &attrs)) continue;
    SCOPED_TRACE(form->type);
    ExpectSound(eager::RunLegacyOp(form->type, inputs, attrs).status(),
                form->type);
  }
}

// ---- Tests ----

// The operators whose tensors are not dense, which no text of a call writes.
std::set<std::string> RunElsewhere() {
  std::set<std::string> names;
  const auto samples = ReadSampleCalls(kFolder);
  EXPECT_TRUE(samples.ok()) << samples.status();
  for (const SampleCall& sample : *samples) {
    if (!sample.run_by.empty()) names.insert(sample.op->name);
  }
  return names;
}

std::set<std::string> AskedOperators() {
  std::set<std::string> names;
  std::set<std::string> elsewhere = RunElsewhere();
  // Their gradients, which may be composites, are run there too.
  for (const EagerOp* op : eager::AllEagerOps()) {
    if (op->backward != nullptr && elsewhere.count(op->info->name) > 0) {
      elsewhere.insert(op->backward->info->name);
    }
  }
  for (const EagerOp* op : eager::AllEagerOps()) {
    if (elsewhere.count(op->info->name) > 0) continue;
    if (op->composite != nullptr) names.insert(op->info->name);
    if (op->backward != nullptr) names.insert(op->backward->info->name);
  }
  return names;
}

phi::ArgLayout OutputLayout(const OperatorCall& call) {
  phi::ArgLayout layout;
  const std::vector<AttrRef> attrs = call.attr_refs();
  EXPECT_TRUE(
      phi::LayOutOutputs(*call.op->info, call.segments(), attrs, &layout).ok());
  return layout;
}

class SpoiltCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    SyRefuseAllocationsOver(kMaxBytes);
    context_ = NewContext();
  }
  void TearDown() override { SyRefuseAllocationsOver(INT64_MAX); }

  // `valid`: what the unchanged call yields.
  void Check(const OperatorCall& call, const std::vector<DenseTensor>& valid) {
    const std::string name = call.op->info->name;
    const Results results = RunDense(call, /*recorded=*/false);
    ExpectSound(results.status(), name);
    const Results recorded = RunDense(call, /*recorded=*/true);
    ExpectSound(recorded.status(), name);
    TraceAll(call);
    if (!HasProgram(call)) return;
    if (++programs_ % kProgramsPerContext == 0) context_ = NewContext();
    const bool same = results.ok();
    const std::vector<DenseTensor>& claimed = same ? *results : valid;
    const phi::ArgLayout layout = OutputLayout(call);
    if (layout.size() != claimed.size()) return;
    const std::string text =
        ProgramText(context_.get(), call, claimed, layout.segments());
    const absl::StatusOr<ir::Program> graph = ir::Parse(context_.get(), text);
    const Results run = graph.ok() ? RunProgram(*graph, call, claimed)
                                   : Results(graph.status());
    // A composite is written out: what fails at run is one of its operators.
    ExpectSound(run.status(), run.ok() ? name : " must ");
    // Eager casts what the text leaves as it is.
    const bool needs_casts = same && IsPromoted(call);
    if (run.ok() || !needs_casts) ExpectSame(run, results);
    ran_ += run.ok();
    refused_ += !run.ok();
  }

  int ran_ = 0, refused_ = 0;

 private:
  std::unique_ptr<ir::Context> context_;
  int programs_ = 0;
};

TEST_F(SpoiltCalls, AreRefusedOrAnswered) {
  std::set<std::string> missing = AskedOperators();
  for (const OperatorCall& call :
       ValidCalls(kFolder, Operators::kGradientsAndComposites)) {
    missing.erase(call.op->info->name);
    const Results valid = RunDense(call, /*recorded=*/false);
    ASSERT_TRUE(valid.ok()) << valid.status();
    for (const OperatorCall& changed : ChangedCalls(call)) {
      SCOPED_TRACE(absl::StrCat(call.op->info->name, ", ", changed.change));
      Check(changed, *valid);
    }
  }
  EXPECT_TRUE(missing.empty())
      << "no valid call of " << absl::StrJoin(missing, ", ");
  EXPECT_GT(ran_, 1000);
  EXPECT_GT(refused_, 1000);
}

}  // namespace
}  // namespace switchyard
