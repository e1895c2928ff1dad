// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/build_op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "framework/types/attr_arg.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/program.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using testing::ToyContext;
using testing::ToyOp;

class BuildOpTest : public ::testing::Test {
 protected:
  ir::Value Feed(const char* name, DataType dtype, const Shape& shape) {
    return program_.AddFeed(name, context_->GetTensorType(dtype, shape));
  }
  std::string Text(std::vector<ir::NamedValue> fetches) {
    program_.Return(fetches, {});
    EXPECT_THAT(ir::Verify(program_), IsOk());
    return ir::Print(program_);
  }

  std::unique_ptr<ir::Context> context_ = ToyContext();
  ir::Program program_{context_.get(), "p"};
  ir::Builder builder_{context_.get(), &program_.entry()};
};

TEST_F(BuildOpTest, PromotesByCasts) {
  const ir::Value x = Feed("x", DataType::kFloat32, {Dim::Unknown()});
  const ir::Value y = Feed("y", DataType::kFloat64, {3});
  const auto sum = BuildOp(builder_, ToyOp("add"), {x, y});
  ASSERT_THAT(sum, IsOk());
  EXPECT_EQ(Text({{"out", *sum}}), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>, %y: feed "y" tensor<float64[3]>):
    %0 = op.cast(%x) {dtype = float64} : tensor<float64[?]>
    %1 = op.add(%0, %y) : tensor<float64[?]>
    builtin.return("out" = %1)
}
)");
}

TEST_F(BuildOpTest, WritesInPlaceWhatFits) {
  const ir::Value x = Feed("x", DataType::kFloat32, {3});
  const ir::Value y = Feed("y", DataType::kFloat64, {3});
  BuildOpOptions inplace;
  inplace.inplace = true;
  std::vector<ir::Value> results;
  ASSERT_THAT(BuildOp(builder_, ToyOp("relu"), {x}, {}, &results, inplace),
              IsOk());
  const absl::Status cast =
      BuildOp(builder_, ToyOp("add"), {x, y}, {}, &results, inplace);
  EXPECT_TRUE(IsTypeError(cast));
  EXPECT_THAT(cast, StatusIs(absl::StatusCode::kInvalidArgument,
                             "add: x must be of the result's type "
                             "tensor<float64[3]> to be written in place, got "
                             "tensor<float32[3]>"));
  EXPECT_THAT(BuildOp(builder_, ToyOp("fork"), {x}, {}, &results, inplace),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "fork: the operator has no in-place variant"));
  EXPECT_EQ(Text({{"out", x}}), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[3]>, %y: feed "y" tensor<float64[3]>):
    %0 = op.relu_(%x) : tensor<float32[3]>
    builtin.return("out" = %x)
}
)");
}

TEST_F(BuildOpTest, FillsInDefaults) {
  const ir::Value x = Feed("x", DataType::kFloat32, {3});
  const Scalar two(2.0);
  const auto full = BuildOp(builder_, ToyOp("full_like"), {x}, {AttrRef(two)});
  ASSERT_THAT(full, IsOk());
  EXPECT_THAT(Text({{"out", *full}}),
              HasSubstr("{dtype = undefined, value = scalar(2.0)}"));
  EXPECT_THAT(BuildOp(builder_, ToyOp("full_like"), {x}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "full_like: value must be given, got no value"));
  const auto wrong = BuildOp(builder_, ToyOp("full_like"), {x}, {AttrRef(1)});
  EXPECT_TRUE(IsTypeError(wrong.status()));
  EXPECT_THAT(wrong, StatusIs(absl::StatusCode::kInvalidArgument,
                              "full_like: value must be Scalar, got int"));
}

