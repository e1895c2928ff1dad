// SPDX-License-Identifier: Apache-2.0
// The verifiers of the dialects op, kernel and cf, as text, and the builders
// of cf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using testing::ToyContext;
using testing::ToyKernels;
using testing::ToyOp;

// The verdict on a program with this line and feeds of several types.
absl::Status Verdict(const std::string& line) {
  const std::unique_ptr<ir::Context> context = ToyContext();
  SY_RETURN_IF_ERROR(RegisterCustomGradient(context.get()));
  const std::string text = R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[2]>,
      %y: feed "y" tensor<float32[3]>,
      %c: feed "c" tensor<bool[]>):
    )" + line + R"(
    builtin.return()
}
)";
  SY_ASSIGN_OR_RETURN(const ir::Program program,
                      ir::Parse(context.get(), text));
  return ir::Verify(program);
}

struct Wrong {
  const char* line;
  const char* message;
};

TEST(Dialects, AcceptsCalls) {
  EXPECT_THAT(Verdict("%0 = op.relu(%x) : tensor<float32[2]>"), IsOk());
  // A type may know less than InferMeta, or more.
  EXPECT_THAT(Verdict("%0 = op.relu(%x) : tensor<float32[?]>"), IsOk());
  EXPECT_THAT(Verdict("%0 = kernel.relu(%x) {inplace = int32[0], kernel = "
                      "\"relu_cpu_float32\"} : tensor<float32[2]>"),
              IsOk());
}

constexpr Wrong kWrongCalls[] = {
    {"%0 = op.relu(%x, %x) : tensor<float32[2]>",
     "operands must be 1 argument, got 2 arguments"},
    {"%0 = op.relu(%x) : tensor<float32[2]> region { cf.yield() }",
     "op.relu: regions must be none, got 1"},
    {"%0 = op.relu(%x) {axis = 1} : tensor<float32[2]>",
     "axis must be an attribute of the operator, got an unknown name"},
    {"%0 = op.cast(%x) : tensor<float32[2]>",
     "dtype must be given, got no such attribute"},
    {"%0 = op.cast(%x) {dtype = 1} : tensor<float32[2]>",
     "dtype must be DataType, got 1"},
    {"%0 = op.relu(%x) : tensor<float32[3]>",
     "out must be float32[2] as InferMeta says, got float32[3]"},
    {"%0 = op.relu(%x) : tensor<float32[2], kind sparse_coo>",
     "out must be float32[2] as InferMeta says, got sparse_coo float32[2]"},
    {"%0 = op.relu(%x) : tensor<float32[2], layout A8a>",
     "layout must be strided in the dialect op, got A8a"},
    {"%0 = op.add(%x, %y) : tensor<float32[2]>", "y must be [2], got [3]"},
    {"%0 = op.bias(%x, %x) {operand_segments = int32[0, 2]} : "
     "tensor<float32[2]>",
     "x must be one tensor, got 0 tensors"},
    {"%0 = op.relu(%x) {kernel = \"relu_cpu_float32\"} : "
     "tensor<float32[2]>",
     "kernel must be an attribute of the operator"},
    {"%0 = op.twice(%x) : tensor<float32[2]>",
     "it is a call of another operator: write that one"},
    {"%0 = kernel.relu(%x) : tensor<float32[2]>",
     "kernel must be given or have candidates, got neither"},
    {"%0 = kernel.relu(%x) {inplace = int32[1], kernel = \"k\"} : "
     "tensor<float32[2]>",
     "inplace must be an operand whose memory the operator may take, got 1"},
    {"%0 = kernel.tiered(%x) {inplace = int32[0], kernel = \"k\"} : "
     "tensor<float32[2]>",
     "inplace must be an operand whose memory the operator may take, got 0"},
    {"%0 = op.relu(%x) : tensor<float32[s0]>",
     "out must be float32[2] as InferMeta says, got float32[s0]"},
    {"%0 = op.sized(%x, %c) {operand_segments = int32[1, 1]} : "
     "tensor<float32[2]>",
     "shape must be supplied as int32 or int64, got bool"},
    {"%0 = kernel.relu(%x) {inplace = 0, kernel = \"k\"} : "
     "tensor<float32[2]>",
     "inplace must be int32[] with a number for each result, got 0"},
};

