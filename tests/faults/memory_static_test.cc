// SPDX-License-Identifier: Apache-2.0
// Programs with every request for memory refused (memory_campaign.h): built,
// read, printed, transformed by each pass, lowered, compiled, run, saved.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/pass/pass_manager.h"
#include "static_graph/passes/passes.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/saved_program.h"
#include "tests/faults/fault_injection.h"
#include "tests/faults/memory_campaign.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::State;
namespace ir = static_graph::ir;

// Work for every pass: a common subexpression, an identity, constants, what
// nothing uses, a chain of scales; and control flow.
constexpr char kStep[] = R"(program @step {
  ^entry(
      %x: feed "x" tensor<float32[?, 3]>,
      %c: feed "c" tensor<bool[]>,
      %w: state "w" tensor<float32[3, 2]>,
      %runs: state "runs" tensor<float32[2]>,
      %rate: state "rate" tensor<float32[1]>):
    %t = builtin.constant() {value = dense<float32[2]>[0.5, 2.0]} : tensor<float32[2]>
    %one = builtin.constant() {value = dense<float32[2]>[1.0, 1.0]} : tensor<float32[2]>
    %u = op.multiply(%t, %t) : tensor<float32[2]>
    %unused = op.tanh(%u) : tensor<float32[2]>
    %0 = op.matmul(%x, %w) : tensor<float32[?, 2]>
    %a = op.tanh(%0) : tensor<float32[?, 2]>
    %b = op.tanh(%0) : tensor<float32[?, 2]>
    %1 = cf.if(%c) : tensor<float32[?, 2]> region {
      %2 = op.add(%a, %b) : tensor<float32[?, 2]>
      cf.yield(%2)
    } region {
      %3 = op.multiply(%0, %u) : tensor<float32[?, 2]>
      cf.yield(%3)
    }
    %4 = op.mean(%1) : tensor<float32[]>
    %more = op.add(%runs, %one) : tensor<float32[2]>
    builtin.return("loss" = %4) state("runs" = %more)
}
)";

class MemoryStatic : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(static_graph::RegisterDialects(&context_,
                                               static_graph::AllDialectOps()),
                IsOk());
  }

  // kStep with the update of w.
  absl::StatusOr<ir::Program> Training() {
    SY_ASSIGN_OR_RETURN(ir::Program program, ir::Parse(&context_, kStep));
    const ir::Value w = program.FindArgument(ir::ArgumentRole::kState, "w");
    const ir::Value rate =
        program.FindArgument(ir::ArgumentRole::kState, "rate");
    const std::vector<ir::NamedValue> fetches = program.fetches();
    std::vector<ir::NamedValue> states = program.new_states();
    ir::Builder builder(&context_);
    builder.SetInsertionPoint(program.return_op());
    SY_ASSIGN_OR_RETURN(
        const std::vector<ir::Value> gradients,
        static_graph::BuildGradients(builder, fetches[0].value, {w}));
    SY_ASSIGN_OR_RETURN(
        const ir::Value updated,
        static_graph::BuildOp(builder,
                              *static_graph::FindOperator(context_, "sgd_"),
                              {w, rate, gradients[0]}));
    states.push_back({"w", updated});
    program.Return(fetches, states);
    return program;
  }

  absl::StatusOr<State> NewState() const {
    State state;
    SY_RETURN_IF_ERROR(
        state.Set("w", MakeTensor<float>({3, 2}, {1, -2, 0.5f, 3, -1, 0.25f})));
    SY_RETURN_IF_ERROR(state.Set("runs", MakeTensor<float>({2}, {0, 5})));
    SY_RETURN_IF_ERROR(state.Set("rate", MakeTensor<float>({1}, {0.1f})));
    return state;
  }

  static std::string BitsOf(const State& state) {
    std::string bits;
    for (const State::Entry& entry : state.entries()) {
      bits += entry.name + Bits(entry.tensor);
    }
    return bits;
  }

  absl::StatusOr<std::string> RunOnce(const Executable& program, State* state) {
    SY_ASSIGN_OR_RETURN(const auto fetches,
                        program.Run({{"x", x_}, {"c", yes_}}, state));
    return Bits(fetches.at(0).tensor) + BitsOf(*state);
  }

  ir::Context context_;
  const DenseTensor x_ = MakeTensor<float>({2, 3}, {1, 2, 3, -1, 0.5f, 0});
  const DenseTensor yes_ = MakeTensor<bool>({}, {true});
};

TEST_F(MemoryStatic, Parse) {
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(const ir::Program program, ir::Parse(&context_, kStep));
    return std::to_string(program.entry().size());
  });
}

TEST_F(MemoryStatic, Print) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&] { return ir::Print(*program); });
}

TEST_F(MemoryStatic, Verify) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_RETURN_IF_ERROR(ir::Verify(*program));
    return "valid";
  });
}

TEST_F(MemoryStatic, VerifyWhatIsWrong) {
  absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  program->return_op()->Erase();
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    return std::string(ir::Verify(*program).message());
  });
}

TEST_F(MemoryStatic, Clone) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&] {
    const ir::Program copy = program->Clone();
    return std::to_string(copy.entry().size());
  });
  EXPECT_THAT(ir::Verify(*program), IsOk());
}

TEST_F(MemoryStatic, BuildGradients) {
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(const ir::Program program, Training());
    return ir::Print(program);
  });
}

