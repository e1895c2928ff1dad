// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/legacy_call.h"

#include <limits>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

using testing::HasSubstr;

constexpr Scalar kOne(1.0);
constexpr InputInfo kInputs[] = {{"x"}, {"rest", false, true}, {"bias", true}};
constexpr AttrInfo kOurs[] = {{"scale", AttrType::kScalar, true, kOne},
                              {"axes", AttrType::kInt64s},
                              {"dtype", AttrType::kDataType},
                              {"value", AttrType::kFloat},
                              {"stream", AttrType::kInt64, true, int64_t{7}}};
constexpr OpInfo kOp = {"specimen", kInputs, kOurs, {}, nullptr, {}, {}};

constexpr LegacySlot kSlots[] = {{"X", 0},
                                 {"Rest", 1, -1, -1, true},
                                 {"Bias", 2, -1, -1, false, true},
                                 {"ScaleTensor", -1, 0, -1, false, true},
                                 {"Old", -1, -1, -1, true, true}};
constexpr LegacyAttr kAttrs[] = {
    {"scale", 0, AttrType::kFloat, true, 1.0f},
    {"axis", 1, AttrType::kInts},
    {"out_dtype", 2, AttrType::kDataType, true, DataType::kFloat32}};
constexpr LegacyConstant kConstants[] = {{3, 0.25f}};
constexpr const char* kExtra[] = {"use_mkldnn"};
constexpr LegacyForm kForm = {"legacy_specimen", &kOp,   kSlots, {}, kAttrs,
                              kConstants,        kExtra, ""};

// Another form of it, with attributes that are more than a name.
constexpr int64_t kNone[] = {0};
constexpr LegacyValue kAll[] = {
    {true, true, absl::Span<const int64_t>(kNone, 0)}};
constexpr LegacyValue kLayouts[] = {{"NCHW"}, {"AnyLayout"}};
constexpr LegacyAttr kRicher[] = {
    {"dim", 1, AttrType::kInts, true, absl::Span<const int>()},
    {"reduce_all", 1, AttrType::kBool, true, false, kAll, true, false},
    {"num", 1, AttrType::kInt, true, 0, {}, true, 0, true, -1},
    {"text", 0, AttrType::kString, true, "", {}, true, ""},
    {"layout", -1, AttrType::kString, true, "NCHW", kLayouts},
    {"dtype", 2, AttrType::kDataType, true, DataType::kUndefined}};
constexpr LegacyForm kRich = {"rich_specimen", &kOp,       kSlots, {},
                              kRicher,         kConstants, {},     ""};

// A form in which two numbers are the ends of a list.
constexpr LegacyAttr kEnds[] = {
    {"low",
     1,
     AttrType::kInt,
     false,
     {},
     {},
     false,
     {},
     false,
     0,
     LegacyBound::kFirst},
    {"high",
     1,
     AttrType::kInt,
     false,
     {},
     {},
     false,
     {},
     false,
     0,
     LegacyBound::kLast},
    {"out_dtype", 2, AttrType::kDataType, true, DataType::kFloat32}};
constexpr LegacyForm kBounded = {"bounded_specimen", &kOp, kSlots, {}, kEnds,
                                 kConstants,         {},   ""};

// A form whose number has a range.
constexpr LegacyAttr kShare[] = {{"share",
                                  3,
                                  AttrType::kFloat,
                                  true,
                                  0.5f,
                                  {},
                                  false,
                                  {},
                                  false,
                                  0,
                                  LegacyBound::kNone,
                                  0,
                                  1}};
constexpr LegacyConstant kAllAxes[] = {{1, absl::Span<const int64_t>(kNone, 0)},
                                       {2, DataType::kFloat32}};
constexpr LegacyForm kRanged = {"ranged_specimen", &kOp, kSlots, {}, kShare,
                                kAllAxes,          {},   ""};

constexpr int kAxisValues[] = {1, -1};
constexpr LegacyAttrValue kAxis = {"axis", absl::Span<const int>(kAxisValues)};

