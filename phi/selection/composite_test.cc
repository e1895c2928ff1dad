// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composite.h"

#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/selection.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

constexpr CompositeDef kAlone = {"", "exp", DataTypeSet(), true};
constexpr CompositeDef kBeside = {
    "", "exp", DataTypeSet(DataType::kFloat32, DataType::kFloat64), false};

// A call of an operator whose row ends with a composite.
class Call {
 public:
  Call(const CompositeDef* composite, const char* op,
       const std::vector<std::string>& inputs,
       absl::Span<const DeviceDtypes> composed_on = {})
      : row_(*FakeTable().Find(op)),
        parsed_(*ParseCall(*FindFakeOp(op), inputs, {}, Place::Cpu())) {
    row_.composite = composite;
    row_.composed_on = composed_on;
  }

  absl::StatusOr<Selection> Select(const Policy& policy,
                                   bool composes = true) const {
    Query query = *parsed_.MakeQuery(Place::Cpu());
    query.composes = composes;
    return selection::Select(row_, query, policy);
  }
  bool Composed(const Policy& policy) const {
    const auto selected = Select(policy);
    return selected.ok() && selected->composed;
  }

 private:
  OpKernels row_;
  ParsedCall parsed_;
};

Policy WithFallback(Policy policy = Policy()) {
  policy.allow_fallback = true;
  return policy;
}

const std::vector<std::string> kOnHost = {"x=float32[2, 3]"};
const std::vector<std::string> kOnGpu = {"x=float32[2] on gpu:0",
                                         "y=float32[2] on gpu:0"};
constexpr DeviceDtypes kOnFakeGpu[] = {
    {&fake_gpu_device, 1u << static_cast<int>(DataType::kFloat32)}};

TEST(Composite, NotWhereAKernelOfThePlaceFits) {
  for (const CompositeDef* composite : {&kAlone, &kBeside}) {
    const Call call(composite, "softmax", kOnHost);
    EXPECT_FALSE(call.Composed(Policy()));
    EXPECT_FALSE(call.Composed(Policy::Only(fake_cpu)));
  }
}

TEST(Composite, WhereThePolicyAdmitsNone) {
  for (const CompositeDef* composite : {&kAlone, &kBeside}) {
    const Call call(composite, "softmax", kOnHost);
    EXPECT_FALSE(call.Select(Policy::Only(fake_gpu), false).ok());
    EXPECT_TRUE(call.Composed(Policy::Only(fake_gpu)));
  }
}

TEST(Composite, OfTheDtypesThatTheEntryDocuments) {
  const std::vector<std::string> integers = {"x=int32[2, 3]"};
  EXPECT_TRUE(Call(&kAlone, "softmax", integers).Composed(Policy()));
  const auto refused = Call(&kBeside, "softmax", integers).Select(Policy());
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(Composite, AfterKernelsThatMakeViews) {
  const Call call(&kAlone, "reshape", {"x=float32[2, 3] on gpu:0"});
  const auto selected = call.Select(Policy());
  ASSERT_THAT(selected, IsOk());
  EXPECT_FALSE(selected->composed);
  EXPECT_EQ(selected->kernel->key.backend, &fake_cpu);
}

TEST(Composite, BeforeAFallbackWhereItsPartsAreServed) {
  for (const CompositeDef* composite : {&kAlone, &kBeside}) {
    EXPECT_TRUE(
        Call(composite, "add", kOnGpu, kOnFakeGpu).Composed(WithFallback()));
    const auto whole = Call(composite, "add", kOnGpu).Select(WithFallback());
    ASSERT_THAT(whole, IsOk());
    EXPECT_TRUE(whole->fallback);
    EXPECT_FALSE(whole->composed);
    EXPECT_TRUE(Call(composite, "add", kOnGpu).Composed(Policy()));
  }
}

// Served for other dtypes or on another device.
TEST(Composite, AfterAFallbackWhereItsPartsAreServedElsewhere) {
  constexpr DeviceDtypes kOther[] = {
      {&fake_gpu_device, 1u << static_cast<int>(DataType::kFloat64)},
      {&device_cpu, 1u << static_cast<int>(DataType::kFloat32)}};
  EXPECT_FALSE(Call(&kBeside, "add", kOnGpu, kOther).Composed(WithFallback()));
}

// Its parts may fall back one by one where nothing else answers.
TEST(Composite, LastWhereNoFallbackAnswers) {
  const Policy no_cpu = WithFallback(Policy::Only(fake_gpudnn));
  for (const CompositeDef* composite : {&kAlone, &kBeside}) {
    EXPECT_TRUE(Call(composite, "add", kOnGpu).Composed(no_cpu));
  }
}

// The table has no composite of an operator that was made at run time.
TEST(Composite, OfAnOperatorThatTheCallerAloneKnows) {
  EXPECT_FALSE(Call(nullptr, "softmax", kOnHost).Composed(Policy()));
  EXPECT_TRUE(Call(nullptr, "softmax", {"x=int32[2, 3]"}).Composed(Policy()));
  const auto whole = Call(nullptr, "add", kOnGpu).Select(WithFallback());
  ASSERT_THAT(whole, IsOk());
  EXPECT_TRUE(whole->fallback);
  EXPECT_TRUE(Call(nullptr, "add", kOnGpu).Composed(Policy()));
}

TEST(Composite, AfterAFallbackWhereExtentsAreUnknown) {
  const std::vector<std::string> open = {"x=float32[?] on gpu:0",
                                         "y=float32[?] on gpu:0"};
  EXPECT_FALSE(
      Call(&kBeside, "add", open, kOnFakeGpu).Composed(WithFallback()));
  EXPECT_TRUE(Call(&kBeside, "add", open, kOnFakeGpu).Composed(Policy()));
}

TEST(Composite, WhereThatIsPreferred) {
  const Call call(&kBeside, "softmax", kOnHost);
  const Preference composed[] = {Preference::Composed()};
  Policy policy;
  policy.prefer = Preferences::Intern(composed);
  EXPECT_TRUE(call.Composed(policy));
  const Preference after[] = {{&fake_cpu}, Preference::Composed()};
  policy.prefer = Preferences::Intern(after);
  EXPECT_FALSE(call.Composed(policy));
}

// A kernel that is decided comes after the one of oneDNN, and none does where
// that is the only one that is admitted.
TEST(Composite, WhereNoKernelIsDecided) {
  const std::vector<std::string> open = {"x=float32[?, ?]"};
  const Policy policy = Policy::Only(fake_onednn);
  EXPECT_FALSE(Call(&kAlone, "softmax", open).Composed(Policy()));
  const auto alone = Call(&kAlone, "softmax", open).Select(policy);
  ASSERT_THAT(alone, IsOk());
  EXPECT_TRUE(alone->composed);
  EXPECT_THAT(alone->residual, testing::IsEmpty());
  const auto beside = Call(&kBeside, "softmax", open).Select(policy);
  ASSERT_THAT(beside, IsOk());
  EXPECT_FALSE(beside->composed);
  EXPECT_THAT(beside->residual, testing::SizeIs(1));
}

}  // namespace
}  // namespace switchyard::phi::selection
