// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_values.h"

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/signatures/every_operator.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/onnx/testing.h"
#include "static_graph/ir/printer.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A node of no operator, in a program of one feed, float32[?, 2].
class OnnxValues : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterDialects(&context_, AllDialectOps()).ok());
    auto model = ReadOnnxBytes(onnx_testing::Model(onnx_testing::Graph()));
    ASSERT_THAT(model.status(), IsOk());
    model_ = *std::move(model);
    program_ = std::make_unique<ir::Program>(&context_, "m");
    translation_ = std::make_unique<OnnxTranslation>(*model_, program_.get());
    builder_ = std::make_unique<ir::Builder>(&context_, &program_->entry());
    op_.inputs.Add();
    op_.outputs.Add();
    x_ = program_->AddFeed(
        "x", context_.GetTensorType(DataType::kFloat32, Shape({Dim(), 2})));
  }

  OnnxCall Call() {
    return OnnxCall(op_, 17, *builder_, &scope_, translation_.get());
  }
  // Returns the text of a program that returns the value of `make`, or the
  // sentence of its error.
  std::string Made(const std::function<ir::Value(OnnxCall&)>& make) {
    OnnxCall call = Call();
    const ir::Value value = make(call);
    if (!call.ok()) return std::string(call.status().message());
    program_->Return({{"y", value}}, {});
    return ir::Print(*program_);
  }

  ir::Context context_;
  std::unique_ptr<const OnnxProgram> model_;
  std::unique_ptr<ir::Program> program_;
  std::unique_ptr<OnnxTranslation> translation_;
  std::unique_ptr<ir::Builder> builder_;
  ForeignOperator op_;
  OnnxScope scope_;
  ir::Value x_;
};

TEST_F(OnnxValues, DoNothingWhereNothingChanges) {
  OnnxCall call = Call();
  EXPECT_EQ(Cast(call, x_, DataType::kFloat32), x_);
  EXPECT_EQ(Transpose(call, x_, {0, 1}), x_);
  EXPECT_EQ(Unsqueeze(call, x_, {}), x_);
  EXPECT_EQ(Squeeze(call, x_, {}), x_);
  EXPECT_EQ(program_->entry().front(), nullptr);
}

TEST_F(OnnxValues, HaveEmptyTypesWhereTheyAreNull) {
  EXPECT_EQ(Rank(ir::Value()), 0);
  EXPECT_EQ(DtypeOf(ir::Value()), DataType::kUndefined);
  EXPECT_EQ(ShapeOf(x_), Shape({Dim(), 2}));
}

TEST_F(OnnxValues, AreNullAfterAProblem) {
  OnnxCall call = Call();
  call.Refuse("the first");
  EXPECT_FALSE(Cast(call, x_, DataType::kFloat32) != x_);
  EXPECT_FALSE(IntegerList(call, {1}));
  EXPECT_FALSE(NumberLike(call, ir::Value(), 1));
  EXPECT_FALSE(Extent(call, ir::Value(), 0));
  EXPECT_FALSE(Reshape(call, x_, {-1}));
  EXPECT_EQ(program_->entry().front(), nullptr);
  EXPECT_EQ(call.status().message(), "the first");
}

TEST_F(OnnxValues, RefuseNumbersOfStrings) {
  EXPECT_EQ(
      Made([](OnnxCall& call) { return Number(call, 1, DataType::kString); }),
      "numbers of this dtype are no constants here");
  EXPECT_EQ(Made([](OnnxCall& call) {
              const double one = 1;
              return FloatList(call, {&one, 1}, DataType::kComplex64);
            }),
            "numbers of this dtype are no constants here");
}

TEST_F(OnnxValues, RoundNumbersToTheDtypeOfTheOther) {
  EXPECT_THAT(Made([this](OnnxCall& call) {
                return NumberLike(call, Cast(call, x_, DataType::kFloat16),
                                  0.1);
              }),
              HasSubstr("[0.099975586]"));
}

// A known extent is a constant; another is read where the program runs.
TEST_F(OnnxValues, ReadExtentsThatAreNotKnown) {
  EXPECT_THAT(Made([this](OnnxCall& call) { return Extent(call, x_, 1); }),
              Not(HasSubstr("op.extent")));
}
TEST_F(OnnxValues, ReadUnknownExtents) {
  EXPECT_THAT(Made([this](OnnxCall& call) { return Extent(call, x_, 0); }),
              HasSubstr("op.extent(%x) {axis = 0}"));
}

TEST_F(OnnxValues, ReshapeToKnownExtentsByAttribute) {
  EXPECT_THAT(Made([this](OnnxCall& call) {
                return ReshapeTo(
                    call, x_,
                    {IntegerList(call, {2}), IntegerList(call, {-1})});
              }),
              HasSubstr("{shape = int64[2, -1]}"));
}
TEST_F(OnnxValues, ReshapeToValues) {
  EXPECT_THAT(Made([this](OnnxCall& call) {
                return ReshapeTo(call, x_, AllExtents(call, x_));
              }),
              HasSubstr("op.reshape(%x, %1, %2)"));
}

TEST_F(OnnxValues, TakeElementsOfAnAxis) {
  const std::string text = Made([this](OnnxCall& call) {
    return Slice(call, Slice(call, x_, 1, 0, 2), 0, 1, 9, 3);
  });
  EXPECT_THAT(text, HasSubstr("op.slice(%x)"));
  EXPECT_THAT(text, HasSubstr("op.strided_slice("));
  EXPECT_THAT(text, HasSubstr("strides = int64[3]"));
}

TEST_F(OnnxValues, DrawFromTheSeedOfTheNode) {
  ForeignAttr& seed = op_.attrs.Add();
  seed.name = "seed";
  seed.kind = ForeignKind::kFloat;
  seed.SetNumber(1);
  EXPECT_THAT(Made([](OnnxCall& call) { return NextDraw(call).rng; }),
              HasSubstr(absl::StrCat(0x3f800000)))
      << "the bits of 1.0f";
  EXPECT_EQ(translation_->streams, 0);
}

TEST_F(OnnxValues, DrawFromTheStateOfTheProgram) {
  OnnxCall call = Call();
  const OnnxDraw first = NextDraw(call), second = NextDraw(call);
  ASSERT_THAT(call.status(), IsOk());
  EXPECT_TRUE(first.rng);
  EXPECT_EQ(first.rng, second.rng);
  EXPECT_EQ(first.stream, 0);
  EXPECT_EQ(second.stream, 1);
}

// Each iteration of a loop would draw the same numbers.
TEST_F(OnnxValues, RefuseTheStateInAGraphInside) {
  ir::Program other(&context_, "other");
  ir::Builder inside(&context_, &other.entry());
  OnnxCall call(op_, 17, inside, &scope_, translation_.get());
  EXPECT_FALSE(NextDraw(call).rng);
  EXPECT_EQ(call.status().message(),
            "a random operator without a seed must not be in a graph inside");
}

}  // namespace
}  // namespace switchyard::static_graph
