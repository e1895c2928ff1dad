// SPDX-License-Identifier: Apache-2.0
// Calls on an asynchronous device (framework/device/sim) give their work to a
// stream and return: what they wait for, what overlaps, and who gets an
// error. A TaskObserver holds tasks until the test lets them go on, so that
// nothing here depends on time.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/buffer_use.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/stream.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/api/add.gen.h"
#include "phi/api/embedding.gen.h"
#include "phi/api/nonzero.gen.h"
#include "phi/api/relu.gen.h"
#include "phi/api/reshape.gen.h"
#include "phi/api/tanh.gen.h"
#include "phi/core/kernel_tables.h"
#include "tests/sim/task_observer.h"

namespace switchyard {
namespace {

using testing::HasSubstr;

class SimStreamsTest : public testing::Test {
 protected:
  SimStreamsTest() { phi::KernelTables::Current(); }

  template <typename T>
  static DenseTensor OnSim(const Shape& shape, const std::vector<T>& values) {
    return *Transferred(MakeTensor<T>(shape, absl::MakeConstSpan(values)),
                        SimPlace());
  }
  template <typename T = float>
  static std::vector<T> Values(const DenseTensor& x) {
    const auto host = Transferred(x, Place::Cpu());
    EXPECT_THAT(host, IsOk());
    return host.ok() ? ToVector<T>(*host) : std::vector<T>();
  }
};

TEST_F(SimStreamsTest, CallsReturnBeforeTheirWorkIsDone) {
  const DenseTensor x = OnSim<float>({2}, {-1, 2});
  TaskObserver observer;
  observer.Hold("relu", "");
  const auto y = phi::api::relu(x);
  ASSERT_THAT(y, IsOk());
  const auto z = phi::api::add(*y, *y);
  ASSERT_THAT(z, IsOk());
  EXPECT_EQ(z->place(), SimPlace());
  EXPECT_FALSE(z->buffer()->use()->idle());
  EXPECT_EQ(observer.When("add begins"), -1);
  observer.ReleaseAll();
  EXPECT_EQ(Values(*z), (std::vector<float>{0, 4}));
}

TEST_F(SimStreamsTest, TheHostDoesNotWaitForOtherWork) {
  const DenseTensor x = OnSim<float>({2}, {-1, 2});
  const auto y = phi::api::relu(x);
  ASSERT_THAT(y, IsOk());
  TaskObserver observer;
  observer.Hold("tanh", "");
  const auto pending = phi::api::tanh(x);
  ASSERT_THAT(pending, IsOk());
  EXPECT_EQ(Values(*y), (std::vector<float>{0, 2}));
  EXPECT_FALSE(pending->buffer()->use()->idle());
}

TEST_F(SimStreamsTest, IndependentWorkOfTwoStreamsOverlaps) {
  const DenseTensor x = OnSim<float>({2}, {-1, 2});
  const auto side = Stream::Make(SimPlace());
  ASSERT_THAT(side, IsOk());
  TaskObserver observer;
  // Neither can end before the other has begun.
  observer.Hold("relu", "tanh");
  observer.Hold("tanh", "relu");
  const auto y = phi::api::relu(x);
  ASSERT_THAT(y, IsOk());
  absl::StatusOr<DenseTensor> z;
  {
    const StreamScope scope(*side);
    z = phi::api::tanh(x);
    ASSERT_THAT(z, IsOk());
  }
  // Reads what both streams write: it waits for both, by events.
  const auto sum = phi::api::add(*y, *z);
  ASSERT_THAT(sum, IsOk());
  ASSERT_THAT(Synchronize(SimPlace()), IsOk());
  EXPECT_LT(observer.When("relu begins"), observer.When("tanh ends"));
  EXPECT_LT(observer.When("tanh begins"), observer.When("relu ends"));
  EXPECT_GT(observer.When("add begins"), observer.When("tanh ends"));
  EXPECT_GT(observer.When("add begins"), observer.When("relu ends"));
  const std::vector<float> tanhs = Values(*z);
  EXPECT_EQ(Values(*sum), (std::vector<float>{tanhs[0], 2 + tanhs[1]}));
}

TEST_F(SimStreamsTest, AnErrorIsReportedOnceWithTheOperatorsName) {
  const DenseTensor rows = OnSim<int64_t>({2}, {0, 5});
  const DenseTensor weight = OnSim<float>({2, 1}, {1, 2});
  absl::StatusOr<DenseTensor> y, z, other;
  {
    TaskObserver observer;
    observer.Hold("embedding", "");
    y = phi::api::embedding(rows, weight, -1, false);
    ASSERT_THAT(y, IsOk());
    z = phi::api::relu(*y);
    ASSERT_THAT(z, IsOk());
    other = phi::api::relu(weight);
    ASSERT_THAT(other, IsOk());
    observer.ReleaseAll();
    const absl::Status error = Synchronize(SimPlace());
    EXPECT_THAT(error, StatusIs(absl::StatusCode::kOutOfRange,
                                testing::StartsWith("embedding: ")));
    EXPECT_THAT(Synchronize(SimPlace()), IsOk());
    EXPECT_GT(observer.When("relu begins"), observer.When("embedding ends"));
  }
  EXPECT_THAT(Transferred(*z, Place::Cpu()).status(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       testing::StartsWith("embedding: ")));
  EXPECT_THAT(
      phi::api::add(*z, *z).status(),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("embedding: ")));
  EXPECT_EQ(Values(*other), (std::vector<float>{1, 2}));
}

TEST_F(SimStreamsTest, AViewGivesTheDeviceNothingToDo) {
  const DenseTensor x = OnSim<float>({2, 2}, {-1, 2, -3, 4});
  TaskObserver observer;
  observer.Hold("relu", "");
  const auto y = phi::api::relu(x);
  ASSERT_THAT(y, IsOk());
  const std::vector<int64_t> shape = {4};
  const auto view = phi::api::reshape(*y, shape);
  ASSERT_THAT(view, IsOk());
  EXPECT_EQ(view->buffer(), y->buffer());
  observer.ReleaseAll();
  EXPECT_EQ(Values(*view), (std::vector<float>{0, 2, 0, 4}));
  EXPECT_EQ(observer.When("reshape begins"), -1);
}

TEST_F(SimStreamsTest, AResultOfUnknownShapeIsWaitedFor) {
  const DenseTensor x = OnSim<float>({4}, {0, 2, 0, 4});
  const auto y = phi::api::relu(x);
  ASSERT_THAT(y, IsOk());
  const auto found = phi::api::nonzero(*y);
  ASSERT_THAT(found, IsOk());
  EXPECT_TRUE(found->buffer()->use()->idle());
  EXPECT_EQ(Values<int64_t>(*found), (std::vector<int64_t>{1, 3}));
}

// Temporaries go long before the work on them is done.
TEST_F(SimStreamsTest, MemoryLivesAsLongAsTheWorkOnIt) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    SetSimDelays(seed);
    DenseTensor x = OnSim<float>({3}, {1, 2, 3});
    const auto side = Stream::Make(SimPlace());
    ASSERT_THAT(side, IsOk());
    for (int i = 0; i < 100; ++i) {
      const auto sum = phi::api::add(x, x);
      ASSERT_THAT(sum, IsOk());
      const StreamScope scope(*side);
      const auto one = phi::api::relu(*sum);
      ASSERT_THAT(one, IsOk());
      x = *one;
      if (i % 10 != 9) continue;
      x = OnSim<float>({3}, Values(x));
    }
    const float scale = std::exp2(100.0f);
    EXPECT_EQ(Values(x), (std::vector<float>{scale, 2 * scale, 3 * scale}));
  }
  SetSimDelays(0);
}

}  // namespace
}  // namespace switchyard
