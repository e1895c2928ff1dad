// SPDX-License-Identifier: Apache-2.0
// Ranks that are connected by sockets, in threads of this process.
#include "framework/collective/tcp_transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

using Sockets = std::vector<std::vector<int>>;  // Of each rank to each.

Sockets Connected(int size) {
  Sockets sockets(size, std::vector<int>(size, -1));
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) {
      int pair[2];
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
      sockets[i][j] = pair[0];
      sockets[j][i] = pair[1];
    }
  }
  return sockets;
}

std::vector<absl::Status> RunOverSockets(
    int size, const std::function<absl::Status(Group&)>& body) {
  Sockets sockets = Connected(size);
  std::vector<absl::Status> results(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options;
      options.deadline = std::chrono::milliseconds(20000);
      auto group = Group::Make(kTcpTransport, {rank, size, &sockets[rank]},
                               std::move(options));
      results[rank] = group.ok() ? body(**group) : group.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

Call DoubleCall(uint64_t count) {
  Call call;
  call.dtype = DataType::kFloat64;
  call.count = count;
  return call;
}

TEST(TcpTransportTest, SumsOfEverySize) {
  for (const uint64_t count : {0, 1, 511, 513, 70001, 400003}) {
    for (const int size : {1, 2, 3, 4}) {
      const ShardTree tree(size, size);
      const auto statuses = RunOverSockets(size, [&](Group& group) {
        std::vector<double> values(count);
        for (uint64_t i = 0; i < count; ++i) {
          values[i] = static_cast<double>(i) + group.rank();
        }
        for (int again = 0; again < 2; ++again) {
          SY_RETURN_IF_ERROR(AllReduce(group, DoubleCall(count), tree,
                                       {values.data()}, values.data()));
        }
        for (uint64_t i = 0; i < count; ++i) {
          const double once = static_cast<double>(i) * size +
                              static_cast<double>(size * (size - 1)) / 2;
          if (values[i] != size * once) return absl::DataLossError("wrong");
        }
        return absl::OkStatus();
      });
      for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
    }
  }
}

// The receiver asks for messages in another order than they come.
TEST(TcpTransportTest, MessagesAreFoundByTheirTags) {
  Sockets sockets = Connected(2);
  const auto left = kTcpTransport.connect({0, 2, &sockets[0]});
  const auto right = kTcpTransport.connect({1, 2, &sockets[1]});
  ASSERT_THAT(left, IsOk());
  ASSERT_THAT(right, IsOk());
  std::vector<int> sent(100000), got(100000);
  for (int i = 0; i < 100000; ++i) sent[i] = i;
  const size_t bytes = sent.size() * sizeof(int);
  const int small = 42;
  int found = 0;
  std::vector<std::pair<void*, void*>> requests;
  requests.emplace_back(*left,
                        *kTcpTransport.isend(*left, 1, 7, sent.data(), bytes));
  requests.emplace_back(*left, *kTcpTransport.isend(*left, 1, 9, &small, 4));
  requests.emplace_back(*right, *kTcpTransport.irecv(*right, 0, 9, &found, 4));
  bool late = false;
  while (!requests.empty()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto done =
          kTcpTransport.test(requests[i].first, requests[i].second);
      ASSERT_THAT(done, IsOk());
      if (*done) requests.erase(requests.begin() + static_cast<long>(i--));
    }
    if (!late) {  // Part of it is there already.
      late = true;
      requests.emplace_back(
          *right, *kTcpTransport.irecv(*right, 0, 7, got.data(), bytes));
    }
  }
  EXPECT_EQ(found, 42);
  EXPECT_EQ(got, sent);
  kTcpTransport.close(*left, false);
  kTcpTransport.close(*right, false);
}

TEST(TcpTransportTest, ASizeThatLiesEndsTheConnection) {
  for (const uint64_t size : {~uint64_t{0}, uint64_t{1} << 41}) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    std::vector<int> sockets = {-1, pair[0]};
    const auto link = kTcpTransport.connect({0, 2, &sockets});
    ASSERT_THAT(link, IsOk());
    const uint64_t frame[] = {7, size};  // The tag, and what it claims.
    ASSERT_EQ(write(pair[1], frame, sizeof(frame)), sizeof(frame));
    char received[4];
    const auto request = kTcpTransport.irecv(*link, 1, 9, received, 4);
    ASSERT_THAT(request, IsOk());
    absl::StatusOr<bool> ended = kTcpTransport.test(*link, *request);
    EXPECT_THAT(ended.status(), StatusIs(absl::StatusCode::kUnavailable,
                                         HasSubstr("a size that can't be")));
    kTcpTransport.close(*link, true);
    close(pair[1]);
  }
}

TEST(TcpTransportTest, ARankThatLeavesIsNamed) {
  const auto statuses = RunOverSockets(3, [](Group& group) {
    SY_RETURN_IF_ERROR(Barrier(group, {}));
    if (group.rank() == 1) return absl::OkStatus();
    return Barrier(group, {});
  });
  EXPECT_THAT(statuses[0].message(),
              HasSubstr("rank 1 closed the connection while rank "));
  EXPECT_THAT(statuses[2].message(),
              HasSubstr("rank 1 closed the connection while rank "));
}

TEST(TcpTransportTest, TheLastMessagesOfARankThatLeavesArrive) {
  for (int again = 0; again < 20; ++again) {
    const auto statuses = RunOverSockets(2, [](Group& group) {
      std::vector<double> values(50000, group.rank());
      SY_RETURN_IF_ERROR(Broadcast(group, DoubleCall(50000), 0, values.data()));
      return values[49999] == 0 ? absl::OkStatus()
                                : absl::DataLossError("wrong");
    });
    for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
  }
}

TEST(TcpTransportTest, DifferencesAreNamedOnBothRanks) {
  const auto statuses = RunOverSockets(2, [](Group& group) {
    std::vector<double> values(1000);
    if (group.rank() == 0) return Barrier(group, {});
    // It has sent all when it returns, and answers in its next call.
    SY_RETURN_IF_ERROR(Broadcast(group, DoubleCall(1000), 1, values.data()));
    return Barrier(group, {});
  });
  const std::string sentence =
      "ranks make different collective calls: as call 0, rank 0 makes barrier "
      "and rank 1 makes broadcast float64[1000] from rank 1";
  EXPECT_EQ(statuses[0].message(), sentence);
  EXPECT_EQ(statuses[1].message(), sentence);
}

}  // namespace
}  // namespace switchyard::collective
