// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "phi/core/owned_kernel_table.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ToyContext;
using testing::ToyKernels;

constexpr char kArguments[] = R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[2, 2]>,
      %y: feed "y" tensor<float32[?]>,
      %w: state "w" tensor<float32[2]>,
      %r: state "r" tensor<float32[1]>):
)";

// The lowered lines of a program with these lines.
absl::StatusOr<std::string> Lowered(const std::string& lines,
                                    const LoweringOptions& options = {}) {
  const std::unique_ptr<ir::Context> context = ToyContext();
  SY_ASSIGN_OR_RETURN(const ir::Program program,
                      ir::Parse(context.get(), kArguments + lines + "}\n"));
  SY_RETURN_IF_ERROR(ir::Verify(program));
  SY_ASSIGN_OR_RETURN(const ir::Program lowered,
                      Lower(program, ToyKernels(), options));
  SY_RETURN_IF_ERROR(ir::Verify(lowered));
  const std::string text = ir::Print(lowered);
  const size_t begin = std::string(kArguments).size();
  return text.substr(begin, text.size() - begin - 2);
}

TEST(Lower, NamesTheKernel) {
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%x) : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.relu(%x) {kernel = "relu_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)")));
}

TEST(Lower, KeepsCandidatesOfUnknownShapes) {
  EXPECT_THAT(
      Lowered(R"(    %0 = op.tiered(%y) : tensor<float32[?]>
    builtin.return("out" = %0)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.tiered(%y) {candidates = string["tiered_onednn_float32"], kernel = "tiered_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[?]>
    builtin.return("out" = %0)
)")));
}

TEST(Lower, WritesTransformsDown) {
  EXPECT_THAT(
      Lowered(R"(    %0 = op.transpose(%x) : tensor<float32[2, 2]>
    %1 = op.relu(%0) : tensor<float32[2, 2]>
    builtin.return("out" = %1)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.transpose(%x) {kernel = "transpose_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2, 2]>
    %1 = kernel.contiguous(%0) {kernel = "contiguous_cpu_float32", key_dtype = float32, runs_on = cpu, transform = true} : tensor<float32[2, 2]>
    %2 = kernel.relu(%1) {kernel = "relu_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2, 2]>
    builtin.return("out" = %2)
)")));
}

TEST(Lower, WritesCompositesOut) {
  EXPECT_THAT(
      Lowered(
          R"(    %0, %1 = op.multiply_grad(%w, %w, %w) : tensor<float32[2]>, tensor<float32[2]>
    builtin.return("out" = %0)
)"),
      IsOkAndHolds(HasSubstr("%0 = kernel.multiply(%w, %w)")));
}

TEST(Lower, MovesOptimizerStepsToTheEndAndLetsThemWriteState) {
  EXPECT_THAT(Lowered(R"(    %0 = op.sgd_(%w, %r, %w) : tensor<float32[2]>
    %1 = op.relu(%w) : tensor<float32[2]>
    builtin.return("out" = %1) state("w" = %0)
)"),
              // It reads w twice, so it can't write it while it reads.
              IsOkAndHolds(HasSubstr("kernel.copy(%w)")));
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%w) : tensor<float32[2]>
    %1 = op.sgd_(%w, %r, %0) : tensor<float32[2]>
    %2 = op.relu(%w) : tensor<float32[2]>
    builtin.return("out" = %2) state("w" = %1)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.relu(%w) {kernel = "relu_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2]>
    %1 = kernel.relu(%w) {kernel = "relu_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2]>
    %2 = kernel.sgd_(%w, %r, %0) {inplace = int32[0], kernel = "sgd__cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2]>
    builtin.return("out" = %1) state("w" = %2)
)")));
}

TEST(Lower, NamesTheOperatorThatIsNotLinked) {
  EXPECT_THAT(Lowered(R"(    %0 = op.unlinked(%x) : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
              StatusIs(absl::StatusCode::kNotFound,
                       "unlinked: no kernel of it is linked"));
}

TEST(Lower, NeedsTheOperatorReorderForOtherLayouts) {
  const std::unique_ptr<ir::Context> context = ToyContext();
  const auto program = ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2], layout A8a>):
    %0 = op.relu(%x) : tensor<float32[2]>
    builtin.return("out" = %0)
}
)");
  ASSERT_THAT(program, IsOk());
  EXPECT_THAT(Lower(*program, ToyKernels()),
              StatusIs(absl::StatusCode::kNotFound,
                       "reorder: the operator is not registered"));
}

// An operator without a kernel whose composite is `composite`, lowered.
absl::Status LowerComposite(CompositeBuilder composite) {
  phi::OpInfo info = *testing::ToyOp("relu").info;
  info.name = "whole";
  DialectOp op = {&info, nullptr, nullptr, composite, true};
  const std::unique_ptr<ir::Context> context = ToyContext();
  SY_RETURN_IF_ERROR(RegisterDialects(context.get(), {&op}));
  SY_ASSIGN_OR_RETURN(const ir::Program program,
                      ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.whole(%x) : tensor<float32[2]>
    builtin.return("out" = %0)
}
)"));
  return Lower(program, ToyKernels()).status();
}

TEST(Lower, NeedsACompositeWhereThereIsNoKernel) {
  EXPECT_THAT(LowerComposite(nullptr),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "whole: the operator has no kernel and no composite"));
}

// The gradient of an input that is not there: optional, and of no dtype. A
// program may have it, but not use it.
absl::Status LowerAbsentResult(bool used) {
  phi::OpInfo info = *testing::ToyOp("relu").info;
  phi::OutputInfo output = info.outputs[0];
  output.optional = true;
  info.name = "whole";
  info.outputs = absl::MakeConstSpan(&output, 1);
  info.infer_meta = [](const phi::InferMetaContext&) {
    return absl::OkStatus();
  };
  const DialectOp op = {
      &info, nullptr, nullptr,
      [](ir::Builder&, const CompositeArgs&) { return absl::OkStatus(); },
      true};
  const std::unique_ptr<ir::Context> context = ToyContext();
  SY_RETURN_IF_ERROR(RegisterDialects(context.get(), {&op}));
  ir::Program program(context.get(), "p");
  ir::Builder builder(context.get(), &program.entry());
  const ir::Value x = program.AddFeed(
      "x", context->GetTensorType(DataType::kFloat32, Shape({2})));
  SY_ASSIGN_OR_RETURN(const ir::Value absent, BuildOp(builder, op, {x}));
  program.Return({{"out", used ? absent : x}}, {});
  return Lower(program, ToyKernels()).status();
}

TEST(Lower, RefusesTheUseOfAResultThatIsAbsent) {
  EXPECT_THAT(LowerAbsentResult(/*used=*/false), IsOk());
  EXPECT_THAT(LowerAbsentResult(/*used=*/true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "whole: output 0 must not be used where the input that "
                       "it belongs to is absent"));
}

TEST(Lower, EndsCompositesThatGoInCircles) {
  const auto again = [](ir::Builder& builder,
                        const CompositeArgs& args) -> absl::Status {
    IrOps ops(&builder);
    return ops.Run([&] {
      args.outputs.one(0) = ops.Call(*FindOperator(*builder.context(), "whole"),
                                     {args.inputs.one(0)}, {});
    });
  };
  EXPECT_THAT(LowerComposite(again),
              StatusIs(absl::StatusCode::kInternal,
                       "composites are defined by each other in circles"));
}

TEST(Lower, RefusesACompositeThatYieldsAnotherType) {
  const auto widen = [](ir::Builder& builder,
                        const CompositeArgs& args) -> absl::Status {
    IrOps ops(&builder);
    return ops.Run([&] {
      args.outputs.one(0) =
          ops.Call(*FindOperator(*builder.context(), "cast"),
                   {args.inputs.one(0)}, {AttrRef(DataType::kFloat64)});
    });
  };
  EXPECT_THAT(LowerComposite(widen),
              StatusIs(absl::StatusCode::kInternal,
                       "whole: its composite: out must be float32[2] as "
                       "InferMeta says, got float64[2]"));
}

TEST(Lower, NamesTheOperatorThatHasNoKernel) {
  LoweringOptions options;
  options.policy = phi::selection::Policy::Only(backend_reference);
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%x) : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)",
              options),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("relu: no kernel for")));
}

