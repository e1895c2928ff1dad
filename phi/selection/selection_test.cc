// SPDX-License-Identifier: Apache-2.0
// Checks what the table of text (selection_table_test.cc) does not show: that
// the answer depends on nothing but its arguments, that resolving late gives
// the same as knowing early, and that the warm path takes no memory.
#include "phi/selection/selection.h"

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "framework/testing/allocation_counter.h"
#include "framework/testing/matchers.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/testing/fake_ops.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::selection {
namespace {

struct FakeCall {
  const char* op;
  std::vector<std::string> inputs;
  std::vector<std::string> attrs;
};

// Calls with known shapes that exercise every refusal and transform.
std::vector<FakeCall> Calls() {
  return {
      {"softmax", {"x=float32[8, 1000]"}, {}},
      {"softmax", {"x=float32[2, 3]"}, {}},
      {"softmax", {"x=float32[64, 100] strided"}, {"axis=0"}},
      {"softmax", {"x=float64[8, 1000]"}, {}},
      {"softmax", {"x=int32[8, 1000]"}, {}},
      {"softmax", {"x=float32[0, 5]"}, {}},
      {"softmax", {"x=float32[8, 40] on gpu:0"}, {}},
      {"softmax", {"x=float32[8, 4] on gpu:0"}, {}},
      {"matmul", {"x=float32[3, 4]", "y=float32[4, 5]"}, {}},
      {"matmul", {"x=float32[300, 400]", "y=float32[400, 500]"}, {}},
      {"matmul", {"x=float64[3, 4] on gpu:0", "y=float64[4, 5] on gpu:0"}, {}},
      {"add", {"x=float32[2, 4]", "y=float32[2, 4]"}, {}},
      {"add", {"x=float32[2, 4]", "y=float32[4]"}, {}},
      {"sgd",
       {"param=float32[9, 2]", "grad=selected_rows float32[9, 2]",
        "rate=float64[1]"},
       {}},
      {"concat", {"x=float32[2]", "x=float32[3] strided"}, {}},
      {"full", {}, {"shape={2, 3}", "dtype=int64"}},
  };
}

std::vector<Policy> Policies() {
  std::vector<Policy> policies(7);
  policies[1].allow_fallback = true;
  policies[2].allow_fallback = policies[2].strict = true;
  policies[3].origin = KernelOrigin::kFluid;
  policies[4] = Policy::Only(fake_reference);
  const Preference guests[] = {{nullptr, KernelOrigin::kFluid}, {&fake_cpu}};
  policies[5].prefer = Preferences::Intern(guests);
  policies[5].allow_fallback = true;
  const Preference oracle[] = {{&fake_reference}, {&fake_gpu}, {&fake_onednn}};
  policies[6].backends.Add(fake_reference);
  policies[6].prefer = Preferences::Intern(oracle);
  return policies;
}

ParsedCall Parse(const FakeCall& call) {
  return *ParseCall(*FindFakeOp(call.op), call.inputs, call.attrs,
                    Place::Cpu());
}

// The whole answer as text.
std::string Text(const Query& query, const absl::StatusOr<Selection>& answer) {
  if (!answer.ok()) return answer.status().ToString();
  if (answer->kernel == nullptr) return "undecided";
  return TranscriptLine(query, *answer);
}

std::string Choose(const KernelTable& table, const FakeCall& call,
                   const Policy& policy) {
  const ParsedCall parsed = Parse(call);
  const Query query = *parsed.MakeQuery(Place::Cpu());
  return Text(query, Select(*table.Find(call.op), query, policy));
}

TEST(Select, OneAnswerWhateverTheOrderOfKernelsAndCalls) {
  struct Question {
    FakeCall call;
    Policy policy;
    std::string answer;
  };
  std::vector<Question> questions;
  for (const FakeCall& call : Calls()) {
    for (const Policy& policy : Policies()) {
      questions.push_back({call, policy, Choose(FakeTable(), call, policy)});
    }
  }
  std::vector<const KernelDef*> kernels(FakeKernels().begin(),
                                        FakeKernels().end());
  std::mt19937 random(2026);
  for (int round = 0; round < 1000; ++round) {
    std::shuffle(kernels.begin(), kernels.end(), random);
    std::shuffle(questions.begin(), questions.end(), random);
    const auto table = MakeKernelTable(kernels);
    ASSERT_THAT(table, IsOk());
    for (size_t i = 0; i < 10; ++i) {
      ASSERT_EQ(
          Choose((*table)->table(), questions[i].call, questions[i].policy),
          questions[i].answer);
    }
  }
}

// `shape` with the axes in `mask` unknown.
Shape Forget(const Shape& shape, unsigned mask) {
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if ((mask >> i & 1u) != 0) result[i] = Dim::Unknown();
  }
  return result;
}

