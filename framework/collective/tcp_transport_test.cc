// SPDX-License-Identifier: Apache-2.0
// The transport "tcp": the cases of transport_cases.cc, and its own.
#include "framework/collective/tcp_transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "framework/collective/transport_cases.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

class Sockets : public World {
 public:
  explicit Sockets(int size) : sockets_(size, std::vector<int>(size, -1)) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < i; ++j) {
        int pair[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        sockets_[i][j] = pair[0];
        sockets_[j][i] = pair[1];
      }
    }
  }
  const TransportInfo& transport() const override { return kTcpTransport; }
  void* MediumOf(int rank) override { return &sockets_[rank]; }

 private:
  std::vector<std::vector<int>> sockets_;  // Of each rank to each.
};

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

}  // namespace

std::unique_ptr<World> MakeWorld(int size) {
  return std::make_unique<Sockets>(size);
}

}  // namespace switchyard::collective
