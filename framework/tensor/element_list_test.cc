// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/element_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"

namespace switchyard {
namespace {

using ::testing::ElementsAre;
using Element = ElementList::Element;

Element Number(float value) {
  return std::make_shared<const DenseTensor>(MakeTensor<float>({1}, {value}));
}

float ValueOf(const Element& element) {
  return element == nullptr ? -1 : element->data<float>()[0];
}

TEST(ElementListTest, StartsEmpty) {
  EXPECT_TRUE(ElementList().empty());
  const ElementList gaps(size_t{300});
  EXPECT_EQ(gaps.size(), 300u);
  EXPECT_EQ(gaps[0], nullptr);
  EXPECT_EQ(gaps[299], nullptr);
}

// Whatever is done to a list, it holds what a vector would, and every list
// before it holds what it did.
TEST(ElementListTest, IsAValue) {
  std::mt19937 random(1);
  const auto below = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  std::vector<std::pair<ElementList, std::vector<Element>>> all(1);
  for (int step = 0; step < 600; ++step) {
    // Most steps go on from the last one, some from any before.
    auto [list, expected] =
        all[below(4) == 0 ? below(all.size()) : all.size() - 1];
    switch (below(4)) {
      case 0: {
        const size_t size = below(below(8) == 0 ? 5000 : 80);
        list.Resize(size);
        expected.resize(size);
        break;
      }
      case 1:
        list = ElementList(expected);
        break;
      default:
        if (expected.empty()) continue;
        const size_t position = below(expected.size());
        const Element element =
            below(5) == 0 ? nullptr : Number(static_cast<float>(step));
        list.Set(position, element);
        expected[position] = element;
    }
    all.emplace_back(std::move(list), std::move(expected));
  }
  for (const auto& [list, expected] : all) {
    ASSERT_EQ(list.ToVector(), expected);
  }
}

// How often the elements of all lists together are pointed to.
int64_t PointersTo(const std::vector<Element>& elements) {
  int64_t pointers = 0;
  for (const Element& element : elements) pointers += element.use_count() - 1;
  return pointers;
}

// A list by list copy would make 500,500 pointers.
TEST(ElementListTest, ListsThatGrowByOneShareTheirElements) {
  constexpr int kCount = 1000;
  std::vector<ElementList> lists(1);
  std::vector<Element> elements;
  for (int k = 0; k < kCount; ++k) {
    ElementList next = lists.back();
    next.Resize(k + 1);
    elements.push_back(Number(static_cast<float>(k)));
    next.Set(k, elements.back());
    lists.push_back(std::move(next));
  }
  EXPECT_LE(PointersTo(elements), kCount * ElementList::kFanout);
  for (int k = 0; k <= kCount; k += 37) {
    ASSERT_EQ(lists[k].ToVector(),
              std::vector<Element>(elements.begin(), elements.begin() + k));
  }
}

// Filled from its end, and each element taken off again.
TEST(ElementListTest, OtherOrdersCostNoMore) {
  constexpr int kCount = 1000;
  std::vector<ElementList> lists = {ElementList(size_t{kCount})};
  std::vector<Element> elements;
  for (int k = kCount - 1; k >= 0; --k) {
    ElementList next = lists.back();
    elements.push_back(Number(static_cast<float>(k)));
    next.Set(k, elements.back());
    lists.push_back(std::move(next));
  }
  const int64_t filled = PointersTo(elements);
  EXPECT_LE(filled, kCount * ElementList::kFanout);
  for (int k = kCount; k-- > 0;) {
    ElementList next = lists.back();
    next.Resize(k);
    lists.push_back(std::move(next));
  }
  EXPECT_LE(PointersTo(elements) - filled, kCount * ElementList::kFanout);
  EXPECT_TRUE(lists.back().empty());
  EXPECT_EQ(ValueOf(lists[kCount][kCount - 1]), kCount - 1);
}

TEST(ElementListTest, MergesWhatBothHave) {
  ElementList x(size_t{700});
  ElementList y(size_t{20});
  for (const int k : {0, 3, 650}) x.Set(k, Number(1));
  for (const int k : {3, 4, 0}) y.Set(k, Number(10));
  const Element only = x[650];
  std::vector<size_t> asked;
  const auto add = [&](size_t position, const Element& a,
                       const Element& b) -> absl::StatusOr<Element> {
    asked.push_back(position);
    return Number(ValueOf(a) * 2 + ValueOf(b));
  };
  for (const bool turned : {false, true}) {
    asked.clear();
    const auto sum = ElementList::Merge(turned ? y : x, turned ? x : y, add);
    ASSERT_THAT(sum, IsOk());
    EXPECT_THAT(asked, ElementsAre(0, 3));
    EXPECT_EQ(sum->size(), 700u);
    EXPECT_EQ(ValueOf((*sum)[3]), turned ? 21 : 12);
    EXPECT_EQ(ValueOf((*sum)[4]), 10);
    EXPECT_EQ((*sum)[650], only);
    EXPECT_EQ((*sum)[5], nullptr);
  }
  EXPECT_THAT(ElementList::Merge(x, y,
                                 [](size_t, const Element&,
                                    const Element&) -> absl::StatusOr<Element> {
                                   return absl::InternalError("no sum");
                                 }),
              StatusIs(absl::StatusCode::kInternal, "no sum"));
}

}  // namespace
}  // namespace switchyard
