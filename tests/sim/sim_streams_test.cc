// SPDX-License-Identifier: Apache-2.0
// Calls on an asynchronous device (framework/device/sim) give their work to a
// stream and return: what they wait for, what overlaps, and who gets an
// error. Tasks are held by an observer until the test lets them go on, so that
// nothing here depends on time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
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

namespace switchyard {
namespace {

using testing::HasSubstr;

// Records when tasks begin and end, and holds some of them at their beginning.
class Observer final : public SimObserver {
 public:
  Observer() { SetSimObserver(this); }
  ~Observer() override {
    ReleaseAll();
    EXPECT_THAT(Synchronize(SimPlace()), IsOk());
    SetSimObserver(nullptr);
  }

  // Lets tasks of `op` begin no sooner than one of `other` has ("" for never).
  void Hold(const std::string& op, const std::string& other) {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_[op] = other;
  }
  void ReleaseAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.clear();
    changed_.notify_all();
  }

  void Begins(const std::string& op, int) override {
    std::unique_lock<std::mutex> lock(mutex_);
    trace_.push_back(absl::StrCat(op, " begins"));
    changed_.notify_all();
    const bool released = changed_.wait_for(lock, std::chrono::minutes(1),
                                            [this, &op] { return MayRun(op); });
    EXPECT_TRUE(released) << op << " waits for what never begins";
  }
  void Ends(const std::string& op, int) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    trace_.push_back(absl::StrCat(op, " ends"));
  }

  // Returns when an event was recorded; -1 if it was not.
  int When(const std::string& event) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find(trace_.begin(), trace_.end(), event);
    return found == trace_.end() ? -1
                                 : static_cast<int>(found - trace_.begin());
  }

 private:
  bool MayRun(const std::string& op) const {
    const auto held = held_.find(op);
    if (held == held_.end()) return true;
    return std::find(trace_.begin(), trace_.end(),
                     absl::StrCat(held->second, " begins")) != trace_.end();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> held_;
  std::vector<std::string> trace_;
};

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
  Observer observer;
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
  Observer observer;
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
  Observer observer;
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
    Observer observer;
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
  Observer observer;
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
