// SPDX-License-Identifier: Apache-2.0
#include "static_graph/pass/pass_manager.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {
namespace {

using Function = absl::StatusOr<bool> (*)(ir::Program&);

class FunctionPass : public Pass {
 public:
  FunctionPass(std::string name, Exactness exactness, Function function)
      : name_(std::move(name)), exactness_(exactness), function_(function) {}
  std::string_view name() const override { return name_; }
  Exactness exactness() const override { return exactness_; }
  absl::StatusOr<bool> Run(ir::Program& program) override {
    return function_(program);
  }

 private:
  std::string name_;
  Exactness exactness_;
  Function function_;
};

absl::StatusOr<bool> Nothing(ir::Program&) { return false; }

absl::StatusOr<bool> Fail(ir::Program&) {
  return absl::UnimplementedError("no");
}

// Leaves the entry block without its terminator.
absl::StatusOr<bool> Break(ir::Program& program) {
  program.return_op()->Erase();
  return true;
}

std::unique_ptr<Pass> Make(std::string name, Function function,
                           Exactness exactness = Exactness::kExact) {
  return std::make_unique<FunctionPass>(std::move(name), exactness, function);
}

class PassManagerTest : public ::testing::Test {
 protected:
  PassManagerTest() {
    ir::RegisterTestDialect(&context_);
    program_.Return({}, {});
  }
  // Runs a manager of these two passes.
  absl::StatusOr<bool> Run(std::unique_ptr<Pass> first,
                           std::unique_ptr<Pass> second) {
    PassManagerOptions options;
    options.after_pass = [this](std::string_view pass, const ir::Program&,
                                bool changed) {
      ran_.push_back(std::string(pass) + (changed ? "!" : ""));
    };
    PassManager manager(options);
    SY_RETURN_IF_ERROR(manager.Add(std::move(first)));
    SY_RETURN_IF_ERROR(manager.Add(std::move(second)));
    return manager.Run(program_);
  }

