// SPDX-License-Identifier: Apache-2.0
// Predictions and the transport "model", beside closed forms and beside the
// messages that ranks with data send.
#include "framework/collective/predict.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/collective/run_ranks.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

constexpr double kHeader = 32;

Call CallOf(Operator op, uint64_t count, int detail = 0) {
  Call call;
  call.op = op;
  call.dtype = DataType::kFloat32;
  call.count = count;
  call.detail = static_cast<uint32_t>(detail);
  return call;
}

ModelNetwork Uniform(double latency, double overhead, double per_byte) {
  const LinkCost cost = {latency, overhead, per_byte};
  return {cost, cost, 1};
}

Prediction Predicted(const std::vector<Call>& calls, int ranks,
                     const ModelNetwork& network) {
  const auto predicted = Predict(calls, ranks, network);
  EXPECT_THAT(predicted, IsOk());
  return predicted.ok() ? *predicted : Prediction();
}

// The time of P - 1 messages of `bytes`, which leave a rank one after another.
struct Formula {
  int ranks;
  double latency, overhead, per_byte;

  double Sent(double messages, double bytes) const {
    return (ranks - 1) * (messages * overhead + bytes * per_byte);
  }
};

// Messages of all kinds of costs together, and of each alone.
std::vector<Formula> Formulas(int ranks) {
  return {{ranks, 5e-6, 0, 0},
          {ranks, 0, 1e-6, 0},
          {ranks, 0, 0, 8e-11},
          {ranks, 5e-6, 1e-6, 8e-11}};
}

double SecondsOf(const Formula& formula, const Call& call) {
  return Predicted({call}, formula.ranks,
                   Uniform(formula.latency, formula.overhead, formula.per_byte))
      .seconds;
}

TEST(PredictTest, TimesAreThoseOfClosedForms) {
  constexpr uint64_t kCount = uint64_t{1} << 20;
  constexpr double kBytes = 4.0 * kCount;
  for (const int ranks : {2, 4, 16, 64}) {
    const double part = kBytes / ranks;
    const double levels = std::log2(ranks);
    for (const Formula& f : Formulas(ranks)) {
      const double slack = 1e-12;
      // Each rank sends a header and a slice to each other one, then its slice
      // of the result.
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kAllReduce, kCount, ranks)),
                  f.Sent(3, kHeader + 2 * part) + 2 * f.latency, slack);
      // All of a small tensor goes to all.
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kAllReduce, 1024, ranks)),
                  f.Sent(2, kHeader + 4096) + f.latency, slack);
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kReduceScatter, kCount, ranks)),
                  f.Sent(2, kHeader + part) + f.latency, slack);
      // The headers are compared before the slices are sent.
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kAllGather, kCount)),
                  f.Sent(2, kHeader + part) + 2 * f.latency, slack);
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kBarrier, 0)),
                  f.Sent(1, kHeader) + f.latency, slack);
      // A binomial tree, of a header and the tensor a level.
      EXPECT_NEAR(SecondsOf(f, CallOf(Operator::kBroadcast, kCount, ranks - 1)),
                  levels * (2 * f.overhead + (kHeader + kBytes) * f.per_byte +
                            f.latency),
                  slack);
    }
  }
}

TEST(PredictTest, ARankThatIsAloneSendsNothing) {
  const Prediction alone = Predicted({CallOf(Operator::kAllReduce, 1 << 20, 8),
                                      CallOf(Operator::kBroadcast, 1 << 20)},
                                     1, Uniform(1, 1, 1));
  EXPECT_EQ(alone.seconds, 0);
  EXPECT_EQ(alone.messages, 0);
  EXPECT_EQ(alone.bytes, 0);
}

// Two hosts of two ranks: what stays on a host costs what it says.
TEST(PredictTest, HostsHaveLinksOfTheirOwn) {
  ModelNetwork network;
  network.ranks_a_host = 2;
  network.between_hosts.latency = 1;
  network.within_host.latency = 1.0 / 1024;
  const Call barrier = CallOf(Operator::kBarrier, 0);
  EXPECT_EQ(Predicted({barrier}, 2, network).seconds, 1.0 / 1024);
  EXPECT_EQ(Predicted({barrier}, 3, network).seconds, 1);
  // Rank 0 sends to rank 2, and each of them to its neighbour.
  const Call broadcast = CallOf(Operator::kBroadcast, 7);
  EXPECT_EQ(Predicted({broadcast}, 4, network).seconds, 1 + 1.0 / 1024);
}