TEST(MapInputs, FindsTensorsByArgument) {
  const auto inputs = MapInputs(kForm, {{"Rest", 2}, {"X", 1}, {"Old", 3}});
  ASSERT_THAT(inputs, IsOk());
  const ArgSegments segments = inputs->tensors.segments();
  EXPECT_EQ(segments.arguments(), 3);
  EXPECT_EQ(segments.begin(1), 1);
  EXPECT_EQ(segments.begin(2), 3);
  ASSERT_EQ(inputs->tensors.size(), 4u);
  EXPECT_EQ(inputs->tensors[0].input, 1);
  EXPECT_EQ(inputs->tensors[2].input, 0);
  EXPECT_EQ(inputs->tensors[2].position, 1);
  EXPECT_EQ(inputs->tensors[3].input, -1);  // Bias is absent.
  EXPECT_EQ(inputs->suppliers, (std::vector<int>{-1, -1, -1, -1, -1}));
}

TEST(MapInputs, KnowsWhatSuppliesAnAttribute) {
  const auto inputs = MapInputs(kForm, {{"X", 1}, {"ScaleTensor", 1}});
  ASSERT_THAT(inputs, IsOk());
  EXPECT_EQ(inputs->suppliers[0], 1);
}

TEST(MapInputs, AnEmptySlotIsAbsentWhateverItsName) {
  const auto inputs = MapInputs(kForm, {{"X", 1}, {"ResidualData", 0}});
  ASSERT_THAT(inputs, IsOk());
  EXPECT_EQ(inputs->tensors[0].input, 0);
}

TEST(MapInputs, RefusesWhatTheFormDoesNotSay) {
  const auto refused = [](std::vector<LegacyInput> given,
                          const std::string& text) {
    EXPECT_THAT(MapInputs(kForm, given),
                StatusIs(absl::StatusCode::kInvalidArgument, text));
  };
  refused({}, "X must be given, got none");
  refused({{"X", 0}}, "X must be given, got none");
  refused({{"X", 2}}, "X must be one tensor, got 2");
  refused({{"X", 1}, {"X", 1}}, "X must be given once, got twice");
  refused({{"x", 1}},
          "inputs must be of X, Rest, Bias, ScaleTensor, Old, got x");
  refused({{"X", 1}, {"Rest", 70000}},
          "rest must be at most 65535 tensors, got 70000");
}

TEST(MapAttributes, FillsInWhatIsNotGiven) {
  const auto attrs = MapAttributes(kForm, {kAxis});
  ASSERT_THAT(attrs, IsOk());
  ASSERT_EQ(attrs->size(), 5u);
  EXPECT_EQ(ToString((*attrs)[0].ref()), "1.0");
  EXPECT_EQ(ToString((*attrs)[1].ref()), "[1, -1]");
  EXPECT_EQ((*attrs)[1].type(), AttrType::kInt64s);
  EXPECT_EQ((*attrs)[2].ref().Get<DataType>(), DataType::kFloat32);
  EXPECT_EQ((*attrs)[3].ref().Get<float>(), 0.25f);
  EXPECT_EQ((*attrs)[4].ref().Get<int64_t>(), 7);
}