constexpr Wrong kWrongControlFlow[] = {
    {"%0 = cf.if(%x) : tensor<float32[2]> region { cf.yield(%x) } "
     "region { cf.yield(%x) }",
     "condition must be a bool tensor of one element"},
    {"%0 = cf.if(%c) : tensor<float32[2]> region { cf.yield(%x) } "
     "region { cf.yield(%y) }",
     "yielded value 0 must be tensor<float32[2]>, got tensor<float32[3]>"},
    {"%0 = cf.if(%c) : tensor<float32[2]> region { cf.yield(%x) }",
     "regions must be 2, got 1"},
    {"%0 = cf.if() : tensor<float32[2]> region { cf.yield(%x) } region { "
     "cf.yield(%x) }",
     "operands must be one condition, got 0"},
    {"%0 = cf.if(%c) : tensor<float32[2]> region { ^(%a: tensor<bool[]>): "
     "cf.yield(%x) } region { cf.yield(%x) }",
     "regions must be without arguments, got 1"},
    {"%0 = cf.if(%c) : tensor<float32[2]> region { cf.condition(%c) } "
     "region { cf.yield(%x) }",
     "region must be ended by cf.yield, got cf.condition"},
    {"%0 = cf.while(%x) : tensor<float32[2]> region { cf.condition(%c) } "
     "region { ^(%a: tensor<float32[2]>): cf.yield(%a) }",
     "region argument must be 1 values, got 0"},
    {"%0 = cf.while(%x) : tensor<float32[2]> region { "
     "^(%a: tensor<float32[2]>): cf.condition(%c, %c) } region { "
     "^(%b: tensor<float32[2]>): cf.yield(%b) }",
     "operands must be one condition, got 2"},
    {"%0 = cf.if(%c) : tensor<float32[2]> region { cf.yield(%x) region { "
     "cf.yield() } } region { cf.yield(%x) }",
     "cf.yield: regions must be 0, got 1"},
    {"%0 = cf.while(%x) : tensor<float32[2]> region { "
     "^(%a: tensor<float32[2]>): cf.condition(%c) region { cf.yield() } } "
     "region { ^(%b: tensor<float32[2]>): cf.yield(%b) }",
     "cf.condition: regions must be 0, got 1"},
    {"%0 = cf.while(%x) : tensor<float32[3]> region { "
     "^(%a: tensor<float32[3]>): cf.condition(%c) } region { "
     "^(%b: tensor<float32[3]>): cf.yield(%b) }",
     "first value 0 must be tensor<float32[3]>, got tensor<float32[2]>"},
    {"%0 = cf.while(%x) : tensor<float32[?]> region { "
     "^(%a: tensor<float32[2]>): cf.condition(%c) } region { "
     "^(%b: tensor<float32[s0]>): cf.yield(%b) }",
     "region argument 0 must be tensor<float32[s0]>, got "
     "tensor<float32[?]>"},
    {"%0 = cf.custom_gradient(%x, %y) {of = int32[0]} : tensor<float32[2]> "
     "region { ^(%g: tensor<float32[2]>): cf.yield(%y) }",
     "region arguments must be 2, got 1"},
    {"%0 = cf.custom_gradient(%x, %y) : tensor<float32[2]> region { "
     "^(%g: tensor<float32[2]>, %r: tensor<float32[2]>): cf.yield(%y) }",
     "region must be ended by cf.yield, beside an attribute of = int32[], got "
     "neither or one of the two"},
    {"%0 = cf.custom_gradient(%x, %y) {of = int32[0]} : tensor<float32[2]> "
     "region { ^(%g: tensor<float32[2]>, %r: tensor<float32[2]>): cf.yield() }",
     "yielded values must be 1, got 0"},
    {"%0 = cf.custom_gradient(%x, %y) {of = int32[1]} : tensor<float32[2]> "
     "region { ^(%g: tensor<float32[2]>, %r: tensor<float32[2]>): "
     "cf.yield(%y) }",
     "of must be in [0, 1), got 1"},
    {"%0 = cf.custom_gradient(%x, %y) {of = int32[0]} : tensor<float32[2]> "
     "region { ^(%g: tensor<float32[2]>, %r: tensor<float32[2]>): "
     "cf.yield(%g) }",
     "gradient 0 must be tensor<float32[3]>, got tensor<float32[2]>"},
    {"%0 = cf.custom_gradient() : tensor<float32[2]> region { "
     "^(%g: tensor<float32[2]>, %r: tensor<float32[2]>): cf.yield() }",
     "operands must be at least 1, got 0"},
};

void ExpectRefused(absl::Span<const Wrong> cases) {
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(
        Verdict(wrong.line),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(wrong.message)))
        << wrong.line;
  }
}

TEST(Dialects, RefusesWrongCalls) { ExpectRefused(kWrongCalls); }

TEST(Dialects, RefusesWrongControlFlow) { ExpectRefused(kWrongControlFlow); }

// Slots are numbered in 16 bits.
TEST(Dialects, RefusesMoreOperandsThanThereAreSlots) {
  std::string operands = "%x";
  for (int i = 1; i < 70000; ++i) operands += ", %x";
  EXPECT_THAT(
      Verdict("%0 = op.sum_all(" + operands +
              ") {operand_segments = int32[70000]} : tensor<float32[2]>"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("operands must be at most 65534, got 70000")));
}

