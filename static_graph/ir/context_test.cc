// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/context.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
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
  const Attribute texts = context.GetStrings({"a", "b"});
  EXPECT_EQ(texts.As<absl::Span<const std::string>>()->at(1), "b");
  EXPECT_EQ(context.GetAttribute(*texts.ref()), texts);
  EXPECT_NE(context.GetString("a"), context.GetSymbol("a"));
  EXPECT_EQ(context.GetStrings({"a", "b"}), context.GetStrings({"a", "b"}));
  EXPECT_NE(context.GetStrings({"a", "b"}), context.GetStrings({"ab"}));
}

TEST(ContextTest, UniquesPostOperations) {
  Context context;
  const PostOps ops = *ParsePostOps("post_ops", "[relu, clip(0, 6)]");
  const Attribute list = context.GetAttribute(ops);
  EXPECT_EQ(list.As<PostOps>(), ops);
  EXPECT_EQ(ToString(list), "post_ops[relu, clip(0.0, 6.0)]");
  EXPECT_EQ(context.GetAttribute(*ParsePostOps("x", "[relu,clip(0,6.0)]")),
            list);
  EXPECT_NE(context.GetAttribute(PostOps()), list);
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

TEST(ContextTest, WritesComplexNumbersByTheirParts) {
  Context context;
  const TensorType type =
      context.GetTensorType(DataType::kComplex64, Shape({1}));
  const std::complex<float> element(1.5f, -0.0f);
  const std::string_view bytes(reinterpret_cast<const char*>(&element),
                               sizeof(element));
  EXPECT_EQ(ToString(*context.GetConstant(type, bytes)),
            "dense<complex64[1]>[complex(1.5, -0.0)]");
  const std::complex<float> odd(1, std::nanf(""));
  const std::string_view odd_bytes(reinterpret_cast<const char*>(&odd),
                                   sizeof(odd));
  EXPECT_EQ(ToString(*context.GetConstant(type, odd_bytes)),
            "dense<complex64[1]>[0x0000803f0000c07f]");
  const Scalar z(std::complex<double>(0.5, 2)), other(0.5);
  const Attribute scalar = context.GetAttribute(AttrRef(z));
  EXPECT_EQ(scalar.As<Scalar>(), z);
  EXPECT_EQ(ToString(scalar), "scalar(complex(0.5, 2.0))");
  EXPECT_NE(scalar, context.GetAttribute(AttrRef(other)));
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
  EXPECT_EQ(context.GetOp("no name").status().message(),
            "unknown operation no name");
}

// test.count<N>, whose parameter is a small number.
class CountType : public Type {
 public:
  using Key = int;
  using Storage = KeyedTypeStorage<Key>;
  using Type::Type;
  int count() const { return key<CountType>(); }
};

TypeDefinition Count() {
  TypeDefinition count;
  count.id = TypeIdOf<CountType>();
  count.name = "test.count";
  count.print = [](Type type) {
    return "<" + std::to_string(type.As<CountType>().count()) + ">";
  };
  count.parse = [](Lexer&, Context*) -> absl::StatusOr<Type> {
    return absl::UnimplementedError("count");
  };
  count.verify = [](Type type) {
    const int value = type.As<CountType>().count();
    if (value < 10) return absl::OkStatus();
    return ArgumentError("test.count", "below 10", std::to_string(value));
  };
  count.encode = [](Type, Encoder*) {};
  count.decode = [](Decoder*) -> absl::StatusOr<Type> {
    return absl::UnimplementedError("count");
  };
  return count;
}

TEST(ContextTest, UniquesTypesOfDialects) {
  Context context;
  EXPECT_EQ(context.Get<CountType>(1).status().code(),
            absl::StatusCode::kFailedPrecondition);
  Dialect test;
  test.name = "test";
  test.types = {Count()};
  ASSERT_EQ(context.Register(test), absl::OkStatus());
  const Type one = *context.Get<CountType>(1);
  EXPECT_EQ(one, *context.Get<CountType>(1));
  EXPECT_NE(one, *context.Get<CountType>(2));
  EXPECT_EQ(ToString(one), "test.count<1>");
  EXPECT_TRUE(one.Is<CountType>());
  EXPECT_FALSE(one.Is<TensorType>());
  const auto tensor = one.As<TensorType>();
  EXPECT_FALSE(tensor);
  EXPECT_EQ(tensor.dtype(), DataType::kUndefined);
  EXPECT_EQ(tensor.shape().rank(), 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(context.Get<CountType>(10).status().message(),
              "test.count must be below 10, got 10");
  }
}

TEST(ContextTest, RegistersADialectWholeOrNotAtAll) {
  Context context;
  Dialect test;
  test.name = "test";
  test.operations.emplace_back().name = "test.op";
  test.types = {Count(), Count()};
  EXPECT_EQ(context.Register(test).message(),
            "type test.count must be registered once, got it twice");
  test.types.pop_back();
  test.types[0].decode = nullptr;
  EXPECT_EQ(context.Register(test).code(), absl::StatusCode::kInvalidArgument);
  test.types[0] = Count();
  test.operations.emplace_back().name = "other.op";
  EXPECT_EQ(context.Register(test).message(),
            "name must be of the form test.name, got \"other.op\"");
  EXPECT_EQ(context.FindOp("test.op"), nullptr);
  EXPECT_EQ(context.FindType("test.count"), nullptr);
  test.operations.pop_back();
  EXPECT_EQ(context.Register(test), absl::OkStatus());
  EXPECT_NE(context.FindOp("test.op"), nullptr);
}

struct FirstTrait {};
struct SecondTrait {};
struct NumberInterface {
  int number;
};

TEST(ContextTest, FindsTraitsAndInterfacesOfAnyWorkspace) {
  static constexpr NumberInterface kOne = {1};
  static constexpr NumberInterface kTwo = {2};
  OpDefinition definition;
  definition.Add<FirstTrait>().Add(&kOne).Add<PureTrait>();
  EXPECT_TRUE(definition.has<FirstTrait>());
  EXPECT_FALSE(definition.has<SecondTrait>());
  EXPECT_TRUE(definition.has<NumberInterface>());
  EXPECT_EQ(definition.interface<NumberInterface>(), &kOne);
  EXPECT_EQ(definition.interface<AliasInterface>(), nullptr);
  const OpDefinition copy = definition;
  definition.Add(&kTwo);
  EXPECT_EQ(definition.interface<NumberInterface>(), &kTwo);
  EXPECT_EQ(copy.interface<NumberInterface>(), &kOne);
}

TEST(ContextTest, LocatesErrorsOnce) {
  Context context;
  const Location line = context.GetLocation("a.py", 3);
  EXPECT_EQ(line, context.GetLocation("a.py", 3));
  EXPECT_NE(line, context.GetLocation("a.py", 4));
  const Location imported = context.GetLocation("net", 0, 3);
  const absl::Status error = TypeError("x", "float32", "bool");
  EXPECT_EQ(AtLocation(error, Location()), error);
  EXPECT_EQ(AtLocation(absl::OkStatus(), line), absl::OkStatus());
  const absl::Status located = AtLocation(error, line);
  EXPECT_EQ(located.message(), "x must be float32, got bool (at a.py:3)");
  EXPECT_TRUE(IsTypeError(located));
  EXPECT_EQ(AtLocation(Annotate(located, "net"), imported).message(),
            "net: x must be float32, got bool (at a.py:3)");
  EXPECT_EQ(AtLocation(error, imported).message(),
            "x must be float32, got bool (at operation 3 of block 0 of net)");
}

}  // namespace
}  // namespace switchyard::static_graph::ir
