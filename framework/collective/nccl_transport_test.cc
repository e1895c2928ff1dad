// SPDX-License-Identifier: Apache-2.0
// The transport "nccl" over fakes of its two libraries (testing/fake_nccl.cc,
// testing/fake_driver.cc): the cases of transport_cases.cc, and its own.
#include "framework/collective/nccl_transport.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/collective/nccl_api.h"
#include "framework/collective/transport_cases.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

// Their names as libraries are those that the transport opens.
const bool opened = [] {
  for (const char* const name : {"libfake_driver.so", "libfake_nccl.so"}) {
    const std::string path = std::string("framework/collective/") + name;
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) std::abort();
  }
  return true;
}();

class Gpus : public World {
 public:
  explicit Gpus(int size) : media_(static_cast<size_t>(size)) {
    for (int i = 0; i < size; ++i) {
      media_[i].sockets.assign(static_cast<size_t>(size), -1);
      media_[i].device = i;
      media_[i].patience = std::chrono::milliseconds(20000);
      for (int j = 0; j < i; ++j) {
        int pair[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        media_[i].sockets[j] = pair[0];
        media_[j].sockets[i] = pair[1];
      }
    }
  }
  const TransportInfo& transport() const override { return kNcclTransport; }
  void* MediumOf(int rank) override { return &media_[rank]; }
  NcclMedium& medium(int rank) { return media_[rank]; }

 private:
  std::vector<NcclMedium> media_;
};

// Sets a variable of the environment, for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

// The outcome by rank of a function of each rank's group.
template <typename Body>
std::vector<absl::Status> RunRanks(int size, Body body,
                                   std::chrono::milliseconds deadline) {
  Gpus world(size);
  for (int rank = 0; rank < size; ++rank) {
    world.medium(rank).patience = deadline;
  }
  std::vector<absl::Status> results(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options;
      options.deadline = deadline;
      auto group = Group::Make(kNcclTransport,
                               {rank, size, world.MediumOf(rank)}, options);
      results[rank] = group.ok() ? body(**group) : group.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

absl::Status BroadcastOnce(Group& group, std::vector<float>& values) {
  Call call;
  call.dtype = DataType::kFloat32;
  call.count = values.size();
  return Broadcast(group, call, 0, values.data());
}

constexpr std::chrono::milliseconds kLong{20000};

TEST(NcclTransportTest, AVersionThatIsTooOld) {
  const Variable fault("FAKE_NCCL_FAULT", "version=21304");
  Gpus world(1);
  EXPECT_THAT(kNcclTransport.connect({0, 1, world.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "transport nccl: the package libnccl2 must be of "
                       "version 2.18 or later, got version code 21304"));
}

TEST(NcclTransportTest, AMachineWithoutAGpu) {
  Gpus world(1);
  world.medium(0).device = 8;
  EXPECT_THAT(kNcclTransport.connect({0, 1, world.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("transport nccl: rank 0 is to use GPU 8, but "
                                 "sees 8: each rank of a machine needs")));
  const Variable fault("FAKE_CUDA_FAULT", "cuInit=100");
  Gpus other(1);
  EXPECT_THAT(kNcclTransport.connect({0, 1, other.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "transport nccl: rank 0 could not use its GPU (no "
                       "CUDA-capable device is detected)"));
}

TEST(NcclTransportTest, AnErrorWhileRanksConnectNamesThem) {
  const Variable fault("FAKE_NCCL_FAULT", "init=2");
  const auto statuses = RunRanks(
      2, [](Group& group) { return Barrier(group, {}); }, kLong);
  EXPECT_EQ(statuses[0].message(),
            "init: rank 0 could not connect by NCCL: rank 1 can't be reached "
            "by NCCL (unhandled system error: a fake says so)");
}

TEST(NcclTransportTest, ARankThatDoesNotConnect) {
  Gpus world(2);
  world.medium(0).patience = std::chrono::milliseconds(50);
  EXPECT_THAT(kNcclTransport.connect({0, 2, world.MediumOf(0)}).status(),
              StatusIs(absl::StatusCode::kAborted,
                       "init: rank 0 could not connect by NCCL: rank 1 did not "
                       "before the deadline"));
}

// Memory that is the device's is sent as it is.
TEST(NcclTransportTest, MemoryOfAGpu) {
  constexpr size_t kSize = 100000;
  Gpus world(2);
  const auto cuda = OpenCuda();
  ASSERT_THAT(cuda, IsOk());
  void *context = nullptr, *stream = nullptr;
  cuda->PrimaryCtxRetain(&context, 0);
  const CudaScope current(*cuda, context);
  ASSERT_EQ(cuda->StreamCreate(&stream, 0), 0);
  absl::StatusOr<void*> right = nullptr;
  std::thread other([&] {
    right = kNcclTransport.connect({1, 2, world.MediumOf(1)});
  });
  const auto left = kNcclTransport.connect({0, 2, world.MediumOf(0)});
  other.join();
  ASSERT_THAT(left, IsOk());
  ASSERT_THAT(right, IsOk());
  const std::string sent(kSize, 'x');
  std::string got(kSize, ' ');
  CudaAddress from = 0, to = 0;
  cuda->MemAllocAsync(&from, kSize, stream);
  cuda->MemAllocAsync(&to, kSize, stream);
  cuda->MemcpyHtoDAsync(from, sent.data(), kSize, stream);
  cuda->StreamSynchronize(stream);
  std::vector<std::pair<void*, void*>> requests = {
      {*left, *kNcclTransport.isend(*left, 1, 5, reinterpret_cast<void*>(from),
                                    kSize)},
      {*right, *kNcclTransport.irecv(*right, 0, 5, reinterpret_cast<void*>(to),
                                     kSize)}};
  while (!requests.empty()) {
    const auto [link, request] = requests.back();
    const auto done = kNcclTransport.test(link, request);
    ASSERT_THAT(done, IsOk());
    if (*done) requests.pop_back();
    if (!*done) std::swap(requests.front(), requests.back());
  }
  cuda->MemcpyDtoHAsync(got.data(), to, kSize, stream);
  cuda->MemFreeAsync(from, stream);
  cuda->MemFreeAsync(to, stream);
  cuda->StreamSynchronize(stream);
  EXPECT_EQ(got, sent);
  cuda->StreamDestroy(stream);
  kNcclTransport.close(*left, false);
  kNcclTransport.close(*right, false);
}

TEST(NcclTransportTest, AnErrorOfNcclNamesTheRank) {
  const Variable fault("FAKE_NCCL_FAULT", "async=6@2");
  const auto statuses = RunRanks(
      2,
      [](Group& group) {
        std::vector<float> values(10000);
        for (int again = 0; again < 5; ++again) {
          SY_RETURN_IF_ERROR(BroadcastOnce(group, values));
        }
        return absl::OkStatus();
      },
      kLong);
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status,
                StatusIs(absl::StatusCode::kAborted,
                         HasSubstr("can't be reached by NCCL (remote process "
                                   "exited or there was a network error: a "
                                   "fake says so) while rank ")));
  }
}

// NCCL itself would wait for ever.
TEST(NcclTransportTest, AGpuThatHangsIsLate) {
  const Variable fault("FAKE_NCCL_FAULT", "hang=1@1");
  const auto statuses = RunRanks(
      3,
      [](Group& group) {
        std::vector<float> values(10000);
        SY_RETURN_IF_ERROR(BroadcastOnce(group, values));
        SY_RETURN_IF_ERROR(BroadcastOnce(group, values));
        return Barrier(group, {});
      },
      std::chrono::milliseconds(2000));
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status,
                StatusIs(absl::StatusCode::kAborted,
                         HasSubstr("has not ended an exchange by NCCL for 2 s "
                                   "while rank ")));
    EXPECT_THAT(status.message(),
                HasSubstr("in call 1, broadcast float32[10000]"));
  }
}

TEST(NcclTransportTest, AGpuWithoutMemory) {
  const Variable fault("FAKE_CUDA_FAULT", "cuMemAllocAsync=2");
  const auto statuses = RunRanks(
      2,
      [](Group& group) {
        std::vector<float> values(10000);
        return BroadcastOnce(group, values);
      },
      kLong);
  EXPECT_THAT(statuses[0],
              StatusIs(absl::StatusCode::kAborted,
                       HasSubstr("has no memory of its GPU for a message of "
                                 "40000 bytes while rank ")));
}

}  // namespace

std::unique_ptr<World> MakeWorld(int size) {
  return std::make_unique<Gpus>(size);
}

}  // namespace switchyard::collective
