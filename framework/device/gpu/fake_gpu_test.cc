// SPDX-License-Identifier: Apache-2.0
// The device's record against a fake driver (testing/fake_cuda.h): memory,
// copies, the order of streams, and what each failure says.
#include <algorithm>
#include <thread>
#include <vector>

#include "cuda_runtime_api.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/device/gpu/testing/fake_cuda.h"
#include "framework/device/stream.h"
#include "framework/device/stream_work.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBytes = 3 * sizeof(float);
const std::vector<float> kValues = {1, 2, 3};

class FakeGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    FakeCuda::Reset();
    ASSERT_THAT(RegisterDevice(device_gpu), IsOk());
  }
  void TearDown() override { FakeCuda::Reset(); }

  static RefPtr<Buffer> Allocated(size_t bytes = kBytes) {
    auto buffer = device_gpu.allocator(0).Allocate(bytes);
    EXPECT_THAT(buffer, IsOk());
    return buffer.ok() ? *std::move(buffer) : nullptr;
  }
  static BytesAt At(const RefPtr<Buffer>& buffer) {
    return {buffer.get(), buffer->data()};
  }
  static RefPtr<Buffer> OfValues() {
    RefPtr<Buffer> buffer = Allocated();
    EXPECT_THAT(CopyBytes({nullptr, kValues.data()}, At(buffer), kBytes),
                IsOk());
    return buffer;
  }
  // The bytes at the buffer; empty if they can't be had.
  static std::vector<float> Values(const RefPtr<Buffer>& buffer) {
    std::vector<float> values(3);
    const absl::Status status = CopyToHost(At(buffer), values.data(), kBytes);
    EXPECT_THAT(status, IsOk());
    return status.ok() ? values : std::vector<float>();
  }
  // Gives work that adds 1 to the three numbers to the current stream.
  static absl::Status AddOne(const RefPtr<Buffer>& buffer) {
    SY_ASSIGN_OR_RETURN(Stream* const stream, Stream::Current(Place::Gpu(0)));
    StreamWork work(stream);
    work.Reads(buffer.get());
    work.Writes(buffer.get());
    SY_RETURN_IF_ERROR(work.Begin());
    auto* const numbers = static_cast<float*>(buffer->data());
    SY_RETURN_IF_ERROR(
        CudaStatus(FakeCuda::Launch(static_cast<CUstream_st*>(stream->handle()),
                                    [numbers] {
                                      for (int i = 0; i < 3; ++i) ++numbers[i];
                                    }),
                   "kernel launch"));
    return work.End().status();
  }
};

TEST_F(FakeGpuTest, BytesTravelThereWithinAndBack) {
  const RefPtr<Buffer> one = OfValues();
  const RefPtr<Buffer> two = Allocated();
  EXPECT_THAT(CopyBytes(At(one), At(two), kBytes), IsOk());
  EXPECT_EQ(Values(two), kValues);
}

using FakeGpuDeathTest = FakeGpuTest;

TEST_F(FakeGpuDeathTest, TheHostCannotTouchItsMemory) {
  const RefPtr<Buffer> buffer = OfValues();
  EXPECT_DEATH(*static_cast<float*>(buffer->data()) = 1, "");
}

TEST_F(FakeGpuTest, AKernelIsNotWaitedForUntilItsBytesAreAskedFor) {
  const RefPtr<Buffer> buffer = OfValues();
  EXPECT_THAT(AddOne(buffer), IsOk());
  EXPECT_FALSE(FakeCuda::Idle());
  EXPECT_EQ(Values(buffer), (std::vector<float>{2, 3, 4}));
}

TEST_F(FakeGpuTest, AnEventOrdersTwoStreams) {
  const RefPtr<Buffer> first = OfValues();
  const RefPtr<Buffer> second = Allocated();
  EXPECT_THAT(AddOne(first), IsOk());
  const auto side = Stream::Make(Place::Gpu(0));
  ASSERT_THAT(side, IsOk());
  {
    const StreamScope scope(*side);
    EXPECT_THAT(CopyBytes(At(first), At(second), kBytes), IsOk());
  }
  const std::vector<std::string> calls = FakeCuda::Calls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cudaStreamWaitEvent"), 1);
  EXPECT_THAT((*side)->Synchronize(), IsOk());
  EXPECT_EQ(Values(second), (std::vector<float>{2, 3, 4}));
}

TEST_F(FakeGpuTest, MemoryIsFreedBehindItsWork) {
  const size_t before = FakeCuda::Allocations();
  RefPtr<Buffer> buffer = OfValues();
  EXPECT_THAT(AddOne(buffer), IsOk());
  buffer = nullptr;  // Its work has not run.
  EXPECT_EQ(FakeCuda::Allocations(), before + 1);
  EXPECT_THAT(Synchronize(Place::Gpu(0)), IsOk());
  Allocated();  // Reclaims first.
  EXPECT_EQ(FakeCuda::Allocations(), before);
}

