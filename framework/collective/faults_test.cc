// SPDX-License-Identifier: Apache-2.0
// The errors of ranks when another one calls otherwise, leaves, dies or
// freezes.
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/collective/run_ranks.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// All-reduces `count` zeros of a dtype, from a line of train.py.
absl::Status Reduce(Group& group, const std::string& name, uint64_t count,
                    int line, DataType dtype = DataType::kFloat32) {
  const ShardTree tree(group.size(), group.size());
  std::vector<double> values(count);
  Call call;
  call.dtype = dtype;
  call.count = count;
  call.name = name;
  call.location = "train.py:" + std::to_string(line);
  return AllReduce(group, call, tree, {values.data()}, values.data());
}

TEST(DifferenceTest, OrderIsNamedOnBothRanks) {
  ThreadWorld world(2);
  const auto statuses = RunRanks(world, 2, [](Group& group) {
    const bool first = group.rank() == 0;
    SY_RETURN_IF_ERROR(Reduce(group, "a", 3, 1));
    SY_RETURN_IF_ERROR(Reduce(group, first ? "b" : "c", 3, first ? 2 : 3));
    return Reduce(group, first ? "c" : "b", 3, first ? 3 : 2);
  });
  const std::string sentence =
      "ranks make different collective calls: as call 1, rank 0 (host a, "
      "process 100) makes all_reduce(sum) 'b' float32[3] of 2 shards "
      "(train.py:2) and rank 1 (host b, process 101) makes all_reduce(sum) "
      "'c' float32[3] of 2 shards (train.py:3)";
  EXPECT_EQ(statuses[0].message(), sentence);
  EXPECT_EQ(statuses[1].message(), sentence);
}

TEST(DifferenceTest, DtypeAndCountAreNamed) {
  for (const bool count : {false, true}) {
    ThreadWorld world(3);
    const auto statuses = RunRanks(world, 3, [&](Group& group) {
      if (group.rank() != 2) return Reduce(group, "a", 5000, 1);
      return count ? Reduce(group, "a", 4999, 1)
                   : Reduce(group, "a", 5000, 1, DataType::kInt32);
    });
    for (const absl::Status& status : statuses) {
      EXPECT_TRUE(absl::IsAborted(status));
      EXPECT_THAT(status.message(), HasSubstr("'a' float32[5000]"));
      EXPECT_THAT(status.message(),
                  HasSubstr(count ? "'a' float32[4999]" : "'a' int32[5000]"));
      EXPECT_THAT(status.message(), HasSubstr("rank 2 (host c"));
    }
  }
}

TEST(DifferenceTest, OneSideMayBeAheadAlready) {
  ThreadWorld world(2);
  const auto statuses = RunRanks(world, 2, [](Group& group) {
    if (group.rank() == 1) return Reduce(group, "a", 2, 9);
    float value = 1;
    Call call;
    call.dtype = DataType::kFloat32;
    call.count = 1;
    call.name = "w";
    SY_RETURN_IF_ERROR(Broadcast(group, call, 0, &value));
    return Reduce(group, "a", 2, 9);
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status.message(), HasSubstr("as call 0"));
    EXPECT_THAT(status.message(),
                HasSubstr("broadcast 'w' float32[1] from rank 0"));
    EXPECT_THAT(status.message(), HasSubstr("(train.py:9)"));
  }
}

TEST(FaultTest, ARankThatLeavesIsNamed) {
  ThreadWorld world(3);
  const auto statuses = RunRanks(world, 3, [](Group& group) {
    SY_RETURN_IF_ERROR(Reduce(group, "a", 2, 1));
    if (group.rank() == 1) return absl::OkStatus();
    return Reduce(group, "b", 2, 2);
  });
  EXPECT_THAT(statuses[1], IsOk());
  for (const int rank : {0, 2}) {
    EXPECT_THAT(statuses[rank].message(),
                HasSubstr("rank 1 (host b, process 101) closed the connection "
                          "while rank "));
    EXPECT_THAT(statuses[rank].message(),
                HasSubstr("in call 1, all_reduce(sum) 'b' float32[2] of 3 "
                          "shards (train.py:2); its last call was 0"));
  }
}

TEST(FaultTest, AKilledRankIsNamed) {
  ThreadWorld world(3);
  const auto statuses = RunRanks(world, 3, [&](Group& group) {
    SY_RETURN_IF_ERROR(Reduce(group, "a", 2, 1));
    if (group.rank() == 2) world.Kill(2);
    return Reduce(group, "b", 2, 2);
  });
  for (const int rank : {0, 1}) {
    EXPECT_THAT(statuses[rank].message(),
                HasSubstr("rank 2 (host c, process 102) closed"));
  }
  EXPECT_THAT(statuses[2].message(), HasSubstr("was killed"));
}

