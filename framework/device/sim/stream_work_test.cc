// SPDX-License-Identifier: Apache-2.0
// Streams, and the order of work that touches the same buffers, on the
// simulated device: work waits at a gate there until the test opens it, so
// nothing here depends on time.
#include "framework/device/stream_work.h"

#include <cstring>
#include <future>

#include "framework/device/buffer_use.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/sim/sim_memory.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::HasSubstr;

// Work that waits until somebody opens it.
class Gate {
 public:
  ~Gate() { Open(); }
  void Open() {
    if (!open_) opened_.set_value();
    open_ = true;
  }
  std::shared_future<void> future() const { return future_; }

 private:
  bool open_ = false;
  std::promise<void> opened_;
  std::shared_future<void> future_ = opened_.get_future().share();
};

class StreamWorkTest : public testing::Test {
 protected:
  StreamWorkTest()
      : one_(*Stream::Make(SimPlace())), two_(*Stream::Make(SimPlace())) {}

  static DenseTensor OnSim(const std::vector<float>& values) {
    return *Transferred(
        MakeTensor<float>({static_cast<int64_t>(values.size())}, values),
        SimPlace());
  }

  // Gives `stream` work that reads x and writes out[i] = x[i] + 1, once `gate`
  // is open, or fails with `failure`.
  static absl::Status AddOne(Stream& stream, const DenseTensor& x,
                             const DenseTensor& out, const Gate* gate = nullptr,
                             absl::Status failure = absl::OkStatus()) {
    StreamWork work(&stream);
    work.Reads(x.buffer().get());
    work.Writes(out.buffer().get());
    SY_RETURN_IF_ERROR(work.Begin());
    SimArena& arena = SimArena::Get();
    const auto* from = static_cast<const float*>(arena.Alias(x.raw_data()));
    auto* to = static_cast<float*>(arena.Alias(out.raw_data()));
    const int64_t count = out.numel();
    std::shared_future<void> open;
    if (gate != nullptr) open = gate->future();
    const auto run = [=] {
      if (open.valid()) open.wait();
      if (!failure.ok()) return failure;
      for (int64_t i = 0; i < count; ++i) to[i] = from[i] + 1;
      return absl::OkStatus();
    };
    SY_RETURN_IF_ERROR(SimStreamOf(stream).Enqueue(
        {"add_one", {x.buffer()->data()}, {out.buffer()->data()}, run}));
    return work.End().status();
  }

  static std::vector<float> Values(const DenseTensor& x) {
    const auto host = Transferred(x, Place::Cpu());
    EXPECT_THAT(host, IsOk());
    return host.ok() ? ToVector<float>(*host) : std::vector<float>();
  }

  RefPtr<Stream> one_, two_;
};

TEST_F(StreamWorkTest, AReadOnAnotherStreamWaitsForTheWriter) {
  const DenseTensor x = OnSim({1, 2}), y = OnSim({0, 0}), z = OnSim({0, 0});
  Gate gate;
  ASSERT_THAT(AddOne(*one_, x, y, &gate), IsOk());
  ASSERT_THAT(AddOne(*two_, y, z), IsOk());
  EXPECT_FALSE(z.buffer()->use()->idle());
  gate.Open();
  EXPECT_EQ(Values(z), (std::vector<float>{3, 4}));
}

TEST_F(StreamWorkTest, AWriteOnAnotherStreamWaitsForTheReaders) {
  const DenseTensor x = OnSim({1, 2}), y = OnSim({0, 0}), z = OnSim({7, 7});
  Gate gate;
  ASSERT_THAT(AddOne(*one_, x, y, &gate), IsOk());
  ASSERT_THAT(AddOne(*two_, z, x), IsOk());  // Overwrites what `one` reads.
  gate.Open();
  EXPECT_EQ(Values(y), (std::vector<float>{2, 3}));
  EXPECT_EQ(Values(x), (std::vector<float>{8, 8}));
}

TEST_F(StreamWorkTest, TheHostWaitsForWhatItNeedsAlone) {
  const DenseTensor x = OnSim({1}), y = OnSim({0}), z = OnSim({0});
  Gate gate;
  ASSERT_THAT(AddOne(*one_, x, y), IsOk());
  ASSERT_THAT(AddOne(*one_, x, z, &gate), IsOk());
  // After it, the stream stands still.
  EXPECT_EQ(Values(y), (std::vector<float>{2}));
  EXPECT_FALSE(z.buffer()->use()->idle());
  gate.Open();
  EXPECT_EQ(Values(z), (std::vector<float>{2}));
}

