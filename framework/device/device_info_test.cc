// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device_info.h"

#include "framework/testing/matchers.h"
#include "framework/types/place.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::HasSubstr;

constexpr DeviceInfo Named(const char* name) {
  return {name, false, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
}

constexpr DeviceInfo kGpu = Named("gpu");
constexpr DeviceInfo kTpu = Named("tpu");

TEST(DeviceInfoTest, ReservedNamesHaveTheirNumbers) {
  EXPECT_EQ(DeviceNumber("cpu"), static_cast<int>(DeviceType::kCpu));
  EXPECT_EQ(DeviceNumber("gpu"), static_cast<int>(DeviceType::kGpu));
  EXPECT_EQ(FindDevice(DeviceType::kGpu), nullptr);
  const auto gpu = RegisterDevice(kGpu);
  ASSERT_THAT(gpu, IsOk());
  EXPECT_EQ(*gpu, DeviceType::kGpu);
  EXPECT_EQ(FindDevice(DeviceType::kGpu), &kGpu);
}

TEST(DeviceInfoTest, OthersAreNumberedOnce) {
  EXPECT_EQ(DeviceNumber("tpu"), -1);
  EXPECT_EQ(ParsePlace("tpu:1"), std::nullopt);
  const auto tpu = RegisterDevice(kTpu);
  ASSERT_THAT(tpu, IsOk());
  EXPECT_EQ(*RegisterDevice(kTpu), *tpu);
  EXPECT_EQ(FindDevice(*tpu), &kTpu);
  EXPECT_EQ(DeviceNumber("tpu"), static_cast<int>(*tpu));
  const Place place = {*tpu, 1};
  EXPECT_EQ(ToString(place), "tpu:1");
  EXPECT_EQ(ParsePlace("tpu:1"), place);
  const auto registered = RegisteredDevices();
  EXPECT_EQ(registered.back(), &kTpu);
}

TEST(DeviceInfoTest, RefusesASecondDeviceOfAName) {
  ASSERT_THAT(RegisterDevice(kTpu), IsOk());
  static constexpr DeviceInfo kOther = Named("tpu");
  EXPECT_THAT(RegisterDevice(kOther), StatusIs(absl::StatusCode::kAlreadyExists,
                                               HasSubstr("named tpu")));
}

TEST(DeviceInfoTest, NoDeviceHasANumberBeyondTheLast) {
  EXPECT_EQ(FindDevice(static_cast<DeviceType>(kMaxDevices)), nullptr);
  EXPECT_EQ(FindDevice(static_cast<DeviceType>(255)), nullptr);
  EXPECT_EQ(ToString(Place{static_cast<DeviceType>(255), 2}), "device255:2");
}

}  // namespace
}  // namespace switchyard
