// SPDX-License-Identifier: Apache-2.0
#include "framework/types/attribute.h"

#include "framework/types/float_values.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

constexpr bool kBools[] = {true, false};
constexpr int kInts[] = {1, -2};
constexpr int64_t kInt64s[] = {int64_t{1} << 40, -1};
constexpr float kFloats[] = {0.1f, 2.0f};
constexpr double kDoubles[] = {0.1, -3.0};
constexpr DataType kDataTypes[] = {DataType::kInt8, DataType::kFloat64};
const std::string kStrings[] = {"nearest", "a\"b"};
const Scalar kScalars[] = {true, 2, 0.5};
const Scalar kScalar(2.5);

struct AttributeCase {
  AttrRef ref;
  const char* type;
  const char* text;
};

std::vector<AttributeCase> Cases() {
  return {
      {true, "bool", "true"},
      {-1, "int", "-1"},
      {int64_t{1} << 40, "int64_t", "1099511627776"},
      {0.1f, "float", "0.1"},
      {0.1, "double", "0.1"},
      {2.0, "double", "2.0"},
      {"nearest", "str", "\"nearest\""},
      {std::string_view("a\"b\\c\nd"), "str", "\"a\\\"b\\\\c\\nd\""},
      {absl::MakeConstSpan(kInts), "int[]", "[1, -2]"},
      {absl::MakeConstSpan(kInt64s), "int64_t[]", "[1099511627776, -1]"},
      {absl::MakeConstSpan(kFloats), "float[]", "[0.1, 2.0]"},
      {absl::MakeConstSpan(kBools), "bool[]", "[true, false]"},
      {absl::Span<const int>(), "int[]", "[]"},
      {absl::MakeConstSpan(kDoubles), "double[]", "[0.1, -3.0]"},
      {absl::MakeConstSpan(kStrings), "str[]", "[\"nearest\", \"a\\\"b\"]"},
      {absl::MakeConstSpan(kScalars), "Scalar[]", "[true, 2, 0.5]"},
      {absl::MakeConstSpan(kDataTypes), "DataType[]", "[int8, float64]"},
      {kScalar, "Scalar", "2.5"},
      {DataType::kBFloat16, "DataType", "bfloat16"},
      {Place::Gpu(1), "Place", "gpu:1"},
      {Place::Cpu(), "Place", "cpu"},
      {PostOps(), "post_ops", "[]"},
      {*ParsePostOps("post_ops", "swish(2)"), "post_ops", "[swish(2.0)]"},
  };
}

TEST(AttributeTest, TypesAndTexts) {
  for (const AttributeCase& c : Cases()) {
    EXPECT_EQ(Name(c.ref.type()), c.type);
    EXPECT_EQ(ToString(c.ref), c.text);
  }
}

TEST(AttributeTest, EveryTypeHasAName) {
  for (const AttributeCase& c : Cases()) {
    EXPECT_EQ(ParseAttrType(c.type), c.ref.type());
    const bool list =
        Name(c.ref.type()).substr(0, 8) != "post_ops" && c.text[0] == '[';
    EXPECT_EQ(IsList(c.ref.type()), list);
  }
  EXPECT_EQ(ElementType(AttrType::kScalars), AttrType::kScalar);
  EXPECT_EQ(ParseAttrType("number"), std::nullopt);
}

TEST(AttributeTest, SuppliedOnesAreReadAsValues) {
  const AttrValue values[] = {-1, AttrValue::Of(Dim::Symbol(3)), AttrValue()};
  const AttrRef list = AttrRef::Supplied(AttrType::kInt64s, values);
  EXPECT_TRUE(list.supplied());
  EXPECT_EQ(list.type(), AttrType::kInt64s);
  EXPECT_EQ(ToString(list), "[-1, s3, ?]");
  EXPECT_EQ(list.Get<AttrValues>()[1].dim(), Dim::Symbol(3));
  EXPECT_FALSE(list.Get<AttrValues>().known());
  const AttrRef number =
      AttrRef::Supplied(AttrType::kInt, absl::MakeConstSpan(values).last(1));
  EXPECT_EQ(ToString(number), "?");
  EXPECT_FALSE(number.Get<AttrValue>().known());
  const AttrRef scalar =
      AttrRef::Supplied(AttrType::kScalar, absl::MakeConstSpan(values).last(1));
  EXPECT_EQ(scalar.Get<const Scalar*>(), nullptr);
  const AttrRef floats = AttrRef::Supplied(AttrType::kFloats, values);
  EXPECT_EQ(floats.Get<FloatValues>(), std::nullopt);
  const AttrRef rate =
      AttrRef::Supplied(AttrType::kFloat, absl::MakeConstSpan(values).last(1));
  EXPECT_EQ(rate.Get<FloatValue>(), std::nullopt);
}

TEST(AttributeTest, PlainOnesAreReadAsValuesToo) {
  const AttrRef list = absl::MakeConstSpan(kInt64s);
  EXPECT_FALSE(list.supplied());
  EXPECT_EQ(list.Get<AttrValues>()[1], AttrValue(-1));
  EXPECT_TRUE(list.Get<AttrValues>().known());
  EXPECT_EQ(AttrRef(7).Get<AttrValue>(), AttrValue(7));
  EXPECT_EQ(AttrRef(kScalar).Get<const Scalar*>(), &kScalar);
  EXPECT_EQ(AttrRef(0.5f).Get<FloatValue>(), 0.5f);
  EXPECT_EQ(AttrRef(absl::MakeConstSpan(kFloats)).Get<FloatValues>(),
            absl::MakeConstSpan(kFloats));
}

TEST(AttributeTest, TheOwningFormRoundTrips) {
  for (const AttributeCase& c : Cases()) {
    const Attribute owned(c.ref);
    const Attribute copy = owned;
    EXPECT_EQ(copy.type(), c.ref.type());
    EXPECT_EQ(ToString(copy.ref()), c.text);
    EXPECT_TRUE(copy == Attribute(c.ref));
  }
}

TEST(AttributeTest, EqualityIsByTypeAndValue) {
  const std::vector<AttributeCase> cases = Cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    for (size_t j = 0; j < cases.size(); ++j) {
      EXPECT_EQ(Attribute(cases[i].ref) == Attribute(cases[j].ref), i == j)
          << cases[i].text << " and " << cases[j].text;
    }
  }
  EXPECT_FALSE(Attribute(AttrRef(1)) == Attribute(AttrRef(int64_t{1})));
}

TEST(AttributeTest, RefsGiveTheKernelsTypes) {
  EXPECT_EQ(AttrRef(7).Get<int>(), 7);
  EXPECT_EQ(AttrRef(0.5f).Get<float>(), 0.5f);
  EXPECT_EQ(AttrRef("x").Get<std::string_view>(), "x");
  const AttrRef bools = absl::MakeConstSpan(kBools);
  EXPECT_EQ(bools.Get<absl::Span<const bool>>(), absl::MakeConstSpan(kBools));
  EXPECT_EQ(&AttrRef(kScalar).Get<const Scalar&>(), &kScalar);
  EXPECT_EQ(AttrRef(Place::Gpu(5)).Get<Place>(), Place::Gpu(5));
  EXPECT_EQ(AttrRef().Get<bool>(), false);
}

TEST(AttributeTest, TheOwningFormCopiesWhatARefPointsAt) {
  Attribute owned;
  {
    const std::string text = "text that no small string holds inside itself";
    owned = Attribute(AttrRef(std::string_view(text)));
  }
  EXPECT_EQ(owned.ref().Get<std::string_view>(),
            "text that no small string holds inside itself");
}

}  // namespace
}  // namespace switchyard