TEST(Lower, RunsWhereAnOperationAsks) {
  EXPECT_THAT(
      Lowered(
          R"(    %0 = op.relu(%x) {op_device = "cpu"} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.relu(%x) {kernel = "relu_cpu_float32", key_dtype = float32, runs_on = cpu} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)")));
}

TEST(Lower, RefusesAnotherPlaceThanTheProgramsOrTheHost) {
  const char* const relu =
      R"(    %0 = op.relu(%x) {op_device = "gpu:1"} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)";
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(Lowered(relu),
              StatusIs(kInvalid,
                       "relu: op_device must be cpu, where the program runs, "
                       "got gpu:1"));
  LoweringOptions options;
  options.place = Place::Gpu(0);
  EXPECT_THAT(Lowered(relu, options),
              StatusIs(kInvalid,
                       "relu: op_device must be gpu:0, where the program "
                       "runs, or cpu, got gpu:1"));
  // The parts of a composite run there too.
  EXPECT_THAT(
      Lowered(
          R"(    %0, %1 = op.multiply_grad(%w, %w, %w) {op_device = "gpu"} : tensor<float32[2]>, tensor<float32[2]>
    builtin.return("out" = %0)
)"),
      StatusIs(kInvalid,
               "multiply: op_device must be cpu, where the program runs, got "
               "gpu"));
}