TEST_F(BuildOpTest, TakesAttributesFromValues) {
  const Dim batch = Dim::Symbol(0);
  const ir::Value x = Feed("x", DataType::kFloat32, {batch, 3});
  const ir::Value n = Feed("n", DataType::kInt64, {2});
  const auto sized = [&](std::vector<ir::Value> values) {
    const SuppliedAttr supplied[] = {{0, std::move(values)}};
    BuildOpOptions options;
    options.supplied = supplied;
    std::vector<ir::Value> results;
    const absl::Status status =
        BuildOp(builder_, ToyOp("sized"), {x}, {}, &results, options);
    EXPECT_THAT(status, IsOk());
    return status.ok() ? results[0] : ir::Value();
  };
  const auto extents = BuildOp(builder_, ToyOp("extents"), {x});
  ASSERT_THAT(extents, IsOk());
  const int64_t two[] = {2, 5};
  const auto constant = context_->GetConstant(
      context_->GetTensorType(DataType::kInt64, {2}),
      std::string_view(reinterpret_cast<const char*>(two), sizeof(two)));
  ASSERT_THAT(constant, IsOk());
  EXPECT_THAT(Text({{"a", sized({n})},
                    {"b", sized({*extents})},
                    {"c", sized({builder_.Constant(*constant)})}}),
              HasSubstr(R"(
    %0 = op.extents(%x) : tensor<int64[2]>
    %1 = op.sized(%x, %n) {operand_segments = int32[1, 1]} : tensor<float32[?, ?]>
    %2 = op.sized(%x, %0) {operand_segments = int32[1, 1]} : tensor<float32[s0, 3]>
    %3 = builtin.constant() {value = dense<int64[2]>[2, 5]} : tensor<int64[2]>
    %4 = op.sized(%x) {shape = int64[2, 5]} : tensor<float32[2, 5]>
)"));
}

TEST_F(BuildOpTest, RefusesValuesThatCannotSupply) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value any = Feed("any", DataType::kInt64, {Dim::Unknown()});
  const auto error = [&](const char* op, ir::Value value) {
    const SuppliedAttr supplied[] = {{0, {value}}};
    BuildOpOptions options;
    options.supplied = supplied;
    std::vector<ir::Value> results;
    return BuildOp(builder_, ToyOp(op), {x}, {}, &results, options);
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(error("sized", x),
              StatusIs(kInvalid,
                       "sized: shape must be supplied as int32 or int64, got "
                       "float32"));
  EXPECT_THAT(error("sized", any),
              StatusIs(kInvalid,
                       "sized: shape must be supplied by tensors of a known "
                       "number of elements in a row, got [?]"));
  EXPECT_THAT(error("cast", any),
              StatusIs(kInvalid,
                       "cast: dtype must be known when the program is made, "
                       "got a value of the program"));
}

TEST_F(BuildOpTest, LeavesNothingBehindAfterAnError) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value y = Feed("y", DataType::kFloat64, {3});
  // The cast of x was there before InferMeta refused the shapes.
  EXPECT_THAT(BuildOp(builder_, ToyOp("add"), {x, y}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "add: y must be [2], got [3]"));
  EXPECT_TRUE(program_.entry().empty());
}

TEST_F(BuildOpTest, LeavesOutOptionalResults) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const bool wanted[] = {true, false};
  BuildOpOptions options;
  options.wanted = wanted;
  std::vector<ir::Value> results;
  ASSERT_THAT(
      BuildOp(builder_, ToyOp("bias_grad"), {x, x}, {}, &results, options),
      IsOk());
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[1]);
  EXPECT_EQ(results[0].defining_op()->num_results(), 1);
}

TEST_F(BuildOpTest, WritesOutACallOfAnotherOperator) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const auto twice = BuildOp(builder_, ToyOp("twice"), {x});
  ASSERT_THAT(twice, IsOk());
  EXPECT_EQ(twice->defining_op()->name(), "op.add");
  EXPECT_EQ(twice->defining_op()->operand(1), x);
  // Arguments are checked as those of any other operator.
  EXPECT_THAT(BuildOp(builder_, ToyOp("twice"), {ir::Value()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "twice: x must be given, got no tensor"));
  EXPECT_THAT(BuildOp(builder_, ToyOp("twice"), {x}, {AttrRef(1)}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "twice: attributes must be at most 0, got 1"));
  EXPECT_EQ(program_.entry().size(), 1);
}

TEST_F(BuildOpTest, CountsArguments) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  EXPECT_THAT(BuildOp(builder_, ToyOp("relu"), {x, x}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "relu: inputs must be 1 arguments, got 2 arguments in "
                       "2 slots"));
}

TEST_F(BuildOpTest, AsksCompositesForEveryOutput) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  DialectOp idle = ToyOp("twice");
  idle.composite = [](ir::Builder&, const CompositeArgs&) {
    return absl::OkStatus();
  };
  std::vector<ir::Value> results;
  EXPECT_THAT(BuildComposite(builder_, idle, {x}, {}, {}, {true}, &results),
              StatusIs(absl::StatusCode::kInternal,
                       "twice: its composite yields no output 0"));
}

