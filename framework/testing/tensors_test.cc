// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/tensors.h"

#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(TensorsTest, ElementsComeBack) {
  const DenseTensor tensor = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(tensor.shape(), Shape({2, 2}));
  EXPECT_EQ(ToVector<float>(tensor), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(ToVector<bool>(MakeTensor<bool>({2}, {true, false})),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(ToVector<int64_t>(MakeScalarTensor<int64_t>(5)),
            std::vector<int64_t>{5});
  EXPECT_TRUE(ToVector<float>(MakeTensor<float>({0}, {})).empty());
}

TEST(TensorsTest, EveryDtypeCanBeWrittenAndRead) {
  for (int i = 1; i < kNumComputedTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    const DenseTensor tensor = MakeTensorOf(dtype, {3}, {0, 1, 1});
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(ToDoubles(tensor), IsComplex(dtype)
                                     ? (std::vector<double>{0, 0, 1, 0, 1, 0})
                                     : (std::vector<double>{0, 1, 1}));
  }
}

TEST(TensorsTest, ViewsAreReadInTheirOwnOrder) {
  const DenseTensor base = MakeTensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const DenseTensor view = TransposedView(base, {1, 0});
  EXPECT_EQ(view.shape(), Shape({3, 2}));
  EXPECT_FALSE(view.contiguous());
  EXPECT_EQ(ToVector<int32_t>(view), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(TensorsTest, MistakesFailTheTest) {
  EXPECT_NONFATAL_FAILURE(MakeTensor<float>({2}, {1}), "");
  EXPECT_NONFATAL_FAILURE(ToVector<double>(MakeTensor<float>({1}, {1})),
                          "float");
}

}  // namespace
}  // namespace switchyard