TEST(Resolve, IsWhatSelectWouldHaveSaidOfTheKnownShapes) {
  int resolved = 0;
  for (const FakeCall& call : Calls()) {
    for (const Policy& policy : Policies()) {
      const ParsedCall parsed = Parse(call);
      const Query known = *parsed.MakeQuery(Place::Cpu());
      const OpKernels& op_kernels = *FakeTable().Find(call.op);
      const auto expected = Select(op_kernels, known, policy);
      for (unsigned mask = 1; mask < 4; ++mask) {
        std::deque<TensorMeta> metas;
        std::vector<const TensorMeta*> tensors;
        for (const TensorMeta* tensor : known.inputs.elements()) {
          tensors.push_back(nullptr);
          if (tensor == nullptr) continue;
          metas.push_back(*tensor);
          metas.back().shape = Forget(tensor->shape, mask);
          tensors.back() = &metas.back();
        }
        Query unknown = known;
        unknown.inputs = {tensors, known.inputs.segments()};
        const auto early = Select(op_kernels, unknown, policy);
        if (!early.ok()) {
          // A call that is refused without knowing the shapes stays refused.
          EXPECT_EQ(early.status().code(), expected.status().code());
          continue;
        }
        const auto late = Resolve(*early, known, policy);
        ASSERT_EQ(late.status().code(), expected.status().code())
            << CallText(unknown) << ": " << late.status().ToString();
        if (!late.ok()) continue;
        EXPECT_EQ(Text(known, late), Text(known, expected));
        EXPECT_TRUE(late->residual.empty());
        ++resolved;
      }
    }
  }
  EXPECT_GT(resolved, 50);
}

TEST(Resolve, KeepsWhatIsStillUndecided) {
  const ParsedCall half = Parse({"softmax", {"x=float32[?, 1000]"}, {}});
  const Query query = *half.MakeQuery(Place::Cpu());
  const OpKernels& op_kernels = *FakeTable().Find("softmax");
  const auto early = Select(op_kernels, query, Policy());
  ASSERT_THAT(early, IsOk());
  ASSERT_EQ(early->residual.size(), 1u);
  const auto again = Resolve(*early, query, Policy());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->residual[0], early->residual[0]);
  EXPECT_EQ(again->kernel, early->kernel);
}