// The policy of an operation stays on its kernel, which is selected again when
// shapes are known.
TEST(Lower, SelectsByThePolicyOfAnOperation) {
  EXPECT_THAT(
      Lowered(
          R"(    %0 = op.relu(%x) {policy = "declined=cpu"} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr("library must be one that the call does not decline, "
                         "got cpu")));
  EXPECT_THAT(
      Lowered(
          R"(    %0 = op.relu(%x) {policy = "prefer=cpu"} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      IsOkAndHolds(std::string(
          R"(    %0 = kernel.relu(%x) {kernel = "relu_cpu_float32", key_dtype = float32, policy = "prefer=cpu", runs_on = cpu} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)")));
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%x) {policy = "fast"} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      StatusIs(kInvalid, HasSubstr("relu: policy must be origin=phi|fluid")));
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%x) {policy = 1} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      StatusIs(kInvalid, HasSubstr("policy must be str, got 1")));
  // It holds for the parts of a composite.
  EXPECT_THAT(
      Lowered(
          R"(    %0, %1 = op.multiply_grad(%w, %w, %w) {policy = "backend=none"} : tensor<float32[2]>, tensor<float32[2]>
    builtin.return("out" = %0)
)"),
      StatusIs(kInvalid, HasSubstr("multiply: policy: backend must be")));
}

TEST(Lower, ReadsAPlaceFromText) {
  EXPECT_THAT(
      Lowered(R"(    %0 = op.relu(%x) {op_device = 1} : tensor<float32[2, 2]>
    builtin.return("out" = %0)
)"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("op_device must be str, got 1")));
}

// Copies between places are of dense tensors and SelectedRows.
TEST(Lower, RefusesAFallbackOfATensorArray) {
  phi::ArgDef array;
  array.kind = TensorKind::kTensorArray;
  phi::KernelDef relu =
      *ToyKernels().Find("relu")->candidates(DataType::kFloat32)[0];
  relu.inputs = absl::MakeConstSpan(&array, 1);
  relu.outputs = relu.inputs;
  const phi::KernelDef* const kernels[] = {&relu};
  const auto table = phi::MakeKernelTable(kernels);
  ASSERT_THAT(table, IsOk());
  const std::unique_ptr<ir::Context> context = ToyContext();
  const auto program = ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2], kind tensor_array>):
    %0 = op.relu(%x) : tensor<float32[2], kind tensor_array>
    builtin.return("out" = %0)
}
)");
  ASSERT_THAT(program, IsOk());
  LoweringOptions options;
  options.place = Place::Gpu(0);
  options.policy.allow_fallback = true;
  EXPECT_THAT(Lower(*program, (*table)->table(), options),
              StatusIs(absl::StatusCode::kUnimplemented,
                       AllOf(HasSubstr("relu: x"),
                             HasSubstr(" must be dense or SelectedRows for a "
                                       "fallback from "),
                             HasSubstr(" in a program, got "))));
  const auto asking = ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2], kind tensor_array>):
    %0 = op.relu(%x) {op_device = "cpu"} : tensor<float32[2], kind tensor_array>
    builtin.return("out" = %0)
}
)");
  ASSERT_THAT(asking, IsOk());
  EXPECT_THAT(Lower(*asking, (*table)->table(), options),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "relu: x must be dense or SelectedRows for op_device "
                       "from gpu:0 to cpu in a program, got tensor_array"));
}

}  // namespace
}  // namespace switchyard::static_graph
