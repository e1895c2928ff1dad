// SPDX-License-Identifier: Apache-2.0
#include "phi/core/arg_list.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/arg_buffer.h"

namespace switchyard::phi {
namespace {

using ::testing::ElementsAre;
using Visit = std::tuple<int, int, int>;

static_assert(sizeof(ArgList<const int* const>) <= 64);

template <typename T>
std::vector<Visit> Visits(const ArgList<T>& list) {
  std::vector<Visit> visits;
  for (const auto [argument, slot, element] : list) {
    visits.emplace_back(argument, slot, element);
  }
  return visits;
}

// True if `address` lies in `object`, so that no memory of the heap holds it.
template <typename Object>
bool IsInside(const void* address, const Object& object) {
  const char* const first = reinterpret_cast<const char*>(&object);
  const char* const at = static_cast<const char*>(address);
  return at >= first && at < first + sizeof(object);
}

TEST(ArgSegments, NeedNoTableWithoutLists) {
  const ArgSegments segments(3);
  EXPECT_TRUE(segments.one_each());
  EXPECT_EQ(segments.size(), 3);
  EXPECT_EQ(segments.begin(2), 2);
  EXPECT_EQ(segments.end(2), 3);
  EXPECT_EQ(segments.argument_of(1), 1);
}

TEST(ArgSegments, FindTheArgumentOfASlotAcrossEmptyLists) {
  const uint16_t begins[] = {0, 0, 3, 4};
  const ArgSegments segments(begins, 3);
  EXPECT_EQ(segments.size(), 4);
  EXPECT_EQ(segments.size(0), 0);
  EXPECT_EQ(segments.size(1), 3);
  EXPECT_EQ(segments.argument_of(0), 1);
  EXPECT_EQ(segments.argument_of(2), 1);
  EXPECT_EQ(segments.argument_of(3), 2);
}

TEST(ArgList, ReadsValuesByArgument) {
  int elements[] = {1, 2, 3, 4};
  const uint16_t begins[] = {0, 1, 3, 3, 4};
  const ArgList<int> list(elements, ArgSegments(begins, 4));
  EXPECT_EQ(list.arguments(), 4);
  EXPECT_EQ(list.one(0), 1);
  EXPECT_THAT(list.list(1), ElementsAre(2, 3));
  EXPECT_THAT(list.list(2), ElementsAre());
  list.optional(3) = 5;
  EXPECT_EQ(elements[3], 5);
  const ArgList<const int> constant = list;
  EXPECT_EQ(constant.one(3), 5);
}

TEST(ArgList, ReadsWhatPointersPointToAndNullWhereAbsent) {
  const std::string x = "x";
  const std::string* const elements[] = {&x, nullptr};
  const ArgList<const std::string* const> list(elements);
  EXPECT_EQ(&list.one(0), &x);
  EXPECT_EQ(list.optional(0), &x);
  EXPECT_EQ(list.optional(1), nullptr);
  EXPECT_EQ(list.list(0).size(), 1u);
}

TEST(ArgList, IteratesOverElementsWithTheirArguments) {
  const int elements[] = {7, 8, 9};
  EXPECT_THAT(Visits(ArgList<const int>(elements)),
              ElementsAre(Visit(0, 0, 7), Visit(1, 1, 8), Visit(2, 2, 9)));
  const uint16_t begins[] = {0, 0, 2, 2, 3, 3};
  const ArgSegments lists(begins, 5);
  EXPECT_THAT(Visits(ArgList<const int>(elements, lists)),
              ElementsAre(Visit(1, 0, 7), Visit(1, 1, 8), Visit(3, 2, 9)));
  EXPECT_THAT(Visits(ArgList<const int>()), ElementsAre());
  const uint16_t empty[] = {0, 0, 0};
  EXPECT_THAT(Visits(ArgList<const int>({}, ArgSegments(empty, 2))),
              ElementsAre());
}

TEST(ArgBuffer, LaysArgumentsOutOneAfterAnother) {
  const int x = 1, parts[] = {2, 3};
  const int* const pointers[] = {&x, &x};
  using Buffer = ArgBuffer<const int*>;
  const Buffer inputs =
      Buffer::Of(x, std::optional<int>(), absl::MakeConstSpan(parts),
                 absl::MakeConstSpan(pointers));
  EXPECT_EQ(inputs.segments().arguments(), 4);
  EXPECT_EQ(&inputs.one(0), &x);
  EXPECT_EQ(inputs.optional(1), nullptr);
  EXPECT_THAT(inputs.list(2), ElementsAre(&parts[0], &parts[1]));
  EXPECT_THAT(inputs.list(3), ElementsAre(&x, &x));
  EXPECT_EQ(inputs.size(), 6u);
}

TEST(ArgBuffer, HasATableOfSegmentsOnlyWhereItNeedsOne) {
  const std::vector<int> one = {4}, none;
  const auto plain = ArgBuffer<int>::Of(3, absl::MakeConstSpan(one), 5);
  EXPECT_TRUE(plain.segments().one_each());
  EXPECT_THAT(plain.view().elements(), ElementsAre(3, 4, 5));
  const auto lists = ArgBuffer<int>::Of(3, absl::MakeConstSpan(none), 5);
  EXPECT_FALSE(lists.segments().one_each());
  EXPECT_THAT(Visits(lists.view()),
              ElementsAre(Visit(0, 0, 3), Visit(2, 1, 5)));
}

TEST(ArgBuffer, TakesNoMemoryFromTheHeapBelowEightElements) {
  ArgBuffer<int> buffer;
  buffer.AddList({});
  for (int i = 1; i < 7; ++i) buffer.AddOne(i);
  EXPECT_TRUE(IsInside(buffer.view().elements().data(), buffer));
  // The table is an InlinedVector of eight: seven arguments and the end.
  EXPECT_EQ(buffer.segments().arguments(), 7);
  EXPECT_EQ(buffer.one(6), 6);
}

TEST(ArgBuffer, MakesElementsForALayout) {
  ArgLayout layout;
  layout.Add(2);
  layout.Add(1);
  ArgBuffer<int> buffer(std::move(layout));
  EXPECT_THAT(buffer.vector(0), ElementsAre(0, 0));
  buffer.mutable_view().one(1) = 6;
  EXPECT_EQ(buffer.one(1), 6);
}

TEST(ArgBuffer, RefusesMoreElementsThanSegmentsCount) {
  ArgBuffer<int> buffer;
  buffer.AddList(std::vector<int>(kMaxArgElements));
  EXPECT_TRUE(buffer.Check().ok());
  buffer.AddOne(0);
  EXPECT_EQ(buffer.Check().message(),
            "tensors must be at most 65535, got 65536");
}

TEST(OpArgs, ReadsAttributes) {
  const AttrRef attrs[] = {2.5, 3};
  const OpArgs<int, int* const> args = {{}, attrs, {}};
  EXPECT_EQ(args.attr<int>(1), 3);
  EXPECT_EQ(args.inputs.arguments(), 0);
}

}  // namespace
}  // namespace switchyard::phi