TEST_F(FakeGpuTest, SaysThatMemoryIsUsedUp) {
  FakeCuda::Reset(/*gpus=*/1, /*bytes=*/1 << 20);
  EXPECT_THAT(device_gpu.allocator(0).Allocate(2 << 20),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("2097152 bytes")));
  // The next launch does not report it again.
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_NE(Allocated(), nullptr);
}

TEST_F(FakeGpuTest, WaitsForMemoryThatIsAboutToBeFree) {
  FakeCuda::Reset(/*gpus=*/1, /*bytes=*/1 << 20);
  RefPtr<Buffer> large = Allocated(600 << 10);
  EXPECT_THAT(AddOne(large), IsOk());
  large = nullptr;
  EXPECT_FALSE(FakeCuda::Idle());
  EXPECT_NE(Allocated(600 << 10), nullptr);
}

TEST_F(FakeGpuTest, ACopyThatIsRefusedIsAnError) {
  const RefPtr<Buffer> buffer = OfValues();
  FakeCuda::FailCall("cudaMemcpyAsync", cudaErrorInvalidValue);
  const std::vector<float> others = {7, 8, 9};
  EXPECT_THAT(CopyBytes({nullptr, others.data()}, At(buffer), kBytes),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("cudaMemcpyAsync: invalid argument")));
  EXPECT_EQ(Values(buffer), kValues);
}

TEST_F(FakeGpuTest, ACopyBeyondAnAllocationIsRefused) {
  const RefPtr<Buffer> buffer = OfValues();
  std::vector<float> values(4);
  EXPECT_THAT(CopyToHost(At(buffer), values.data(), kBytes + 1),
              StatusIs(absl::StatusCode::kInternal));
}

TEST_F(FakeGpuTest, ALaunchThatIsRefusedIsAnError) {
  const RefPtr<Buffer> buffer = OfValues();
  FakeCuda::FailCall("cudaLaunchKernel", cudaErrorLaunchFailure);
  EXPECT_THAT(AddOne(buffer),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("kernel launch: unspecified launch failure")));
}

TEST_F(FakeGpuTest, StreamsAndEventsThatCannotBeMadeAreErrors) {
  FakeCuda::FailCall("cudaStreamCreateWithFlags", cudaErrorMemoryAllocation);
  EXPECT_THAT(Stream::Make(Place::Gpu(0)),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("cudaStreamCreateWithFlags: out of memory")));
  const auto stream = Stream::Make(Place::Gpu(0));
  ASSERT_THAT(stream, IsOk());
  for (const char* call : {"cudaEventCreateWithFlags", "cudaEventRecord"}) {
    FakeCuda::FailCall(call, cudaErrorMemoryAllocation);
    EXPECT_THAT((*stream)->Record(),
                StatusIs(absl::StatusCode::kInternal, HasSubstr(call)));
  }
  const auto event = (*stream)->Record();
  ASSERT_THAT(event, IsOk());
  const auto other = Stream::Make(Place::Gpu(0));
  ASSERT_THAT(other, IsOk());
  FakeCuda::FailCall("cudaStreamWaitEvent", cudaErrorInvalidValue);
  EXPECT_THAT(
      (*other)->Wait(**event),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("cudaStreamWaitEvent")));
}

TEST_F(FakeGpuTest, AFailureOfWorkReachesWhoWaits) {
  const RefPtr<Buffer> buffer = OfValues();
  EXPECT_THAT(AddOne(buffer), IsOk());
  FakeCuda::FailWork(cudaErrorIllegalAddress);
  EXPECT_THAT(Synchronize(Place::Gpu(0)),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("cudaEventSynchronize: an illegal memory")));
  // CUDA refuses all that follows.
  EXPECT_THAT(device_gpu.allocator(0).Allocate(kBytes),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("illegal memory access")));
}

TEST_F(FakeGpuTest, SaysWhatTheDeviceIs) {
  const auto properties = device_gpu.properties(0);
  ASSERT_THAT(properties, IsOk());
  EXPECT_EQ(properties->model, "Fake GPU");
  EXPECT_EQ(properties->memory_bytes, 1 << 30);
}

TEST_F(FakeGpuTest, WithoutAGpuPlacesAreRefused) {
  FakeCuda::Reset(/*gpus=*/0);
  EXPECT_EQ(device_gpu.count(), 0);
  EXPECT_THAT(CheckPlace(Place::Gpu(0)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("(there are 0: no CUDA-capable device is "
                                 "detected), got gpu:0")));
  EXPECT_THAT(Stream::Make(Place::Gpu(0)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(GpuContext(Place::Gpu(0)).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(FakeGpuTest, ThreadsHaveStreamsOfTheirOwn) {
  const RefPtr<Buffer> buffer = OfValues();
  EXPECT_THAT(AddOne(buffer), IsOk());
  std::thread([&buffer] { EXPECT_THAT(AddOne(buffer), IsOk()); }).join();
  EXPECT_EQ(Values(buffer), (std::vector<float>{3, 4, 5}));
}

}  // namespace
}  // namespace switchyard