// Makes a call on ranks that are threads, with data.
absl::Status MakeWithData(Group& group, const Call& call) {
  const int ranks = group.size();
  std::vector<float> values(call.count), out(call.count);
  std::vector<uint64_t> begins;
  const uint64_t each = call.count / ranks, left = call.count % ranks;
  for (int rank = 0; rank <= ranks; ++rank) {
    begins.push_back(each * rank + std::min<uint64_t>(rank, left));
  }
  switch (call.op) {
    case Operator::kAllReduce:
    case Operator::kReduceScatter: {
      const ShardTree tree(static_cast<int>(call.detail), ranks);
      const std::vector<const void*> pieces(tree.pieces(group.rank()).size(),
                                            values.data());
      return call.op == Operator::kAllReduce
                 ? AllReduce(group, call, tree, pieces, out.data())
                 : ReduceScatter(group, call, tree, pieces, begins, out.data());
    }
    case Operator::kAllGather:
      return AllGather(group, call, begins, out.data());
    case Operator::kBroadcast:
      return Broadcast(group, call, static_cast<int>(call.detail), out.data());
    default:
      return Barrier(group, call);
  }
}

TEST(PredictTest, MessagesAreThoseOfRanksWithData) {
  for (const int ranks : {2, 3, 4}) {
    for (const uint64_t count : {0, 1, 1000, 1025, 100003}) {
      for (const Call& call : {CallOf(Operator::kAllReduce, count, 8),
                               CallOf(Operator::kAllReduce, count, ranks),
                               CallOf(Operator::kReduceScatter, count, 11),
                               CallOf(Operator::kAllGather, count),
                               CallOf(Operator::kBroadcast, count, 1),
                               CallOf(Operator::kBarrier, 0)}) {
        ThreadWorld world(ranks);
        for (const absl::Status& status :
             RunRanks(world, ranks, [&](Group& group) {
               SY_RETURN_IF_ERROR(MakeWithData(group, call));
               return MakeWithData(group, call);
             })) {
          ASSERT_THAT(status, IsOk());
        }
        const Prediction predicted =
            Predicted({call, call}, ranks, Uniform(1e-6, 0, 1e-9));
        EXPECT_EQ(predicted.messages, world.messages()) << call.ToString();
        EXPECT_EQ(predicted.bytes, world.bytes()) << call.ToString();
        EXPECT_GT(predicted.messages, 0);
      }
    }
  }
}

// The tensor has 256 GiB; what is allocated are the ranks' lists of messages.
TEST(PredictTest, ManyRanksNeedLittleMemory) {
  constexpr int kRanks = 256;
  constexpr uint64_t kCount = uint64_t{1} << 36;
  const size_t before = mallinfo2().uordblks;
  const Prediction predicted =
      Predicted({CallOf(Operator::kAllReduce, kCount, kRanks)}, kRanks,
                Uniform(1e-5, 0, 1e-10));
  const double rounds = kRanks - 1;
  EXPECT_EQ(predicted.messages, static_cast<int64_t>(3 * kRanks * rounds));
  EXPECT_NEAR(predicted.seconds,
              2e-5 + rounds * (32 + 2 * 4.0 * kCount / kRanks) * 1e-10, 1e-9);
  EXPECT_LT(mallinfo2().uordblks, before + (size_t{64} << 20));
}

TEST(PredictTest, TimesAreTheSameInEachRun) {
  const std::vector<Call> calls = {CallOf(Operator::kAllReduce, 12345, 24),
                                   CallOf(Operator::kBroadcast, 999, 3),
                                   CallOf(Operator::kReduceScatter, 7001, 13)};
  ModelNetwork network = Uniform(3e-6, 1e-7, 1e-9);
  network.ranks_a_host = 3;
  network.within_host.latency = 1e-7;
  const double first = Predicted(calls, 11, network).seconds;
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(Predicted(calls, 11, network).seconds, first);
  }
}

TEST(PredictTest, ErrorsNameTheArgument) {
  const Call call = CallOf(Operator::kAllReduce, 10, 8);
  const auto message = [](const std::vector<Call>& calls, int ranks) {
    return std::string(
        Predict(calls, ranks, Uniform(0, 0, 0)).status().message());
  };
  EXPECT_THAT(message({call}, 0),
              HasSubstr("ranks must be in [1, 512], got 0"));
  EXPECT_THAT(message({call}, 513), HasSubstr("got 513"));
  EXPECT_THAT(message({call}, 9),
              HasSubstr("shards must be at least 9, got 8"));
  EXPECT_THAT(message({CallOf(Operator::kBroadcast, 10, 4)}, 4),
              HasSubstr("root must be in [0, 4), got 4"));
  EXPECT_THAT(message({CallOf(Operator::kAllGather, uint64_t{1} << 62)}, 4),
              HasSubstr("count must be of elements of less than 2^63 bytes"));
  EXPECT_THAT(Predict({CallOf(Operator::kAllGather, uint64_t{1} << 60)}, 2,
                      Uniform(0, 0, 0))
                  .status(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("no addresses for a tensor of ")));
}

}  // namespace
}  // namespace switchyard::collective
