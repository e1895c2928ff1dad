// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/context.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace switchyard::static_graph::ir {
namespace {

TEST(ContextTest, UniquesTypes) {
  Context context;
  TensorSpec spec;
  spec.dtype = DataType::kFloat32;
  spec.shape = Shape({2, Dim::Unknown(), Dim::Symbol(3)});
  const TensorType type = context.GetTensorType(spec);
  EXPECT_EQ(context.GetTensorType(spec), type);
  EXPECT_EQ(context.GetTensorType(spec.dtype, spec.shape), type);
  EXPECT_EQ(ToString(type), "tensor<float32[2, ?, s3]>");
  spec.shape[2] = Dim::Symbol(4);
  EXPECT_NE(context.GetTensorType(spec), type);
  spec = type.spec();
  spec.layout = *ParseLayoutDescriptor("acb");
  EXPECT_NE(context.GetTensorType(spec), type);
}

TEST(ContextTest, KeepsTheWidthOfNumbers) {
  Context context;
  const Attribute narrow = context.GetAttribute(5);
  const Attribute wide = context.GetAttribute(int64_t{5});
  EXPECT_EQ(context.GetAttribute(5), narrow);
  EXPECT_NE(narrow, wide);
  EXPECT_EQ(narrow.As<int>(), 5);
  EXPECT_EQ(narrow.As<int64_t>(), std::nullopt);
  EXPECT_EQ(wide.As<int64_t>(), 5);
  EXPECT_NE(context.GetAttribute(0.5f), context.GetAttribute(0.5));
  EXPECT_EQ(Attribute().As<int>(), std::nullopt);
}

TEST(ContextTest, DistinguishesZerosAndUnitesNans) {
  Context context;
  EXPECT_NE(context.GetAttribute(0.0), context.GetAttribute(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(context.GetAttribute(nan),
            context.GetAttribute(std::copysign(nan, -1.0)));
}

TEST(ContextTest, OwnsWhatAttributesReferTo) {
  Context context;
  Attribute list;
  Attribute scalar;
  {
    const bool bools[] = {true, false, true};
    list = context.GetAttribute(absl::MakeConstSpan(bools));
    const Scalar half(0.5);
    scalar = context.GetAttribute(AttrRef(half));
  }
  EXPECT_EQ(list.As<absl::Span<const bool>>()->size(), 3u);
  EXPECT_EQ(ToString(list), "bool[true, false, true]");
  EXPECT_EQ(scalar.As<Scalar>(), Scalar(0.5));
  EXPECT_NE(context.GetString("a"), context.GetSymbol("a"));
  EXPECT_EQ(context.GetStrings({"a", "b"}), context.GetStrings({"a", "b"}));
  EXPECT_NE(context.GetStrings({"a", "b"}), context.GetStrings({"ab"}));
}

TEST(ContextTest, ChecksConstants) {
  Context context;
  const TensorType type = context.GetTensorType(DataType::kInt16, Shape({2}));
  const auto constant =
      context.GetConstant(type, std::string_view("\1\0\2\0", 4));
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_EQ(ToString(*constant), "dense<int16[2]>[1, 2]");
  EXPECT_EQ(context.GetConstant(type, "abc").status().code(),
            absl::StatusCode::kInvalidArgument);
  const TensorType huge = context.GetTensorType(
      DataType::kInt8, Shape({int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_EQ(context.GetConstant(huge, "").status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ContextTest, WritesLongAndOddConstantsInHexadecimal) {
  Context context;
  const TensorType bytes = context.GetTensorType(DataType::kUInt8, Shape({17}));
  EXPECT_EQ(ToString(*context.GetConstant(bytes, std::string(17, '\xab'))),
            "dense<uint8[17]>[0xababababababababababababababababab]");
  const TensorType real = context.GetTensorType(DataType::kFloat32, Shape());
  EXPECT_EQ(ToString(*context.GetConstant(
                real, std::string_view("\x01\x00\xc0\x7f", 4))),
            "dense<float32[]>[0x0100c07f]");
}

TEST(ContextTest, RegistersOperationsOnce) {
  Context context;
  OpDefinition definition;
  definition.name = "test.op";
  EXPECT_EQ(context.RegisterOp(definition), absl::OkStatus());
  EXPECT_EQ(context.RegisterOp(definition).code(),
            absl::StatusCode::kAlreadyExists);
  definition.name = "op";
  EXPECT_EQ(context.RegisterOp(definition).message(),
            "operation name must be of the form dialect.name, got \"op\"");
  EXPECT_EQ(context.GetOp("test.other").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(context.RegisteredOps().size(), 1u);
}

TEST(ContextTest, MakesUpUnknownOperationsOnlyIfAllowed) {
  ContextOptions options;
  options.allow_unknown_ops = true;
  Context context(options);
  const auto unknown = context.GetOp("test.other");
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE((*unknown)->registered);
  EXPECT_EQ(*context.GetOp("test.other"), *unknown);
  EXPECT_EQ(context.FindOp("test.other"), nullptr);
  EXPECT_FALSE(context.GetOp("no name").ok());
}

}  // namespace
}  // namespace switchyard::static_graph::ir