TEST(Select, AFallbackIsOffByDefaultAndAnErrorWhereStrict) {
  const ParsedCall call = Parse(
      {"matmul", {"x=float32[3, 4] on gpu:0", "y=float32[4, 5] on gpu:0"}, {}});
  const Query query = *call.MakeQuery(Place::Cpu());
  const OpKernels& op_kernels = *FakeTable().Find("matmul");
  Policy policy;
  EXPECT_THAT(Select(op_kernels, query, policy),
              StatusIs(absl::StatusCode::kNotFound));
  policy.allow_fallback = true;
  const auto fallback = Select(op_kernels, query, policy);
  ASSERT_THAT(fallback, IsOk());
  EXPECT_TRUE(fallback->fallback);
  EXPECT_EQ(fallback->transforms.size(), 2u);
  policy.strict = true;
  EXPECT_THAT(Select(op_kernels, query, policy),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(Select, AViewIsMadeOnAnyPlaceAndNeverFallsBack) {
  const OpKernels& op_kernels = *FakeTable().Find("reshape");
  Policy allowed;
  allowed.allow_fallback = true;
  Policy strict = allowed;
  strict.strict = true;
  for (const Policy& policy : {Policy(), allowed, strict}) {
    const ParsedCall call =
        Parse({"reshape", {"x=float32[3, 4] on gpu:0"}, {}});
    const Query query = *call.MakeQuery(Place::Cpu());
    const auto selection = Select(op_kernels, query, policy);
    ASSERT_THAT(selection, IsOk());
    EXPECT_FALSE(selection->fallback);
    EXPECT_TRUE(selection->transforms.empty());
    EXPECT_EQ(selection->kernel->origin, KernelOrigin::kPhi);
    const auto again = Resolve(*selection, query, policy);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(Text(query, again), Text(query, selection));
    EXPECT_FALSE(again->fallback);
  }
  // A strided tensor becomes contiguous where it lies.
  const ParsedCall call =
      Parse({"reshape", {"x=float32[3, 4] strided on gpu:0"}, {}});
  const Query query = *call.MakeQuery(Place::Cpu());
  const auto selection = Select(op_kernels, query, allowed);
  ASSERT_THAT(selection, IsOk());
  EXPECT_FALSE(selection->fallback);
  ASSERT_EQ(selection->transforms.size(), 1u);
  EXPECT_EQ(selection->transforms[0].kind, Transform::Kind::kContiguous);
  // A guest may do more than views: it is one to fall back to.
  Policy guests = allowed;
  guests.origin = KernelOrigin::kFluid;
  const auto guest = Select(op_kernels, query, guests);
  ASSERT_THAT(guest, IsOk());
  EXPECT_TRUE(guest->fallback);
}

TEST(Select, AViewOfADtypeWithoutAKernelIsATypeError) {
  const ParsedCall call = Parse({"reshape", {"x=float64[3, 4] on gpu:0"}, {}});
  const Query query = *call.MakeQuery(Place::Cpu());
  EXPECT_THAT(Select(*FakeTable().Find("reshape"), query, Policy()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       testing::HasSubstr("x must be float32, got float64")));
}

// Whatever is preferred, a kernel is chosen if and only if one would be without
// preferences; and those left undecided are in the order in which they are
// tried.
TEST(Select, PreferencesAdmitNothingAndOrderAll) {
  const Preference all[] = {{nullptr, KernelOrigin::kFluid},
                            {&fake_cpu},
                            {&fake_reference},
                            {&fake_gpu}};
  int changed = 0;
  for (const FakeCall& call : Calls()) {
    for (const Policy& policy : Policies()) {
      Policy preferring = policy, indifferent = policy;
      preferring.prefer = Preferences::Intern(all);
      indifferent.prefer = nullptr;
      const ParsedCall parsed = Parse(call);
      const Query query = *parsed.MakeQuery(Place::Cpu());
      const OpKernels& op_kernels = *FakeTable().Find(call.op);
      const auto preferred = Select(op_kernels, query, preferring);
      const auto plain = Select(op_kernels, query, indifferent);
      ASSERT_EQ(preferred.status().code(), plain.status().code());
      if (!plain.ok()) continue;
      EXPECT_EQ(preferred->fallback, plain->fallback);
      EXPECT_LE(preferring.prefer->RankOf(*preferred->kernel),
                preferring.prefer->RankOf(*plain->kernel));
      changed += preferred->kernel != plain->kernel ? 1 : 0;
    }
  }
  EXPECT_GT(changed, 5);
}

TEST(Select, ResidualCandidatesAreInPreferredOrder) {
  const ParsedCall call = Parse({"softmax", {"x=float32[?, 1000]"}, {}});
  const Query query = *call.MakeQuery(Place::Cpu());
  const OpKernels& op_kernels = *FakeTable().Find("softmax");
  Policy policy;
  const Preference cpu[] = {{&fake_cpu}};
  policy.prefer = Preferences::Intern(cpu);
  const auto decided = Select(op_kernels, query, policy);
  ASSERT_THAT(decided, IsOk());
  // The kernel that is before it in the table comes after it.
  EXPECT_TRUE(decided->residual.empty());
  EXPECT_EQ(decided->kernel->key.backend, &fake_cpu);
  const Preference onednn[] = {{&fake_onednn}, {nullptr, KernelOrigin::kFluid}};
  policy.prefer = Preferences::Intern(onednn);
  const auto open = Select(op_kernels, query, policy);
  ASSERT_THAT(open, IsOk());
  ASSERT_EQ(open->residual.size(), 1u);
  EXPECT_EQ(open->residual[0]->key.backend, &fake_onednn);
  EXPECT_EQ(open->kernel->origin, KernelOrigin::kFluid);
}

TEST(Preferences, AreInternedAndJoined) {
  const Preference legacy[] = {{nullptr, KernelOrigin::kFluid}};
  const Preference both[] = {{nullptr, KernelOrigin::kFluid}, {&fake_cpu}};
  const Preference cpu[] = {{&fake_cpu}, {&fake_cpu}};
  const Preferences* const first = Preferences::Intern(legacy);
  const Preferences* const second = Preferences::Intern(cpu);
  EXPECT_EQ(first, Preferences::Intern(legacy));
  EXPECT_EQ(Preferences::Joined(first, second), Preferences::Intern(both));
  EXPECT_EQ(Preferences::Joined(nullptr, second), second);
  EXPECT_EQ(Preferences::Joined(first, nullptr), first);
  EXPECT_EQ(Preferences::Joined(nullptr, nullptr), nullptr);
  EXPECT_EQ(second->all().size(), 1u);
}

TEST(Preferences, ComposeWhatHasNoKernelThatIsPreferredToThat) {
  const auto kernels = FakeTable().Find("softmax")->kernels;
  const auto composes = [&](absl::Span<const Preference> preferences) {
    return Preferences::Intern(preferences)->Compose(kernels);
  };
  const Preference guest = {nullptr, KernelOrigin::kFluid};
  const Preference composed = Preference::Composed();
  EXPECT_TRUE(composes({composed}));
  EXPECT_TRUE(composes({composed, guest}));
  EXPECT_FALSE(composes({guest, composed}));
  EXPECT_FALSE(composes({guest}));
  const auto views = FakeTable().Find("contiguous")->kernels;
  EXPECT_TRUE(Preferences::Intern({guest, composed})->Compose(views));
}

TEST(Select, TheWarmPathTakesNoMemory) {
  const ParsedCall call = Parse(
      {"matmul", {"x=float32[300, 400] strided", "y=float32[400, 500]"}, {}});
  const OpKernels& op_kernels = *FakeTable().Find("matmul");
  const OpInfo& op = *FindFakeOp("matmul");
  const ParsedCall& parsed = call;
  const Query warm = *parsed.MakeQuery(Place::Cpu());
  Policy policies[2];
  const Preference first[] = {{nullptr, KernelOrigin::kFluid}, {&fake_onednn}};
  policies[1].prefer = Preferences::Intern(first);
  const AllocationCounter counter;
  for (int i = 0; i < 100; ++i) {
    const Policy policy = policies[i % 2];
    Query query = warm;
    query.dtype = *KeyDtype(op, query.inputs, query.attrs);
    query.place = *CallPlace(op, query.inputs, query.attrs, Place::Cpu());
    const auto selection = Select(op_kernels, query, policy);
    ASSERT_TRUE(selection.ok());
    ASSERT_EQ(selection->transforms.size(), 1u);
  }
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace switchyard::phi::selection