TEST_F(BuildOpTest, SuppliedAttributesAreReadAsValuesAlone) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value n = Feed("n", DataType::kInt64, {1});
  const SuppliedAttr supplied[] = {{0, {n}}};
  BuildOpOptions options;
  options.supplied = supplied;
  std::vector<ir::Value> results;
  ASSERT_THAT(BuildOp(builder_, ToyOp("sized"), {x}, {}, &results, options),
              IsOk());
  ir::Operation* op = results[0].defining_op();
  const auto call = ReadCall(*op);
  ASSERT_THAT(call, IsOk());
  // A composite passes such an attribute on, or must know it.
  DialectOp composed = ToyOp("sized");
  composed.composite = [](ir::Builder& builder, const CompositeArgs& args) {
    IrOps ops(&builder);
    return ops.Run([&] {
      *args.outputs.optional(0) =
          ops.Call(ToyOp("sized"), {args.inputs.one(0)},
                   {AttrArg<IntArray>(args.attrs[0], "shape").ref()});
    });
  };
  ASSERT_THAT(RunComposite(builder_, composed, {x}, call->attrs, call->supplied,
                           {true}, &results),
              IsOk());
  EXPECT_EQ(results[0].defining_op()->operand(1), n);
  composed.composite = [](ir::Builder& builder, const CompositeArgs& args) {
    IrOps ops(&builder);
    return ops.Run([&] { AttrArg<IntArray>(args.attrs[0], "shape").value(); });
  };
  EXPECT_THAT(RunComposite(builder_, composed, {x}, call->attrs, call->supplied,
                           {true}, &results),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "shape must be known where the operator is written as "
                       "others, got [?]"));
  // Its values are those of one call of the composite.
  static std::vector<AttrRef> kept;
  composed.composite = [](ir::Builder&, const CompositeArgs& args) {
    kept = {AttrArg<IntArray>(args.attrs[0], "shape").ref()};
    return absl::OkStatus();
  };
  ASSERT_THAT(RunComposite(builder_, composed, {x}, call->attrs, call->supplied,
                           {true}, &results),
              IsOk());
  IrOps ops(&builder_);
  EXPECT_THAT(
      ops.Run([&] { ops.Call(ToyOp("sized"), {x}, kept); }),
      StatusIs(absl::StatusCode::kInternal, "sized: shape has no values"));
  op->SetAttribute(context_->GetString("shape"),
                   context_->GetAttribute(absl::Span<const int64_t>()));
  EXPECT_THAT(ReadCall(*op),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "shape must be an attribute or supplied by tensors, got "
                       "both"));
}

TEST_F(BuildOpTest, ElementsAreNumbersInARow) {
  const ir::Value flag = Feed("flag", DataType::kBool, {});
  const ir::Value two = Feed("two", DataType::kInt32, {2});
  const ir::Value many = Feed("many", DataType::kInt64, {70000});
  const phi::AttrInfo scalar = {"value", AttrType::kScalar, false, {}, true};
  const phi::AttrInfo number = {"axis", AttrType::kInt, false, {}, true};
  const phi::AttrInfo list = {"shape", AttrType::kInt64s, false, {}, true};
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(GetElements(scalar, {flag}),
              StatusIs(kInvalid,
                       "value must be supplied as int32, int64, float32 or "
                       "float64, got bool"));
  EXPECT_THAT(
      GetElements(number, {two}),
      StatusIs(kInvalid, "axis must be supplied by one element, got 2"));
  const phi::AttrInfo floats = {"scale", AttrType::kFloats, false, {}, true};
  EXPECT_THAT(GetElements(floats, {two}),
              StatusIs(kInvalid,
                       "scale must be supplied as float32 or float64, got "
                       "int32"));
  const auto factors =
      GetElements(floats, {Feed("factors", DataType::kFloat32, {2})});
  ASSERT_THAT(factors, IsOk());
  EXPECT_EQ(*factors, (std::vector<AttrValue>{AttrValue(), AttrValue()}));
  EXPECT_THAT(GetElements(list, {two, many}),
              StatusIs(kInvalid,
                       "shape must be of at most 65535 elements, got [70000]"));
}

TEST_F(BuildOpTest, NeedsARegisteredOperator) {
  ir::Context bare;
  ir::Program program(&bare, "p");
  ir::Builder builder(&bare, &program.entry());
  const ir::Value x =
      program.AddFeed("x", bare.GetTensorType(DataType::kFloat32, {2}));
  EXPECT_THAT(
      BuildOp(builder, ToyOp("relu"), {x}),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "relu: the operator is not registered with the context"));
}

TEST_F(BuildOpTest, TheFirstErrorEndsAComposite) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value y = Feed("y", DataType::kFloat32, {3});
  IrOps ops(&builder_);
  bool went_on = false;
  const absl::Status status = ops.Run([&] {
    ops.Call(ToyOp("add"), {x, y}, {});
    went_on = true;
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                               "add: y must be [2], got [3]"));
  EXPECT_FALSE(went_on);
  EXPECT_TRUE(program_.entry().empty());
}

}  // namespace
}  // namespace switchyard::static_graph
