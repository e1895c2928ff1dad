// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_device.h"

#include <thread>

#include "framework/device/cpu/cpu_device.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::HasSubstr;

class SimDeviceTest : public testing::Test {
 protected:
  SimDeviceTest() { EXPECT_THAT(RegisterDevice(device_cpu), IsOk()); }
};

TEST_F(SimDeviceTest, PlacesHaveNames) {
  EXPECT_EQ(ToString(SimPlace(1)), "sim:1");
  EXPECT_EQ(ParsePlace("sim:1"), SimPlace(1));
  EXPECT_THAT(CheckPlace(SimPlace(1)), IsOk());
  EXPECT_THAT(CheckPlace(SimPlace(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("(there are 2), got sim:2")));
  EXPECT_THAT(CheckPlace(Place::Gpu(0)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("(cpu, sim), got gpu:0")));
}

TEST_F(SimDeviceTest, TensorsTravelThereAndBack) {
  const DenseTensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto there = Transferred(x, SimPlace(0));
  ASSERT_THAT(there, IsOk());
  EXPECT_EQ(there->place(), SimPlace(0));
  EXPECT_EQ(there->shape(), x.shape());
  const auto other = Transferred(*there, SimPlace(1));
  ASSERT_THAT(other, IsOk());
  const auto back = Transferred(*other, Place::Cpu());
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(ToVector<float>(*back), ToVector<float>(x));
}

TEST_F(SimDeviceTest, AViewTravelsWithItsStrides) {
  const DenseTensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  DenseTensor column;
  column.SetView(x, {2}, {3}, /*offset=*/1);
  const auto there = Transferred(column, SimPlace());
  ASSERT_THAT(there, IsOk());
  EXPECT_FALSE(there->contiguous());
  const auto back = Transferred(*there, Place::Cpu());
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(ToVector<float>(*back), (std::vector<float>{2, 5}));
}

TEST_F(SimDeviceTest, EachThreadHasAStream) {
  const auto number = [] { return (*Stream::Current(SimPlace()))->number(); };
  const int mine = number();
  int other = mine;
  std::thread([&] { other = number(); }).join();
  EXPECT_NE(mine, other);
  EXPECT_EQ(mine, number());
}

}  // namespace
}  // namespace switchyard