TEST(MapAttributes, ListsTheNumbersBetweenBounds) {
  const auto attrs = MapAttributes(kBounded, {{"high", 5}, {"low", 2}});
  ASSERT_THAT(attrs, IsOk());
  EXPECT_EQ(ToString((*attrs)[1].ref()), "[2, 3, 4, 5]");
  EXPECT_THAT(MapAttributes(kBounded, {{"low", 2}, {"high", 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "high must be in [2, 65537), got 1"));
  EXPECT_THAT(MapAttributes(kBounded, {{"high", 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "low must be given, got none"));
  constexpr int kMin = std::numeric_limits<int>::min();
  constexpr int kMax = std::numeric_limits<int>::max();
  EXPECT_THAT(MapAttributes(kBounded, {{"low", kMin}, {"high", kMax}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("high must be in [-2147483648, ")));
}

TEST(MapAttributes, HoldsANumberToItsRange) {
  for (const float share : {0.0f, 0.25f, 1.0f}) {
    const auto attrs = MapAttributes(kRanged, {{"share", share}});
    ASSERT_THAT(attrs, IsOk());
    EXPECT_EQ((*attrs)[3].ref().Get<float>(), share);
  }
  EXPECT_THAT(MapAttributes(kRanged, {{"share", 1.5f}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "share must be in [0, 1], got 1.5"));
  EXPECT_THAT(MapAttributes(kRanged, {{"share", -0.5f}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "share must be in [0, 1], got -0.5"));
}

TEST(MapAttributes, ConvertsWhatIsGiven) {
  const auto attrs = MapAttributes(kForm, {kAxis,
                                           {"scale", 2},
                                           {"out_dtype", 3},
                                           {"use_mkldnn", true},
                                           {"op_role", 1}});
  ASSERT_THAT(attrs, IsOk());
  EXPECT_EQ(ToString((*attrs)[0].ref()), "2.0");
  EXPECT_EQ((*attrs)[2].ref().Get<DataType>(), DataType::kInt64);
}

TEST(MapAttributes, TakesInfinities) {
  const auto attrs = MapAttributes(
      kForm, {kAxis, {"scale", -std::numeric_limits<double>::infinity()}});
  ASSERT_THAT(attrs, IsOk());
  EXPECT_EQ((*attrs)[0].ref().Get<const Scalar&>().to<double>(),
            -std::numeric_limits<double>::infinity());
}

TEST(MapAttributes, RefusesWhatDoesNotFit) {
  const auto refused = [](std::vector<LegacyAttrValue> given,
                          const std::string& text) {
    EXPECT_THAT(MapAttributes(kForm, given),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  };
  refused({}, "axes must be given, got none");
  refused({kAxis, kAxis}, "axis must be given once, got twice");
  refused({kAxis, {"op_device", "cpu"}, {"op_device", "cpu"}},
          "op_device must be given once, got twice");
  refused({kAxis, {"Scale", 1.0f}},
          "Scale must be absent or neutral (the form has scale, axis, "
          "out_dtype), got 1.0");
  refused({kAxis, {"scale", "big"}}, "scale must be float, got str");
  refused({kAxis, {"scale", 1e300}}, "scale must be float, got 1");
  refused({kAxis, {"scale", -1e39}}, "scale must be float, got -1");
  refused({kAxis, {"scale", true}}, "scale must be float, got bool");
  refused({{"axis", 1.5}}, "axis must be int[], got double");
  refused({kAxis, {"out_dtype", 7}},
          "out_dtype must be the number of an element type, got 7");
  refused({kAxis, {"out_dtype", int64_t{1} << 40}}, "out_dtype must be int");
  const int64_t big[] = {int64_t{1} << 40};
  refused({{"axis", absl::Span<const int64_t>(big)}}, "axis must be int[]");
}

std::string Mapped(std::vector<LegacyAttrValue> given, int attr) {
  const auto attrs = MapAttributes(kRich, given);
  return attrs.ok() ? ToString((*attrs)[attr].ref())
                    : std::string(attrs.status().message());
}

TEST(MapAttributes, LaterAttributesOfAFormOverrideUnlessUnset) {
  constexpr int kDims[] = {0, 1};
  const LegacyAttrValue dim = {"dim", absl::Span<const int>(kDims)};
  EXPECT_EQ(Mapped({}, 1), "[]");
  EXPECT_EQ(Mapped({dim}, 1), "[0, 1]");
  EXPECT_EQ(Mapped({dim, {"reduce_all", false}}, 1), "[0, 1]");
  EXPECT_EQ(Mapped({{"reduce_all", true}, dim}, 1), "[]");
  EXPECT_EQ(Mapped({dim, {"num", 3}}, 1), "[-1, -1, -1]");
  EXPECT_EQ(Mapped({{"num", -1}}, 1), "num must be from 0 to 65535, got -1");
}

TEST(MapAttributes, ReadsNumbersFromTexts) {
  EXPECT_EQ(Mapped({}, 0), "1.0");
  EXPECT_EQ(Mapped({{"text", "-7"}}, 0), "-7");
  EXPECT_EQ(Mapped({{"text", "1e-3"}}, 0), "0.001");
  EXPECT_EQ(Mapped({{"text", "one"}}, 0), "text must be Scalar, got \"one\"");
}

TEST(MapAttributes, ChecksAttributesWithoutEffect) {
  EXPECT_THAT(MapAttributes(kRich, {{"layout", "AnyLayout"}}), IsOk());
  EXPECT_EQ(Mapped({{"layout", "NHWC"}}, 0),
            "layout must be \"NCHW\", \"AnyLayout\", got \"NHWC\"");
  EXPECT_EQ(Mapped({{"dtype", -1}}, 2), "undefined");
}

TEST(MapAttributes, ChecksWhatAnyOperatorMayHave) {
  EXPECT_THAT(MapAttributes(kRich, {{"mkldnn_data_type", "float32"},
                                    {"with_quant_attr", true},
                                    {"use_quantizer", false},
                                    {"Scale_x", 1.0},
                                    {"scale_y", absl::Span<const float>({1})}}),
              IsOk());
  EXPECT_EQ(Mapped({{"mkldnn_data_type", "bfloat16"}}, 0),
            "mkldnn_data_type must be \"\", \"float32\", got \"bfloat16\"");
  EXPECT_EQ(Mapped({{"use_quantizer", true}}, 0),
            "use_quantizer must be false, got true");
  EXPECT_EQ(Mapped({{"Scale_x", 0.5f}}, 0), "Scale_x must be 1.0, got 0.5");
  EXPECT_EQ(Mapped({{"scale_y", absl::Span<const double>({1, 2})}}, 0),
            "scale_y must be [1.0], got [1.0, 2.0]");
}

// PROGRAMS.md, item 2: a name that the form lacks is dropped with a neutral
// value and refused with another.
TEST(MapAttributes, Item2DropsUnknownNeutralValuesAlone) {
  const AttrRef neutral[] = {false,
                             0,
                             int64_t{0},
                             0.0f,
                             0.0,
                             "",
                             absl::Span<const int>(),
                             absl::Span<const float>(),
                             absl::Span<const std::string>()};
  for (const AttrRef value : neutral) {
    EXPECT_THAT(MapAttributes(kForm, {kAxis, {"fuse_relu", value}}), IsOk())
        << ToString(value);
  }
  constexpr int kZero[] = {0};
  const AttrRef others[] = {
      true, 1, int64_t{-1}, 0.5f, 2.0, "relu", absl::Span<const int>(kZero)};
  for (const AttrRef value : others) {
    EXPECT_THAT(
        MapAttributes(kForm, {kAxis, {"fuse_relu", value}}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr(absl::StrCat("fuse_relu must be absent or neutral "
                                        "(the form has scale, axis, "
                                        "out_dtype), got ",
                                        ToString(value)))));
  }
  EXPECT_THAT(MapAttributes(
                  kForm, {kAxis,
                          {"is_test", true},
                          {"Input0_threshold", absl::Span<const float>({2.5f})},
                          {"fuse_brelu_threshold", 6.0f}}),
              IsOk());
}

// Item 4 and 12: flags of fluid 1.x are numbers, a list of one may be one.
TEST(ConvertAttribute, TakesNumbersAsFlagsAndAsListsOfOne) {
  const auto converted = [](AttrRef value, AttrType to) {
    const auto attribute = ConvertAttribute("a", value, to);
    return attribute.ok() ? ToString(attribute->ref())
                          : std::string(attribute.status().message());
  };
  EXPECT_EQ(converted(1, AttrType::kBool), "true");
  EXPECT_EQ(converted(0, AttrType::kBool), "false");
  EXPECT_EQ(converted(2, AttrType::kBool), "a must be bool, got 2");
  EXPECT_EQ(converted(-1, AttrType::kInts), "[-1]");
  EXPECT_EQ(converted(3, AttrType::kInt64s), "[3]");
  EXPECT_EQ(converted(2.5f, AttrType::kFloats), "[2.5]");
  EXPECT_EQ(converted(2.5f, AttrType::kDoubles),
            "a must be double[], got float");
  EXPECT_EQ(converted(1.5f, AttrType::kInts), "a must be int[], got float");
}

TEST(ReadsAttribute, SkipsWhatNoResultDependsOn) {
  EXPECT_TRUE(ReadsAttribute(kForm, "axis"));
  EXPECT_TRUE(ReadsAttribute(kForm, "use_quantizer"));
  EXPECT_TRUE(ReadsAttribute(kForm, "axes"));
  EXPECT_FALSE(ReadsAttribute(kForm, "op_role_var"));
  EXPECT_FALSE(ReadsAttribute(kForm, "use_mkldnn"));
}

TEST(MapAttributes, LeavesSuppliedOnesToTheCaller) {
  const int suppliers[] = {-1, 0, -1, -1, -1};
  EXPECT_THAT(MapAttributes(kForm, {}, suppliers), IsOk());
}

}  // namespace
}  // namespace switchyard::phi
