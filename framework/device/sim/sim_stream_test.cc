// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_stream.h"

#include <atomic>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::HasSubstr;

// Blocks are addresses alone here.
SimTask Task(const char* op, std::vector<const void*> reads,
             std::vector<const void*> writes) {
  return {op, std::move(reads), std::move(writes),
          [] { return absl::OkStatus(); }};
}

// Waits for all that the stream has been given. Returns its failure's status.
absl::Status Finish(SimStream& stream) {
  const std::shared_ptr<StreamFailure> failure = stream.Record().Join();
  return failure == nullptr ? absl::OkStatus() : failure->status;
}

TEST(SimStreamTest, RunsTasksInOrderOnAThreadOfItsOwn) {
  SimStream stream(1);
  std::vector<int> order;
  std::thread::id worker;
  for (int i = 0; i < 100; ++i) {
    ASSERT_THAT(stream.Enqueue({"step",
                                {},
                                {},
                                [&, i] {
                                  order.push_back(i);
                                  worker = std::this_thread::get_id();
                                  return absl::OkStatus();
                                }}),
                IsOk());
  }
  ASSERT_THAT(Finish(stream), IsOk());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(SimStreamTest, AnEventHasTheFirstFailureSinceTheOneBefore) {
  SimStream stream(1);
  std::atomic<int> ran{0};
  const auto add = [&](absl::Status status) {
    return stream.Enqueue({"step", {}, {}, [&ran, status] {
                             ++ran;
                             return status;
                           }});
  };
  ASSERT_THAT(add(absl::OutOfRangeError("first")), IsOk());
  ASSERT_THAT(add(absl::OutOfRangeError("second")), IsOk());
  const SimEvent failed = stream.Record();
  ASSERT_THAT(add(absl::OkStatus()), IsOk());
  EXPECT_THAT(Finish(stream), IsOk());
  EXPECT_EQ(ran, 3);
  EXPECT_TRUE(failed.reached());
  EXPECT_THAT(failed.Join()->status,
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("first")));
}

TEST(SimStreamTest, WhatRequiresFailedWorkDoesNotRun) {
  SimStream one(1), two(2);
  std::atomic<int> ran{0};
  const auto count = [&ran] {
    ++ran;
    return absl::OkStatus();
  };
  ASSERT_THAT(
      one.Enqueue({"fail", {}, {}, [] { return absl::DataLossError("lost"); }}),
      IsOk());
  const SimEvent failed = one.Record();
  two.Wait(failed);
  two.Require(failed);
  ASSERT_THAT(two.Enqueue({"reads it", {}, {}, count}), IsOk());
  const SimEvent poisoned = two.Record();
  // The next task alone was asked for.
  ASSERT_THAT(two.Enqueue({"other", {}, {}, count}), IsOk());
  EXPECT_THAT(Finish(two), IsOk());
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(poisoned.Join(), failed.Join());
}

TEST(SimStreamTest, NamesBothOperatorsWhereNoWaitOrdersThem) {
  SimStream one(1), two(2);
  const int x = 0;
  ASSERT_THAT(one.Enqueue(Task("relu", {}, {&x})), IsOk());
  EXPECT_THAT(
      two.Enqueue(Task("softmax", {&x}, {})),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("softmax on stream 2 reads memory that relu on stream "
                         "1 writes, and no wait orders the two")));
  EXPECT_THAT(two.Enqueue(Task("add", {}, {&x})),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("add on stream 2 writes memory that relu")));
  ForgetSimBlock(&x);
}

TEST(SimStreamTest, AWriteAfterAnUnorderedReadIsAnErrorToo) {
  SimStream one(1), two(2);
  const int x = 0;
  ASSERT_THAT(one.Enqueue(Task("relu", {&x}, {})), IsOk());
  ASSERT_THAT(two.Enqueue(Task("tanh", {&x}, {})), IsOk());
  EXPECT_THAT(two.Enqueue(Task("add", {}, {&x})),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("add on stream 2 writes memory that relu on "
                                 "stream 1 reads")));
  ForgetSimBlock(&x);
}

TEST(SimStreamTest, AnEventOrdersTwoStreams) {
  SimStream one(1), two(2);
  const int x = 0, y = 0;
  std::atomic<int> value{0};
  ASSERT_THAT(
      one.Enqueue({"relu",
                   {},
                   {&x},
                   [&] {
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                     value = 7;
                     return absl::OkStatus();
                   }}),
      IsOk());
  const SimEvent written = one.Record();
  // The event is of before this task.
  ASSERT_THAT(one.Enqueue(Task("tanh", {}, {&y})), IsOk());
  two.Wait(written);
  int seen = 0;
  ASSERT_THAT(two.Enqueue({"softmax",
                           {&x},
                           {},
                           [&] {
                             seen = value;
                             return absl::OkStatus();
                           }}),
              IsOk());
  EXPECT_THAT(two.Enqueue(Task("add", {&y}, {})),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(Finish(two), IsOk());
  EXPECT_EQ(seen, 7);
  ForgetSimBlock(&x);
  ForgetSimBlock(&y);
}

TEST(SimStreamTest, WhatTheHostWaitedForIsOrdered) {
  SimStream one(1), two(2);
  const int x = 0;
  ASSERT_THAT(one.Enqueue(Task("relu", {}, {&x})), IsOk());
  ASSERT_THAT(Finish(one), IsOk());
  EXPECT_THAT(two.Enqueue(Task("softmax", {&x}, {&x})), IsOk());
  ForgetSimBlock(&x);
}

}  // namespace
}  // namespace switchyard