TEST(Dialects, NamesKernelsBySymbol) {
  const phi::OpKernels& op_kernels = *ToyKernels().Find("tiered");
  for (const phi::KernelDef* kernel : op_kernels.kernels) {
    EXPECT_EQ(FindKernel(op_kernels, KernelSymbol(*kernel)), kernel);
  }
  EXPECT_EQ(KernelSymbol(*op_kernels.kernels[0]), "tiered_onednn_float32");
  EXPECT_EQ(FindKernel(op_kernels, "tiered_gpu_float32"), nullptr);
}

TEST(Dialects, RefusesOperatorsWithAttributesOfItsOwn) {
  for (const char* name : {"inplace", "op_device"}) {
    const phi::AttrInfo attrs[] = {{name, AttrType::kBool}};
    phi::OpInfo info = *ToyOp("relu").info;
    info.attrs = attrs;
    const DialectOp op = {&info};
    ir::Context context;
    EXPECT_THAT(
        RegisterDialects(&context, {&op}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr(std::string("relu: attribute name must be other "
                                       "than those of the dialects, got ") +
                           name)));
  }
}

class ControlFlowTest : public ::testing::Test {
 protected:
  ir::Value Feed(const char* name, DataType dtype, const Shape& shape) {
    return program_.AddFeed(name, context_->GetTensorType(dtype, shape));
  }
  std::unique_ptr<ir::Context> context_ = ToyContext();
  ir::Program program_{context_.get(), "p"};
  ir::Builder builder_{context_.get(), &program_.entry()};
};

TEST_F(ControlFlowTest, BuildsBranchesAndLoops) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value y = Feed("y", DataType::kFloat32, {Dim::Unknown()});
  const ir::Value c = Feed("c", DataType::kBool, {});
  const auto chosen = BuildIf(
      builder_, c, [&](ir::Builder&) { return std::vector<ir::Value>{x}; },
      [&](ir::Builder&) { return std::vector<ir::Value>{y}; });
  ASSERT_THAT(chosen, IsOk());
  const auto looped = BuildWhile(
      builder_, {x},
      [&](ir::Builder&, absl::Span<const ir::Value>) { return c; },
      [&](ir::Builder& inner, absl::Span<const ir::Value> values)
          -> absl::StatusOr<std::vector<ir::Value>> {
        SY_ASSIGN_OR_RETURN(const ir::Value next,
                            BuildOp(inner, ToyOp("relu"), {values[0]}));
        return std::vector<ir::Value>{next};
      });
  ASSERT_THAT(looped, IsOk());
  program_.Return({{"a", (*chosen)[0]}, {"b", (*looped)[0]}}, {});
  ASSERT_THAT(ir::Verify(program_), IsOk());
  EXPECT_EQ(ir::Print(program_), R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[2]>,
      %y: feed "y" tensor<float32[?]>,
      %c: feed "c" tensor<bool[]>):
    %0 = cf.if(%c) : tensor<float32[?]> region {
      cf.yield(%x)
    } region {
      cf.yield(%y)
    }
    %1 = cf.while(%x) : tensor<float32[2]> region {
      ^(%2: tensor<float32[2]>):
      cf.condition(%c)
    } region {
      ^(%3: tensor<float32[2]>):
      %4 = op.relu(%3) : tensor<float32[2]>
      cf.yield(%4)
    }
    builtin.return("a" = %0, "b" = %1)
}
)");
}

TEST_F(ControlFlowTest, RegionsNeedATerminator) {
  ir::OperationState state;
  state.definition = context_->FindOp(kIfOp);
  state.operands = {Feed("c", DataType::kBool, {})};
  state.regions = 2;
  const ir::Operation* branch = builder_.Create(state);
  EXPECT_THAT(branch->definition().verify(*branch),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "region must be ended by cf.yield, got no terminator"));
}

TEST_F(ControlFlowTest, InsertsNothingOnErrors) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value c = Feed("c", DataType::kBool, {});
  const auto fail = [](ir::Builder&) -> absl::StatusOr<std::vector<ir::Value>> {
    return absl::InternalError("no");
  };
  const auto yield = [&](ir::Builder&) { return std::vector<ir::Value>{x}; };
  EXPECT_THAT(BuildIf(builder_, c, yield, fail),
              StatusIs(absl::StatusCode::kInternal, "cf.if: no"));
  EXPECT_THAT(BuildIf(builder_, x, yield, yield),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("cf.if: condition must be a bool tensor")));
  EXPECT_THAT(BuildWhile(
                  builder_, {x},
                  [&](ir::Builder&, absl::Span<const ir::Value>) { return c; },
                  [&](ir::Builder&, absl::Span<const ir::Value>) {
                    return std::vector<ir::Value>{c};
                  }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("cf.while: next value 0 must be")));
  const auto two = [&](ir::Builder&) { return std::vector<ir::Value>{x, x}; };
  EXPECT_THAT(BuildIf(builder_, c, yield, two),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "cf.if: value yielded by the else branch must be 1 "
                       "values, got 2"));
  EXPECT_TRUE(program_.entry().empty());
}

}  // namespace
}  // namespace switchyard::static_graph
