// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs of programs on the simulated device: a run gives its work
// to the thread's stream and returns, and runs on two streams overlap.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/stream.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/api/add.gen.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"
#include "tests/sim/task_observer.h"

namespace switchyard::static_graph {
namespace {

// The program out = op(x + x) on the simulated device.
std::shared_ptr<const Executable> Compiled(const std::string& op) {
  ir::Context context;
  EXPECT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph =
      ir::Parse(&context, absl::StrCat(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.add(%x, %x) : tensor<float32[2]>
    %1 = op.)",
                                       op, R"((%0) : tensor<float32[2]>
    builtin.return("out" = %1)
}
)"));
  EXPECT_THAT(graph, IsOk());
  CompileOptions options;
  options.lowering.place = SimPlace();
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current(), options);
  EXPECT_THAT(program, IsOk());
  return *program;
}

DenseTensor Give(const Executable& program, const DenseTensor& x) {
  RunOptions options;
  options.asynchronous = true;
  const auto fetches = program.Run({{"x", x}}, nullptr, options);
  EXPECT_THAT(fetches, IsOk());
  return fetches->front().tensor;
}

TEST(ProgramStreamsTest, ProgramsOnTwoStreamsOverlap) {
  const auto relu = Compiled("relu");
  const auto tanh = Compiled("tanh");
  const auto x = Transferred(MakeTensor<float>({2}, {-1, 0.5}), SimPlace());
  ASSERT_THAT(x, IsOk());
  const auto side = Stream::Make(SimPlace());
  ASSERT_THAT(side, IsOk());
  TaskObserver observer;
  // Neither can end before the other has begun.
  observer.Hold("relu", "tanh");
  observer.Hold("tanh", "relu");
  const DenseTensor y = Give(*relu, *x);
  DenseTensor z;
  {
    const StreamScope scope(*side);
    z = Give(*tanh, *x);
  }
  // A call that reads both waits for both programs, by events.
  const auto sum = phi::api::add(y, z);
  ASSERT_THAT(sum, IsOk());
  ASSERT_THAT(Synchronize(SimPlace()), IsOk());
  EXPECT_LT(observer.When("relu begins"), observer.When("tanh ends"));
  EXPECT_LT(observer.When("tanh begins"), observer.When("relu ends"));
  const auto tanhs = Transferred(z, Place::Cpu());
  const auto sums = Transferred(*sum, Place::Cpu());
  ASSERT_THAT(tanhs, IsOk());
  ASSERT_THAT(sums, IsOk());
  const std::vector<float> expected = ToVector<float>(*tanhs);
  EXPECT_EQ(ToVector<float>(*sums),
            (std::vector<float>{expected[0], 1 + expected[1]}));
}

TEST(ProgramStreamsTest, AnOrdinaryRunWaitsForItsWork) {
  const auto relu = Compiled("relu");
  const auto x = Transferred(MakeTensor<float>({2}, {-1, 0.5}), SimPlace());
  ASSERT_THAT(x, IsOk());
  TaskObserver observer;
  observer.Hold("relu", "");
  std::atomic<bool> returned{false};
  std::thread runner([&] {
    const auto fetches = relu->Run({{"x", *x}});
    EXPECT_THAT(fetches, IsOk());
    returned = true;
  });
  while (observer.When("relu begins") < 0) std::this_thread::yield();
  // A run that does not wait has time to return.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(returned);
  observer.ReleaseAll();
  runner.join();
  EXPECT_GE(observer.When("relu ends"), 0);
}

}  // namespace
}  // namespace switchyard::static_graph
