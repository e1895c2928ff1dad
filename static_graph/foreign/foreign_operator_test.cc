// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/foreign_operator.h"

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;

TEST(ReusedList, KeepsTheMemoryOfItsElements) {
  ReusedList<std::string> list;
  list.Add() = std::string(100, 'a');
  list.Add() = "b";
  const char* const kept = list[0].data();
  list.Clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.Add(), "");
  EXPECT_EQ(list[0].data(), kept);
  EXPECT_GE(list[0].capacity(), 100u);
}

TEST(ReusedList, HasWhatWasAddedSinceItWasCleared) {
  ReusedList<std::string> list;
  for (const char* text : {"a", "b", "c"}) list.Add() = text;
  list.Remove(1);
  EXPECT_THAT(list, ElementsAre("a", "c"));
  EXPECT_EQ(list.Add(), "");
  ReusedList<std::string> copy = list;
  EXPECT_EQ(copy, list);
  list.Clear();
  list.Add() = "d";
  EXPECT_THAT(copy, ElementsAre("a", "c", ""));
  copy = list;
  EXPECT_THAT(copy, ElementsAre("d"));
  const ReusedList<std::string> moved = std::move(copy);
  EXPECT_THAT(moved, ElementsAre("d"));
}

TEST(ForeignAttr, IsReadByItsKind) {
  ForeignAttr attr;
  attr.name = "a";
  EXPECT_THAT(attr.Value(), StatusIs(absl::StatusCode::kInvalidArgument,
                                     "attribute 'a' must be a number, a text "
                                     "or a list of numbers, got type 0"));
  attr.kind = ForeignKind::kInt;
  EXPECT_THAT(attr.Value(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "attribute 'a' must be of some value, got none"));
  attr.SetInteger(3);
  EXPECT_EQ(attr.Value()->Get<int>(), 3);
  EXPECT_EQ(attr.integer(), 3);
  EXPECT_EQ(attr.number(), 3);
  EXPECT_FALSE(attr.flag());
  attr.Set(0.1f);
  EXPECT_EQ(attr.Value()->Get<float>(), 0.1f);
  EXPECT_EQ(attr.integer(), 0);
  attr.Set(true);
  EXPECT_TRUE(attr.Value()->Get<bool>());
  EXPECT_TRUE(attr.flag());
  Reset(&attr);
  attr.kind = ForeignKind::kLongs;
  for (const int64_t element : {1, 2}) attr.Add(element);
  EXPECT_THAT(attr.Value()->Get<absl::Span<const int64_t>>(),
              ElementsAre(1, 2));
  attr.mutable_list<int64_t>()[1] = 5;
  EXPECT_THAT(attr.list<int64_t>(), ElementsAre(1, 5));
}

TEST(ForeignAttr, ComparesWhatItSays) {
  ForeignAttr a, b;
  a.name = "a";
  b.name = "b";
  a.kind = b.kind = ForeignKind::kScalars;
  a.Add(Scalar(1));
  EXPECT_FALSE(SameValue(a, b));
  b.Add(Scalar(1));
  EXPECT_TRUE(SameValue(a, b));
  b.Add(Scalar(1.0));
  EXPECT_FALSE(SameValue(a, b));
  Reset(&a);
  Reset(&b);
  a.kind = b.kind = ForeignKind::kTexts;
  a.AddText() = "x";
  EXPECT_FALSE(SameValue(a, b));
  b.AddText() = "x";
  EXPECT_TRUE(SameValue(a, b));
}

TEST(ForeignOperator, FindsByName) {
  ForeignOperator op;
  ForeignSlot& slot = op.inputs.Add();
  slot.name = "X";
  slot.variables.Add() = "x";
  op.attrs.Add().name = "axis";
  EXPECT_EQ(OnlyVariable(op.inputs, "X"), "x");
  EXPECT_EQ(OnlyVariable(op.inputs, "Y"), "");
  EXPECT_EQ(FindSlot(op.outputs, "X"), nullptr);
  EXPECT_NE(op.attr("axis"), nullptr);
  EXPECT_EQ(op.attr("axes"), nullptr);
  slot.variables.Add() = "y";
  EXPECT_EQ(OnlyVariable(op.inputs, "X"), "");
  op.Clear();
  EXPECT_TRUE(op.inputs.empty());
}

}  // namespace
}  // namespace switchyard::static_graph
