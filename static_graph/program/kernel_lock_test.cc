// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/kernel_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "static_graph/ir/byte_stream.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const KernelLock kLock = {
    {"conv2d", "conv2d_onednn_float32", {7}},
    {"mean", "mean_cpu_float32", {0}},
    {"relu", "relu_onednn_float32 or relu_cpu_float32", {1, 2}}};

TEST(KernelLock, ReadsBackWhatItWrites) {
  for (const KernelLock& lock : {KernelLock(), kLock}) {
    const auto read = DecodeLock(EncodeLock(lock));
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, lock);
    EXPECT_THAT(DifferencesOf(lock, *read), IsEmpty());
    EXPECT_THAT(CheckLock(lock, *read), IsOk());
  }
}

TEST(KernelLock, RefusesOtherBytes) {
  const std::string bytes = EncodeLock(kLock);
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto read = DecodeLock(bytes.substr(0, size));
    // Some prefixes are the lock of fewer calls.
    if (!read.ok()) continue;
    EXPECT_LT(read->size(), kLock.size());
  }
  // Digests that end within a number.
  ir::ByteWriter writer;
  writer.Counted("");
  writer.Counted("relu");
  writer.Counted("relu_cpu_float32");
  writer.Counted("1234567");
  EXPECT_THAT(DecodeLock(writer.bytes()),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeLock("x"), StatusIs(absl::StatusCode::kDataLoss,
                                        HasSubstr("locked kernels")));
}

TEST(KernelLock, ReadsThoseWithoutDigests) {
  ir::ByteWriter writer;
  for (const LockedCall& call : kLock) {
    writer.Counted(call.op);
    writer.Counted(call.kernel);
  }
  const auto read = DecodeLock(writer.bytes());
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->size(), kLock.size());
  EXPECT_THAT((*read)[2].digests, IsEmpty());
  EXPECT_THAT(DifferencesOf(*read, kLock), IsEmpty());
}

TEST(KernelLock, SaysWhichKernelsChanged) {
  KernelLock here = kLock;
  here[2].digests = {1, 3};
  EXPECT_THAT(DifferencesOf(kLock, here),
              ElementsAre("call 2, relu: relu_onednn_float32 or "
                          "relu_cpu_float32 was locked, and is made of other "
                          "sources here"));
  EXPECT_THAT(CheckLock(kLock, here),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  // One side does not know.
  here[2].digests = {0, 2};
  here[1].digests = {5};
  EXPECT_THAT(DifferencesOf(kLock, here), IsEmpty());
}

TEST(KernelLock, SaysWhichCallsDiffer) {
  KernelLock here = kLock;
  here[0].kernel = "conv2d_cpu_float32";
  EXPECT_THAT(DifferencesOf(kLock, here),
              ElementsAre("call 0, conv2d: conv2d_onednn_float32 was locked, "
                          "conv2d_cpu_float32 is chosen here"));
  // One side composes the mean.
  here = {kLock[0], {"sum", "sum_cpu_float32", {}}, kLock[2]};
  EXPECT_THAT(
      DifferencesOf(kLock, here),
      ElementsAre("call 1, mean: mean_cpu_float32 was locked, and is not here",
                  "sum: sum_cpu_float32 is only here"));
  EXPECT_THAT(DifferencesOf(kLock, {}), ::testing::SizeIs(3));
  EXPECT_THAT(DifferencesOf({}, kLock), ::testing::SizeIs(3));
  EXPECT_THAT(CheckLock(kLock, here),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("got others:\n  call 1, mean: ")));
}

}  // namespace
}  // namespace switchyard::static_graph
