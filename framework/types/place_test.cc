// SPDX-License-Identifier: Apache-2.0
#include "framework/types/place.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(PlaceTest, TextReadsBack) {
  for (Place place : {Place::Cpu(), Place::Gpu(0), Place::Gpu(127)}) {
    EXPECT_EQ(ParsePlace(ToString(place)), place);
  }
  EXPECT_EQ(ToString(Place::Cpu()), "cpu");
  EXPECT_EQ(ToString(Place::Gpu(3)), "gpu:3");
  EXPECT_EQ(ParsePlace("gpu"), Place::Gpu(0));
}

TEST(PlaceTest, OtherTextIsNoPlace) {
  for (const char* text : {"", "CPU", "cpu:0", "gpu:", "gpu:-1", "gpu:128",
                           "gpu:1x", "gpu: 1", "gpu0", "gpu:99999999999999"}) {
    EXPECT_EQ(ParsePlace(text), std::nullopt) << text;
  }
}

TEST(PlaceTest, AKindWithoutIndexIsThePlaceNearby) {
  EXPECT_EQ(ParsePlaceNear("gpu", Place::Gpu(2)), Place::Gpu(2));
  EXPECT_EQ(ParsePlaceNear("gpu", Place::Cpu()), Place::Gpu(0));
  EXPECT_EQ(ParsePlaceNear("gpu:1", Place::Gpu(2)), Place::Gpu(1));
  EXPECT_EQ(ParsePlaceNear("cpu", Place::Gpu(2)), Place::Cpu());
  EXPECT_EQ(ParsePlaceNear("gpu0", Place::Gpu(2)), std::nullopt);
}

TEST(PlaceTest, IndexTellsGpusApart) {
  EXPECT_NE(Place::Gpu(0), Place::Gpu(1));
  EXPECT_NE(Place::Gpu(0), Place::Cpu());
}

}  // namespace
}  // namespace switchyard