// The part of a loop that was built before memory ran out is taken back.
TEST_F(MemoryStatic, BuildALoopInAProgramThatGoesOn) {
  ASSERT_THAT(static_graph::RegisterControlFlowDialect(&context_), IsOk());
  ir::Program program(&context_, "loop");
  const ir::Value x =
      program.AddFeed("x", context_.GetTensorType(DataType::kFloat32, {2}));
  const ir::Value more =
      program.AddFeed("more", context_.GetTensorType(DataType::kBool, Shape()));
  program.Return({{"x", x}}, {});
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    ir::Builder builder(&context_);
    builder.SetInsertionPoint(program.return_op());
    const auto results = static_graph::BuildWhile(
        builder, {x},
        [&](ir::Builder&, absl::Span<const ir::Value>)
            -> absl::StatusOr<ir::Value> { return more; },
        [&](ir::Builder& inner, absl::Span<const ir::Value> values)
            -> absl::StatusOr<std::vector<ir::Value>> {
          SY_ASSIGN_OR_RETURN(
              const ir::Value sum,
              static_graph::BuildOp(
                  inner, *static_graph::FindOperator(context_, "add"),
                  {values[0], values[0]}));
          return std::vector<ir::Value>{sum};
        });
    SY_RETURN_IF_ERROR(results.status());
    SY_RETURN_IF_ERROR(ir::Verify(program));
    return "valid";
  });
}

TEST_F(MemoryStatic, EachPass) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const static_graph::PassEnvironment environment = {
      static_graph::FoldWithKernels(&context_, phi::KernelTables::Current()),
      nullptr, nullptr};
  for (const static_graph::PassInfo& info : static_graph::AllPasses()) {
    SCOPED_TRACE(info.name);
    ExpectSurvivesFailedAllocations(
        [&]() -> absl::StatusOr<std::string> {
          ir::Program copy = program->Clone();
          static_graph::PassManager passes;
          SY_RETURN_IF_ERROR(passes.Add(info.create(environment)));
          SY_RETURN_IF_ERROR(passes.Run(copy).status());
          return ir::Print(copy);
        },
        40);
  }
}

TEST_F(MemoryStatic, Lower) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(
        const ir::Program lowered,
        static_graph::Lower(*program, phi::KernelTables::Current()));
    return ir::Print(lowered);
  });
}

TEST_F(MemoryStatic, Compile) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(
        const auto compiled,
        Executable::Compile(*program, phi::KernelTables::Current()));
    return compiled->lowered_text();
  });
}

TEST_F(MemoryStatic, FirstRun) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(
        const auto compiled,
        Executable::Compile(*program, phi::KernelTables::Current()));
    SY_ASSIGN_OR_RETURN(State state, NewState());
    return RunOnce(*compiled, &state);
  });
}

// The program is the same in all runs; so is what it keeps for its shapes.
TEST_F(MemoryStatic, NextRun) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const auto compiled =
      Executable::Compile(*program, phi::KernelTables::Current());
  ASSERT_THAT(compiled, IsOk());
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(State state, NewState());
    return RunOnce(**compiled, &state);
  });
}

TEST_F(MemoryStatic, FirstRunOfAShape) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const auto compiled =
      Executable::Compile(*program, phi::KernelTables::Current());
  ASSERT_THAT(compiled, IsOk());
  int64_t rows = 1;
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(State state, NewState());
    ++rows;
    const DenseTensor x =
        MakeTensorOf(DataType::kFloat32, {rows, 3},
                     std::vector<double>(static_cast<size_t>(3 * rows), 0.5));
    SY_ASSIGN_OR_RETURN(const auto fetches,
                        (*compiled)->Run({{"x", x}, {"c", yes_}}, &state));
    return Bits(*state.Find("runs"));
  });
}

// After a failed run each state has the bits that it had: all of them, though
// the program updates several.
TEST_F(MemoryStatic, AStateIsCommittedWholeOrNotAtAll) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const auto compiled =
      Executable::Compile(*program, phi::KernelTables::Current());
  ASSERT_THAT(compiled, IsOk());
  const std::string before = BitsOf(*NewState());
  State updated = *NewState();
  ASSERT_THAT(RunOnce(**compiled, &updated), IsOk());
  const std::string after = BitsOf(updated);
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(State state, NewState());
    absl::Status status;
    try {
      status = (*compiled)->Run({{"x", x_}, {"c", yes_}}, &state).status();
    } catch (const std::bad_alloc&) {
      status = absl::ResourceExhaustedError("");
    }
    SyStopFailingNew();  // What follows looks at the state.
    const std::string bits = BitsOf(state);
    if (bits != (status.ok() ? after : before)) {
      return absl::InternalError("the run " + status.ToString() + " left " +
                                 bits);
    }
    SY_RETURN_IF_ERROR(status);
    return bits;
  });
}

TEST_F(MemoryStatic, Serialize) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const absl::StatusOr<State> state = NewState();
  ASSERT_THAT(state, IsOk());
  ExpectSurvivesFailedAllocations(
      [&] { return static_graph::SerializeProgram(*program, *state); });
}

TEST_F(MemoryStatic, SaveAndLoad) {
  const absl::StatusOr<ir::Program> program = Training();
  ASSERT_THAT(program, IsOk());
  const absl::StatusOr<State> state = NewState();
  ASSERT_THAT(state, IsOk());
  const std::string path = ::testing::TempDir() + "/memory.sy";
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_RETURN_IF_ERROR(static_graph::SaveProgram(path, *program, *state));
    SY_ASSIGN_OR_RETURN(const static_graph::SavedProgram loaded,
                        static_graph::LoadProgram(&context_, path));
    return ir::Print(loaded.program) + BitsOf(loaded.state);
  });
}

}  // namespace
}  // namespace switchyard
