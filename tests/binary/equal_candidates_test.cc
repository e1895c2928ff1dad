// SPDX-License-Identifier: Apache-2.0
#include "tests/binary/equal_candidates.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/testing/fake_backends.h"

namespace switchyard {
namespace {

using phi::ArgDef;
using phi::Condition;
using phi::KernelDef;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(EqualCandidates, NoneInTheTableOfAllKernels) {
  const auto operators = phi::KernelTables::Current().ops();
  ASSERT_GT(operators.size(), 300u);
  EXPECT_THAT(FindEqualCandidates(operators), IsEmpty());
}

class EqualCandidatesTest : public testing::Test {
 protected:
  EqualCandidatesTest() : first_(Def("plain", 7)), second_(Def("other", 9)) {}

  static KernelDef Def(const char* kernel, int line) {
    static constexpr ArgDef kDense[1];
    KernelDef def{};
    def.op = "relu";
    def.kernel = kernel;
    def.key = {&phi::fake_cpu, DataLayout::kStrided, DataType::kFloat32};
    def.inputs = kDense;
    def.outputs = kDense;
    def.file = "phi/kernels/fake.h";
    def.line = line;
    return def;
  }
  std::vector<std::string> Find() const {
    const KernelDef* const kernels[] = {&first_, &second_};
    phi::OpKernels row;
    row.op = "relu";
    row.kernels = kernels;
    const phi::OpKernels* const rows[] = {&row};
    return FindEqualCandidates(rows);
  }

  KernelDef first_, second_;
};

TEST_F(EqualCandidatesTest, NamesFileAndLineOfBoth) {
  EXPECT_THAT(Find(), ElementsAre(HasSubstr(
                          "phi/kernels/fake.h:9: relu: kernel other must "
                          "take a call that plain (phi/kernels/fake.h:7)")));
}

TEST_F(EqualCandidatesTest, AConditionOfTheFirstLeavesCallsToTheSecond) {
  constexpr Condition kLong[] = {phi::ElementsAtMost(0, 8)};
  second_.conditions = kLong;
  EXPECT_EQ(Find().size(), 1u);
  first_.conditions = kLong;
  EXPECT_EQ(Find().size(), 1u);
  second_.conditions = {};
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(EqualCandidatesTest, AGroupOfConditionsIsOneCondition) {
  static constexpr auto kEither =
      phi::AnyOf(phi::RankAtMost(0, 1), phi::ElementsAtMost(0, 8));
  static constexpr Condition kApart[] = {{Condition::Kind::kAnyOf, 0, 0, 0, 2},
                                         phi::RankAtMost(0, 1),
                                         phi::RankAtMost(0, 2),
                                         {Condition::Kind::kAnyOf, 0, 0, 0, 2},
                                         phi::RankAtMost(0, 3),
                                         phi::ElementsAtMost(0, 8)};
  first_.conditions = kEither;
  second_.conditions = kEither;
  EXPECT_EQ(Find().size(), 1u);
  // It has the same members, in two groups.
  second_.conditions = kApart;
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(EqualCandidatesTest, OtherTensorsRanksAndOriginsAreNotEqual) {
  static constexpr ArgDef kComplex[] = {
      phi::OneOf(DataTypeSet(DataType::kComplex64))};
  second_.inputs = kComplex;
  EXPECT_THAT(Find(), IsEmpty());
  second_ = Def("other", 9);
  second_.origin = phi::KernelOrigin::kFluid;
  EXPECT_THAT(Find(), IsEmpty());
  second_ = Def("other", 9);
  second_.key.backend = &phi::fake_onednn;
  EXPECT_THAT(Find(), IsEmpty());
  second_ = Def("other", 9);
  first_.empty_ok = false;
  EXPECT_THAT(Find(), IsEmpty());
}

}  // namespace
}  // namespace switchyard