TEST_F(StreamWorkTest, AFailurePoisonsWhatReadsItAndIsReportedOnce) {
  const DenseTensor x = OnSim({1}), y = OnSim({0}), z = OnSim({0}),
                    other = OnSim({0});
  Gate gate;
  ASSERT_THAT(AddOne(*one_, x, y, &gate, absl::OutOfRangeError("embedding: x")),
              IsOk());
  ASSERT_THAT(AddOne(*two_, y, z), IsOk());
  ASSERT_THAT(AddOne(*one_, x, other), IsOk());
  gate.Open();
  EXPECT_THAT(Synchronize(SimPlace()),
              StatusIs(absl::StatusCode::kOutOfRange, "embedding: x"));
  EXPECT_THAT(Synchronize(SimPlace()), IsOk());
  // There is no value to read, ever; what reads none of it is as it should be.
  for (const DenseTensor& lost : {y, z}) {
    EXPECT_THAT(Transferred(lost, Place::Cpu()),
                StatusIs(absl::StatusCode::kOutOfRange, "embedding: x"));
    EXPECT_THAT(AddOne(*one_, lost, other),
                StatusIs(absl::StatusCode::kOutOfRange, "embedding: x"));
  }
  EXPECT_EQ(Values(other), (std::vector<float>{2}));
  // A whole new value revives it.
  ASSERT_THAT(CopyBytes(BytesOf(other), BytesOf(y), sizeof(float)), IsOk());
  EXPECT_EQ(Values(y), (std::vector<float>{2}));
}

TEST_F(StreamWorkTest, WhatReadsReportsWhatNobodyWasToldOf) {
  const DenseTensor x = OnSim({1}), y = OnSim({0});
  ASSERT_THAT(AddOne(*one_, x, y, nullptr, absl::DataLossError("lost")),
              IsOk());
  EXPECT_THAT(Transferred(y, Place::Cpu()),
              StatusIs(absl::StatusCode::kDataLoss, "lost"));
  EXPECT_THAT(Synchronize(SimPlace()), IsOk());
}

TEST_F(StreamWorkTest, AStreamsOwnSynchronizeLeavesTheOthersErrors) {
  const DenseTensor x = OnSim({1}), y = OnSim({0}), z = OnSim({0});
  ASSERT_THAT(AddOne(*one_, x, y, nullptr, absl::DataLossError("one")), IsOk());
  ASSERT_THAT(AddOne(*two_, x, z, nullptr, absl::DataLossError("two")), IsOk());
  EXPECT_THAT(two_->Synchronize(),
              StatusIs(absl::StatusCode::kDataLoss, "two"));
  EXPECT_THAT(two_->Synchronize(), IsOk());
  EXPECT_THAT(Synchronize(SimPlace()),
              StatusIs(absl::StatusCode::kDataLoss, "one"));
}

TEST_F(StreamWorkTest, MemoryIsFreedWhenItsWorkIsDone) {
  const DenseTensor x = OnSim({1});
  Gate gate;
  const void* address = nullptr;
  {
    const DenseTensor y = OnSim({0});
    address = y.raw_data();
    ASSERT_THAT(AddOne(*one_, x, y, &gate), IsOk());
  }
  EXPECT_NE(OnSim({5}).raw_data(), address);
  gate.Open();
  ASSERT_THAT(one_->Synchronize(), IsOk());
  EXPECT_EQ(OnSim({5}).raw_data(), address);
}

TEST_F(StreamWorkTest, BehindAFailureNothingOfAChainRuns) {
  const DenseTensor x = OnSim({1}), y = OnSim({0}), z = OnSim({9});
  one_->OpenChain();
  Gate gate;
  ASSERT_THAT(AddOne(*one_, x, y, &gate, absl::DataLossError("lost")), IsOk());
  ASSERT_THAT(AddOne(*one_, x, z), IsOk());  // Reads nothing of it.
  gate.Open();
  const RefPtr<Event> last = one_->CloseChain();
  EXPECT_THAT(last->Wait(), StatusIs(absl::StatusCode::kDataLoss, "lost"));
  z.buffer()->use()->Clear();
  EXPECT_EQ(Values(z), (std::vector<float>{9}));
  EXPECT_THAT(AddOne(*one_, x, z), IsOk());
  EXPECT_EQ(Values(z), (std::vector<float>{2}));
}

TEST_F(StreamWorkTest, AScopeSetsTheThreadsStream) {
  Stream* const own = *Stream::Current(SimPlace());
  {
    const StreamScope outer(one_);
    EXPECT_EQ(*Stream::Current(SimPlace()), one_.get());
    {
      const StreamScope inner(two_);
      EXPECT_EQ(*Stream::Current(SimPlace()), two_.get());
      // The other device has streams of its own.
      EXPECT_NE(*Stream::Current(SimPlace(1)), two_.get());
    }
    EXPECT_EQ(*Stream::Current(SimPlace()), one_.get());
  }
  EXPECT_EQ(*Stream::Current(SimPlace()), own);
  EXPECT_NE(*Stream::OfTransfers(SimPlace()), own);
}

TEST_F(StreamWorkTest, TheHostHasNoStreams) {
  EXPECT_FALSE(IsAsynchronous(Place::Cpu()));
  EXPECT_THAT(Synchronize(Place::Cpu()), IsOk());
  EXPECT_THAT(Stream::Make(Place::Cpu()).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("place must be of a device with streams")));
  EXPECT_THAT(
      Stream::Make(SimPlace(2)).status(),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("sim:2")));
}

}  // namespace
}  // namespace switchyard