  ir::Context context_;
  ir::Program program_{&context_, "p"};
  std::vector<std::string> ran_;
};

TEST_F(PassManagerTest, RunsPassesInOrderAndReportsThem) {
  const auto changed = Run(Make("a", Nothing), Make("b", Nothing));
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
  EXPECT_EQ(ran_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(PassManagerTest, NamesThePassThatBrokeTheProgram) {
  const auto changed = Run(Make("good", Nothing), Make("bad", Break));
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(changed.status().message().find("pass bad broke the program: "),
            absl::string_view::npos);
}

// Gives the entry block the terminator that Break() erased.
absl::StatusOr<bool> Mend(ir::Program& program) {
  program.Return({}, {});
  return true;
}

TEST_F(PassManagerTest, MayVerifyOnceBehindTheLastPass) {
  PassManagerOptions options;
  options.verify_each = false;
  PassManager mended(options);
  EXPECT_TRUE(mended.Add(Make("bad", Break)).ok());
  EXPECT_TRUE(mended.Add(Make("good", Mend)).ok());
  EXPECT_TRUE(*mended.Run(program_));
  PassManager broken(options);
  EXPECT_TRUE(broken.Add(Make("bad", Break)).ok());
  EXPECT_TRUE(broken.Add(Make("idle", Nothing)).ok());
  const auto changed = broken.Run(program_);
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(
      changed.status().message().find("one of the passes broke the program: "),
      absl::string_view::npos);
}

TEST_F(PassManagerTest, MayVerifyOnlyBehindTheLastPass) {
  PassManagerOptions options;
  options.verify_before = options.verify_each = false;
  PassManager idle(options);
  EXPECT_TRUE(idle.Add(Make("idle", Nothing)).ok());
  EXPECT_FALSE(*idle.Run(program_));
  ASSERT_TRUE(Break(program_).ok());
  EXPECT_NE(idle.Run(program_).status().message().find(
                "one of the passes, or what was before them, broke the "
                "program: "),
            absl::string_view::npos);
  PassManager mended(options);
  EXPECT_TRUE(mended.Add(Make("good", Mend)).ok());
  EXPECT_TRUE(*mended.Run(program_));
}

TEST_F(PassManagerTest, NamesThePassThatFailed) {
  EXPECT_EQ(Run(Make("bad", Fail), Make("good", Nothing)).status(),
            absl::UnimplementedError("bad: no"));
  EXPECT_TRUE(ran_.empty());
}

TEST_F(PassManagerTest, RefusesRelaxedPassesWhereBitsMustStay) {
  PassManagerOptions options;
  options.exactness = Exactness::kExact;
  PassManager manager(options);
  EXPECT_TRUE(manager.Add(Make("a", Nothing)).ok());
  const absl::Status status =
      manager.Add(Make("loose", Nothing, Exactness::kRelaxed));
  EXPECT_EQ(status.message(), "pass must be exact, got the relaxed loose");
}

// Removes the first operation.
absl::StatusOr<bool> EraseFirst(ir::Program& program) {
  program.entry().front()->Erase();
  return true;
}

TEST_F(PassManagerTest, CountsOperationsBeforeAndAfterEachPass) {
  ir::Program program = *ir::Parse(
      &context_,
      "program @p {\n  ^entry():\n"
      "    %0 = builtin.constant() {value = dense<float32[1]>[1.0]} : "
      "tensor<float32[1]>\n    builtin.return()\n}\n");
  std::vector<PassStatistics> statistics;
  PassManagerOptions options;
  options.statistics = &statistics;
  PassManager manager(options);
  EXPECT_TRUE(manager.Add(Make("idle", Nothing)).ok());
  EXPECT_TRUE(manager.Add(Make("erase", EraseFirst)).ok());
  EXPECT_TRUE(manager.Add(Make("broken", Fail)).ok());
  EXPECT_TRUE(absl::IsUnimplemented(manager.Run(program).status()));
  ASSERT_EQ(statistics.size(), 2u);
  EXPECT_EQ(statistics[0].pass, "idle");
  EXPECT_FALSE(statistics[0].changed);
  EXPECT_EQ(statistics[0].operations_before, 2);
  EXPECT_EQ(statistics[0].operations_after, 2);
  EXPECT_TRUE(statistics[1].changed);
  EXPECT_EQ(statistics[1].operations_before, 2);
  EXPECT_EQ(statistics[1].operations_after, 1);
  EXPECT_GE(statistics[1].time.count(), 0);
}

TEST(StatisticsTableTest, HasALineForEachPass) {
  PassStatistics one;
  one.pass = "polish";
  one.operations_before = 12;
  one.operations_after = 7;
  one.time = std::chrono::microseconds(1234);
  EXPECT_EQ(StatisticsTable({one}),
            "pass      before     after  microseconds\n"
            "polish        12         7          1234\n");
}

TEST(PassInfoTest, CreatesPassesByNameAndDocumentsThem) {
  constexpr auto kCreate = [](const PassEnvironment&) {
    return Make("first", Nothing);
  };
  const PassInfo table[] = {
      {"first", Exactness::kExact, "Does nothing.", "Nothing at all.", kCreate},
      {"other", Exactness::kRelaxed, "Neither.", "Nor more.", kCreate}};
  EXPECT_EQ(CreatePasses(table, "first,other,first", {})->size(), 3u);
  EXPECT_TRUE(CreatePasses(table, "", {})->empty());
  EXPECT_EQ(CreatePasses(table, "first,", {}).status(),
            absl::NotFoundError("pass must be one of first, other, got "));
  EXPECT_EQ(PassReference(table),
            "# Passes\n\n## first\n\nDoes nothing. *exact*\n\nNothing at all.\n"
            "\n## other\n\nNeither. *relaxed*\n\nNor more.\n");
}

}  // namespace
}  // namespace switchyard::static_graph
