// SPDX-License-Identifier: Apache-2.0
#include "framework/types/backend.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(BackendTest, NamesReadBack) {
  for (int i = 0; i < kNumBackends; ++i) {
    const auto backend = static_cast<Backend>(i);
    EXPECT_EQ(ParseBackend(Name(backend)), backend);
  }
  EXPECT_EQ(Name(Backend::kOnednn), "onednn");
  EXPECT_EQ(ParseBackend("cuda"), std::nullopt);
}

TEST(DataLayoutTest, NamesReadBack) {
  for (DataLayout layout : {DataLayout::kStrided, DataLayout::kBlocked,
                            DataLayout::kSparseCoo, DataLayout::kSparseCsr}) {
    EXPECT_EQ(ParseDataLayout(Name(layout)), layout);
  }
  EXPECT_EQ(ParseDataLayout("NCHW"), std::nullopt);
}

}  // namespace
}  // namespace switchyard