TEST(FaultTest, AFrozenRankIsNamedAtTheDeadline) {
  ThreadWorld world(3);
  const auto statuses = RunRanks(
      world, 3,
      [&](Group& group) {
        SY_RETURN_IF_ERROR(Reduce(group, "a", 2, 1));
        if (group.rank() == 1) world.Freeze(1);
        return Reduce(group, "b", 2000, 2);
      },
      milliseconds(300));
  for (const int rank : {0, 2}) {
    EXPECT_THAT(
        statuses[rank].message(),
        AnyOf(HasSubstr("waited 0.3 s in call 1, all_reduce(sum) 'b' "
                        "float32[2000] of 3 shards (train.py:2), for rank 1 "
                        "(host b, process 101), whose last call was 0"),
              HasSubstr("rank 1 (host b, process 101) closed")));
  }
}

TEST(FaultTest, ARankThatIsBusyIsWaitedFor) {
  ThreadWorld world(2);
  std::vector<std::string> said;
  const auto statuses = RunRanks(
      world, 2,
      [](Group& group) {
        SY_RETURN_IF_ERROR(Reduce(group, "a", 2, 1));
        if (group.rank() == 1) std::this_thread::sleep_for(milliseconds(3200));
        return Reduce(group, "b", 2, 2);
      },
      milliseconds(1000),
      [&](const std::string& sentence) { said.push_back(sentence); });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
  EXPECT_THAT(
      said,
      ElementsAre(
          "rank 0 (host a, process 100) waited 1 s in call 1, all_reduce(sum) "
          "'b' float32[2] of 2 shards (train.py:2), for rank 1 (host b, "
          "process 101), whose last call was 0, still alive, and goes on "
          "waiting"));
}

// It answers at first: the deadline begins with its last answer.
TEST(FaultTest, ABusyRankThatFreezesIsNamed) {
  ThreadWorld world(2);
  std::promise<void> failed, waited;
  const auto statuses = RunRanks(
      world, 2,
      [&](Group& group) {
        SY_RETURN_IF_ERROR(Reduce(group, "a", 2, 1));
        if (group.rank() == 1) {
          waited.get_future().wait();
          world.Freeze(1);
          failed.get_future().wait();
          return absl::OkStatus();
        }
        const absl::Status status = Reduce(group, "b", 2, 2);
        failed.set_value();
        return status;
      },
      milliseconds(500), [&](const std::string&) { waited.set_value(); });
  EXPECT_THAT(std::string(statuses[0].message()),
              MatchesRegex(".*waited .* s in call 1, .* for rank 1 \\(host b, "
                           "process 101\\), whose last call was 0, without an "
                           "answer for 0.5 s"));
}

TEST(FaultTest, TheFirstErrorStays) {
  ThreadWorld world(2);
  const auto statuses = RunRanks(world, 2, [](Group& group) {
    if (group.rank() == 1) return absl::OkStatus();
    const absl::Status first = Reduce(group, "a", 2, 1);
    EXPECT_FALSE(first.ok());
    EXPECT_EQ(Reduce(group, "b", 2, 2), first);
    EXPECT_EQ(Barrier(group, {}), first);
    return first;
  });
  EXPECT_FALSE(statuses[0].ok());
}

TEST(FaultTest, ArgumentsAreCheckedBeforeAnythingIsSent) {
  ThreadWorld world(2);
  const auto statuses = RunRanks(world, 2, [](Group& group) {
    float value = 1;
    Call call;
    call.dtype = DataType::kBool;
    call.count = 1;
    EXPECT_FALSE(
        AllReduce(group, call, ShardTree(2, 2), {&value}, &value).ok());
    call.dtype = DataType::kFloat32;
    EXPECT_FALSE(
        AllReduce(group, call, ShardTree(3, 3), {&value}, &value).ok());
    EXPECT_FALSE(AllReduce(group, call, ShardTree(2, 2), {}, &value).ok());
    EXPECT_FALSE(Broadcast(group, call, 2, &value).ok());
    EXPECT_FALSE(AllGather(group, call, {0, 2, 1}, &value).ok());
    return Barrier(group, {});
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

}  // namespace
}  // namespace switchyard::collective
