// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_layout.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(DataLayoutTest, NamesReadBack) {
  for (DataLayout layout :
       {DataLayout::kStrided, DataLayout::kBlocked, DataLayout::kPermuted}) {
    EXPECT_EQ(ParseDataLayout(Name(layout)), layout);
  }
  EXPECT_EQ(ParseDataLayout("NCHW"), std::nullopt);
}

}  // namespace
}  // namespace switchyard
