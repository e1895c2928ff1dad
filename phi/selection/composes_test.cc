// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composes.h"

#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/composite_parts.h"
#include "phi/selection/selection.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

// A call of an operator as if it had a composite after its kernels.
class Call {
 public:
  Call(const char* op, const std::vector<std::string>& inputs)
      : kernels_(*FakeTable().Find(op)),
        parsed_(*ParseCall(*FindFakeOp(op), inputs, {}, Place::Cpu())) {}

  bool Composed(const Policy& policy) const {
    return Composes(kernels_, *parsed_.MakeQuery(Place::Cpu()), policy);
  }
  absl::StatusOr<Selection> Selected(const Policy& policy) const {
    return Select(kernels_, *parsed_.MakeQuery(Place::Cpu()), policy);
  }

 private:
  const OpKernels& kernels_;
  ParsedCall parsed_;
};

TEST(Composes, NotWhereAKernelOfThePlaceFits) {
  const Call call("softmax", {"x=float32[2, 3]"});
  EXPECT_FALSE(call.Composed(Policy()));
  EXPECT_FALSE(call.Composed(Policy::Only(fake_cpu)));
}

TEST(Composes, WhereThePolicyAdmitsNone) {
  const Call call("softmax", {"x=float32[2, 3]"});
  EXPECT_FALSE(call.Selected(Policy::Only(fake_gpu)).ok());
  EXPECT_TRUE(call.Composed(Policy::Only(fake_gpu)));
}

TEST(Composes, WhereNoKernelHasTheDtype) {
  EXPECT_TRUE(Call("softmax", {"x=int32[2, 3]"}).Composed(Policy()));
}

TEST(Composes, BeforeAFallback) {
  const Call call("add", {"x=float32[2] on gpu:0", "y=float32[2] on gpu:0"});
  Policy policy;
  policy.allow_fallback = true;
  const auto selected = call.Selected(policy);
  ASSERT_THAT(selected, IsOk());
  ASSERT_TRUE(selected->fallback);
  EXPECT_TRUE(call.Composed(policy));
}

TEST(Composes, AfterKernelsThatMakeViews) {
  const Call call("reshape", {"x=float32[2, 3] on gpu:0"});
  const auto selected = call.Selected(Policy());
  ASSERT_THAT(selected, IsOk());
  ASSERT_EQ(selected->kernel->key.backend, &fake_cpu);
  EXPECT_FALSE(call.Composed(Policy()));
}

TEST(Composes, WhereThatIsPreferred) {
  const Call call("softmax", {"x=float32[2, 3]"});
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
TEST(Composes, WhereNoKernelIsDecided) {
  const Call call("softmax", {"x=float32[?, ?]"});
  EXPECT_FALSE(call.Composed(Policy()));
  const Policy policy = Policy::Only(fake_onednn);
  const auto selected = call.Selected(policy);
  ASSERT_THAT(selected, IsOk());
  ASSERT_EQ(selected->kernel, nullptr);
  EXPECT_TRUE(call.Composed(policy));
}

// The rule for an operator that has both, whose name stands for its parts'.
class BesideKernels {
 public:
  BesideKernels(const char* op, const std::vector<std::string>& inputs)
      : kernels_(*FakeTable().Find(op)),
        parsed_(*ParseCall(*FindFakeOp(op), inputs, {}, Place::Cpu())) {}

  bool Composed(bool allow_fallback, Policy policy = Policy()) const {
    policy.allow_fallback = allow_fallback;
    return ComposesBeforeFallback(kernels_, *parsed_.MakeQuery(Place::Cpu()),
                                  policy, FakeTable());
  }

 private:
  const OpKernels& kernels_;
  ParsedCall parsed_;
};

TEST(ComposesBeforeFallback, WhereNoKernelOfThePlaceFits) {
  const BesideKernels here("softmax", {"x=float32[2, 3]"});
  EXPECT_FALSE(here.Composed(false));
  EXPECT_TRUE(here.Composed(false, Policy::Only(fake_gpu)));
  const BesideKernels there("add",
                            {"x=float32[2] on gpu:0", "y=float32[2] on gpu:0"});
  EXPECT_TRUE(there.Composed(false));
}

TEST(ComposesBeforeFallback, OnlyDtypesThatSomeKernelHas) {
  EXPECT_FALSE(BesideKernels("softmax", {"x=int32[2, 3]"}).Composed(false));
}

// No part of `add` has a kernel there: it has no composite at all.
TEST(ComposesBeforeFallback, AfterAFallbackThatMovesLess) {
  const BesideKernels call("add",
                           {"x=float32[2] on gpu:0", "y=float32[2] on gpu:0"});
  EXPECT_FALSE(call.Composed(true));
}

TEST(ComposesBeforeFallback, NotWhereAKernelIsUndecided) {
  const BesideKernels call("softmax", {"x=float32[?, ?]"});
  EXPECT_FALSE(call.Composed(false, Policy::Only(fake_onednn)));
}

TEST(CompositeParts, AreSortedAndWithoutViews) {
  const auto all = AllCompositeParts();
  ASSERT_FALSE(all.empty());
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_LT(std::string_view(all[i - 1].op), std::string_view(all[i].op));
  }
  EXPECT_TRUE(PartsHaveKernels("reshape_grad", DataType::kFloat32,
                               Place::Gpu(0), FakeTable()));
  EXPECT_FALSE(PartsHaveKernels("relu_grad", DataType::kFloat32, Place::Gpu(0),
                                FakeTable()));
}

}  // namespace
}  // namespace switchyard::phi::selection
