// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_info.h"

#include <gtest/gtest.h>

#include <array>

#include "phi/core/arg_buffer.h"

namespace switchyard::phi {
namespace {

constexpr std::array<InputInfo, 2> kInputs = {{{"x"}, {"parts", false, true}}};
constexpr std::array<AttrInfo, 2> kAttrs = {
    {{"num", AttrType::kInt}, {"sections", AttrType::kInt64s}}};

OutputInfo ListOutput(const char* name, int16_t input, int16_t attr) {
  OutputInfo output{};
  output.name = name;
  output.list = true;
  output.size_of_input = input;
  output.size_of_attr = attr;
  return output;
}

OpInfo Info(absl::Span<const OutputInfo> outputs) {
  return {"split", kInputs, kAttrs, outputs, nullptr, {}, {}};
}

TEST(OpInfo, FindsArgumentsByName) {
  const std::array<OutputInfo, 1> outputs = {{{"out"}}};
  const OpInfo info = Info(outputs);
  EXPECT_EQ(info.input_index("parts"), 1);
  EXPECT_EQ(info.input_index("num"), -1);
  EXPECT_EQ(info.attr_index("sections"), 1);
  EXPECT_EQ(info.attr_index(""), -1);
}

TEST(OpInfo, TraitsAreBits) {
  OpInfo info{};
  info.traits = static_cast<uint32_t>(Trait::kView);
  EXPECT_TRUE(info.has(Trait::kView));
  EXPECT_FALSE(info.has(Trait::kRandom));
}

TEST(LayOutOutputs, SizesListsByInputAttributeAndLength) {
  const std::array<OutputInfo, 4> outputs = {{ListOutput("like_parts", 1, -1),
                                              {"mask"},
                                              ListOutput("by_num", -1, 0),
                                              ListOutput("by_list", -1, 1)}};
  const uint16_t input_begins[] = {0, 1, 4};
  const std::array<int64_t, 2> sections = {5, 6};
  const AttrRef attrs[] = {4, absl::Span<const int64_t>(sections)};
  ArgLayout layout;
  ASSERT_TRUE(
      LayOutOutputs(Info(outputs), ArgSegments(input_begins, 2), attrs, &layout)
          .ok());
  const ArgSegments segments = layout.segments();
  EXPECT_EQ(segments.arguments(), 4);
  EXPECT_EQ(segments.begin(0), 0);
  EXPECT_EQ(segments.begin(1), 3);
  EXPECT_EQ(segments.begin(2), 4);
  EXPECT_EQ(segments.begin(3), 8);
  EXPECT_EQ(segments.size(), 10);
}

TEST(LayOutOutputs, RefusesNegativeAndAbsurdSizes) {
  const std::array<OutputInfo, 2> outputs = {
      {{"mask"}, ListOutput("by_num", -1, 0)}};
  for (const int num : {-1, 65535, 2000000000}) {
    const AttrRef attrs[] = {num, absl::Span<const int64_t>()};
    ArgLayout layout;
    const absl::Status status =
        LayOutOutputs(Info(outputs), ArgSegments(2), attrs, &layout);
    EXPECT_EQ(status.message(),
              "num must be a size in [0, 65534], got " + std::to_string(num));
  }
  const AttrRef most[] = {65534, absl::Span<const int64_t>()};
  ArgLayout layout;
  EXPECT_TRUE(LayOutOutputs(Info(outputs), ArgSegments(2), most, &layout).ok());
}

}  // namespace
}  // namespace switchyard::phi
