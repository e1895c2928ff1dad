// SPDX-License-Identifier: Apache-2.0
// Which calls on a device fall back when a program is lowered, which wait for
// the extents of a run, and what a strict policy refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "framework/device/sim/sim_device.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/owned_kernel_table.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ToyContext;
using testing::ToyKernels;

constexpr BackendInfo kSim = {"sim_toy", &device_sim, 100, true,
                              &SimContext::kContexts};

// The kernels of `tiered`, which asks for eight rows on one of its backends and
// for nothing on the other, and of what copies. That of eight rows is of sim or
// of the host.
class Kernels {
 public:
  explicit Kernels(bool on_sim) {
    for (const phi::KernelDef* kernel :
         ToyKernels().Find("tiered")->candidates(DataType::kFloat32)) {
      defs_.push_back(*kernel);
    }
    if (on_sim) defs_[0].key.backend = &kSim;
    for (const phi::KernelDef* kernel :
         ToyKernels().Find("copy")->candidates(DataType::kFloat32)) {
      defs_.push_back(*kernel);
      defs_.push_back(*kernel);
      defs_.back().key.backend = &kSim;
    }
  }

  // Lets a kernel of `tiered` allocate its result: that of eight rows (0), or
  // the other.
  void AllocateResult(int kernel) {
    static constexpr phi::ArgDef kOwn = phi::SelfAllocated(phi::AnyDtype());
    defs_[kernel].outputs = absl::MakeConstSpan(&kOwn, 1);
  }
  // Leaves `tiered` the kernel of eight rows alone.
  void DropGeneral() { defs_.erase(defs_.begin() + 1); }

  // Returns the lowered program that calls `tiered` with these rows.
  absl::StatusOr<std::string> Lowered(const std::string& rows,
                                      bool strict) const {
    std::vector<const phi::KernelDef*> kernels;
    for (const phi::KernelDef& kernel : defs_) kernels.push_back(&kernel);
    SY_ASSIGN_OR_RETURN(const auto table, phi::MakeKernelTable(kernels));
    const std::unique_ptr<ir::Context> context = ToyContext();
    const std::string type = "tensor<float32[" + rows + "]>";
    SY_ASSIGN_OR_RETURN(
        const ir::Program program,
        ir::Parse(context.get(),
                  "program @p {\n  ^entry(%x: feed \"x\" " + type +
                      "):\n    %0 = op.tiered(%x) : " + type +
                      "\n    builtin.return(\"out\" = %0)\n}\n"));
    LoweringOptions options;
    options.place = SimPlace();
    options.policy.allow_fallback = true;
    options.policy.strict = strict;
    SY_ASSIGN_OR_RETURN(const ir::Program lowered,
                        Lower(program, table->table(), options));
    return ir::Print(lowered);
  }

 private:
  std::vector<phi::KernelDef> defs_;
};

const auto kFallsBack =
    AllOf(HasSubstr("kernel.copy(%x)"), HasSubstr("runs_on = cpu"),
          HasSubstr("fallback_from = sim:0"));

TEST(Fallback, IsDecidedWhereExtentsAreKnown) {
  const Kernels kernels(/*on_sim=*/true);
  EXPECT_THAT(kernels.Lowered("4", false), IsOkAndHolds(kFallsBack));
  EXPECT_THAT(kernels.Lowered("4", true),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("tiered: a strict policy forbids the "
                                 "fallback to cpu, and there is no kernel "
                                 "for")));
  for (const bool strict : {false, true}) {
    EXPECT_THAT(kernels.Lowered("8", strict),
                IsOkAndHolds(AllOf(HasSubstr("runs_on = sim:0"),
                                   Not(HasSubstr("kernel.copy")))));
  }
}

TEST(Fallback, WaitsWhileAKernelOfTheDeviceIsUndecided) {
  const Kernels kernels(/*on_sim=*/true);
  for (const bool strict : {false, true}) {
    EXPECT_THAT(
        kernels.Lowered("?", strict),
        IsOkAndHolds(AllOf(
            HasSubstr("candidates = string[\"tiered_sim_toy_float32\"], "
                      "kernel = \"tiered_cpu_float32\""),
            HasSubstr("runs_on = sim:0"), Not(HasSubstr("kernel.copy")))));
  }
}

// A result that its kernel allocates can't be copied back within a run.
TEST(Fallback, IsDecidedForResultsOfUnknownShape) {
  Kernels kernels(/*on_sim=*/true);
  kernels.AllocateResult(1);
  EXPECT_THAT(kernels.Lowered("?", false),
              IsOkAndHolds(AllOf(kFallsBack, Not(HasSubstr("candidates")))));
  EXPECT_THAT(kernels.Lowered("?", true),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "tiered: a strict policy forbids the fallback from "
                       "sim:0 to cpu, which no run can decide for a result "
                       "that its kernel allocates"));
}

TEST(Fallback, NeedsAKernelOfTheHostThatIsCertain) {
  Kernels kernels(/*on_sim=*/false);
  kernels.DropGeneral();
  EXPECT_THAT(kernels.Lowered("?", false),
              IsOkAndHolds(AllOf(HasSubstr("runs_on = sim:0"),
                                 Not(HasSubstr("kernel.copy")))));
  kernels.AllocateResult(0);
  EXPECT_THAT(kernels.Lowered("?", false),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "tiered: there can be no fallback from sim:0 to cpu, "
                       "which no run can decide for a result that its kernel "
                       "allocates"));
}

TEST(Fallback, IsCertainWhileOnlyKernelsOfTheHostAreUndecided) {
  const Kernels kernels(/*on_sim=*/false);
  EXPECT_THAT(
      kernels.Lowered("?", false),
      IsOkAndHolds(
          AllOf(kFallsBack,
                HasSubstr("candidates = string[\"tiered_onednn_float32\"]"))));
  EXPECT_THAT(kernels.Lowered("?", true),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("a strict policy forbids the fallback to")));
}

}  // namespace
}  // namespace switchyard::static_graph
