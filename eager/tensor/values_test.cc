// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/values.h"

#include <cstdint>
#include <functional>
#include <string>

#include "framework/base/op_error.h"
#include "framework/types/float16.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const OpError& error) {
    return error.what();
  }
  return "none";
}

TEST(ValuesTest, RoundTripsInRowMajorOrder) {
  const Tensor x = FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(x.dtype(), DataType::kFloat32);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_FALSE(x.requires_grad());
  EXPECT_THAT(ToValues<float>(x), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(ToValues<int64_t>(FromValues<int64_t>({7}, {})), ElementsAre(7));
  EXPECT_THAT(ToValues<bool>(FromValues<bool>({true, false}, {2})),
              ElementsAre(true, false));
}

TEST(ValuesTest, CopiesEmptyTensors) {
  EXPECT_THAT(ToValues<double>(FromValues<double>({}, {0, 3})), IsEmpty());
}

TEST(ValuesTest, ReadsStridedTensors) {
  const Tensor x = FromValues<float>({1, 2, 3, 4}, {2, 2});
  DenseTensor transposed;
  transposed.SetView(x.dense(), Shape({2, 2}), Strides({1, 2}), 0);
  EXPECT_THAT(ToValues<float>(Tensor(transposed)), ElementsAre(1, 3, 2, 4));
}

TEST(ValuesTest, NamesWhatIsWrong) {
  EXPECT_EQ(ErrorOf([] {
              FromValues<float>({1, 2}, {3});
            }),
            "FromValues: values must be those of [3], got 2");
  const Tensor x = FromValues<float>({1}, {1});
  EXPECT_EQ(ErrorOf([&] { ToValues<double>(x); }),
            "ToValues: tensor must be float64, got float32");
  EXPECT_EQ(ErrorOf([] { ToValues<float>(Tensor()); }),
            "ToValues: tensor must be a dense tensor on the CPU, got "
            "undefined");
}

}  // namespace
}  // namespace switchyard::eager
