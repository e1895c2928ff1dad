// SPDX-License-Identifier: Apache-2.0
// The transport "gloo": the cases of transport_cases.cc, over the loopback
// interface, and its own.
#include "framework/collective/gloo_transport.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/collective/transport_cases.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

// The ranks tell each other where they listen through memory.
class Meeting : public World {
 public:
  explicit Meeting(int size) : told_(size), media_(size) {
    for (int rank = 0; rank < size; ++rank) {
      media_[rank].host = "127.0.0.1";
      media_[rank].patience = std::chrono::milliseconds(20000);
      media_[rank].exchange = [this, rank](const std::string& own) {
        return Exchange(rank, own);
      };
    }
  }
  const TransportInfo& transport() const override { return kGlooTransport; }
  void* MediumOf(int rank) override { return &media_[rank]; }
  GlooMedium& medium(int rank) { return media_[rank]; }

 private:
  absl::StatusOr<std::vector<std::string>> Exchange(int rank,
                                                    const std::string& own) {
    std::unique_lock<std::mutex> lock(mutex_);
    told_[rank] = own;
    ++count_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return count_ >= told_.size(); });
    return told_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t count_ = 0;
  std::vector<std::string> told_;
  std::vector<GlooMedium> media_;
};

TEST(GlooTransportTest, AnAddressThatIsNotOfThisMachine) {
  Meeting meeting(2);
  meeting.medium(0).host = "no-such-host.invalid";
  EXPECT_THAT(kGlooTransport.connect({0, 2, meeting.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("transport gloo: can't listen at "
                                 "no-such-host.invalid: ")));
}

TEST(GlooTransportTest, AnErrorOfTheMeetingIsReturned) {
  Meeting meeting(2);
  meeting.medium(0).exchange = [](const std::string&) {
    return absl::AbortedError("rank 1 did not come");
  };
  EXPECT_THAT(kGlooTransport.connect({0, 2, meeting.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kAborted, "rank 1 did not come"));
}

TEST(GlooTransportTest, AddressesOfOtherLengthsAreRefused) {
  Meeting meeting(2);
  meeting.medium(0).exchange = [](const std::string& own) {
    return std::vector<std::string>{own, own + "x"};
  };
  EXPECT_THAT(kGlooTransport.connect({0, 2, meeting.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kAborted,
                       HasSubstr("different versions of Gloo")));
}

// Its peer listens, and is gone before the two are connected.
TEST(GlooTransportTest, ARankThatGoesBeforeItIsConnected) {
  Meeting meeting(2);
  meeting.medium(1).patience = std::chrono::milliseconds(300);
  std::string other;
  meeting.medium(0).exchange = [&](const std::string& own) {
    other = own;
    return absl::AbortedError("leaves");
  };
  meeting.medium(1).exchange = [&](const std::string& own) {
    EXPECT_FALSE(kGlooTransport.connect({0, 2, meeting.MediumOf(0)}).ok());
    return std::vector<std::string>{other, own};
  };
  EXPECT_THAT(kGlooTransport.connect({1, 2, meeting.MediumOf(1)}).status(),
              StatusIs(absl::StatusCode::kAborted,
                       HasSubstr("init: rank 1 could not connect by Gloo: ")));
}

}  // namespace

std::unique_ptr<World> MakeWorld(int size) {
  return std::make_unique<Meeting>(size);
}

}  // namespace switchyard::collective
