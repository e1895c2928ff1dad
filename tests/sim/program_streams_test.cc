// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs of programs on the simulated device: a run gives its work
// to the thread's stream and returns, and runs on two streams overlap.
#include <atomic>
#include <chrono>
#include <cmath>
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

// A program on the simulated device.
std::shared_ptr<const Executable> CompiledText(const std::string& text) {
  ir::Context context;
  EXPECT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph = ir::Parse(&context, text);
  EXPECT_THAT(graph, IsOk());
  CompileOptions options;
  options.lowering.place = SimPlace();
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current(), options);
  EXPECT_THAT(program, IsOk());
  return *program;
}

// The program out = op(x + x).
std::shared_ptr<const Executable> Compiled(const std::string& op) {
  return CompiledText(absl::StrCat(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.add(%x, %x) : tensor<float32[2]>
    %1 = op.)",
                                   op, R"((%0) : tensor<float32[2]>
    builtin.return("out" = %1)
}
)"));
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

// The host waits for what writes the condition: a loop ends beside
// work of the same device that does not.
TEST(ProgramStreamsTest, ALoopWaitsForItsConditionAlone) {
  const auto tanh = Compiled("tanh");
  const auto doubled = CompiledText(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[]>, %end: feed "end" tensor<float32[]>):
    %0 = cf.while(%x) : tensor<float32[]> region {
      ^(%a: tensor<float32[]>):
        %c = op.less_than(%a, %end) : tensor<bool[]>
        cf.condition(%c)
    } region {
      ^(%b: tensor<float32[]>):
        %d = op.add(%b, %b) : tensor<float32[]>
        cf.yield(%d)
    }
    builtin.return("out" = %0)
}
)");
  const auto pair = Transferred(MakeTensor<float>({2}, {-1, 0.5}), SimPlace());
  const auto one = Transferred(MakeTensor<float>({}, {1}), SimPlace());
  const auto end = Transferred(MakeTensor<float>({}, {40}), SimPlace());
  ASSERT_THAT(pair, IsOk());
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(end, IsOk());
  const auto side = Stream::Make(SimPlace());
  ASSERT_THAT(side, IsOk());
  TaskObserver observer;
  observer.Hold("tanh", "");
  {
    const StreamScope scope(*side);
    Give(*tanh, *pair);
  }
  while (observer.When("tanh begins") < 0) std::this_thread::yield();
  const auto fetches = doubled->Run({{"x", *one}, {"end", *end}});
  ASSERT_THAT(fetches, IsOk());
  EXPECT_EQ(observer.When("tanh ends"), -1);
  const auto out = Transferred(fetches->front().tensor, Place::Cpu());
  ASSERT_THAT(out, IsOk());
  EXPECT_EQ(ToVector<float>(*out), std::vector<float>{64});
}

// Copies between the places are steps, and each place has memory of its own.
TEST(ProgramStreamsTest, AProgramRunsOnTwoDevicesAndTheHost) {
  for (const char* extent : {"2", "?"}) {
    const std::string type = absl::StrCat(" : tensor<float32[", extent, "]>\n");
    const auto program = CompiledText(absl::StrCat(
        "program @p {\n  ^entry(%x: feed \"x\" tensor<float32[", extent,
        "]>):\n    %0 = op.add(%x, %x)", type,
        "    %1 = op.copy(%0) {place = sim:1}", type, "    %2 = op.add(%1, %1)",
        type, "    %3 = op.relu(%2)", type,
        "    %4 = op.copy(%3) {place = cpu}", type, "    %5 = op.add(%4, %4)",
        type, "    %6 = op.tanh(%5)", type,
        "    %7 = op.copy(%6) {place = sim:0}", type, "    %8 = op.add(%7, %0)",
        type,
        "    builtin.return(\"out\" = %8, \"there\" = %3, \"host\" = %6)\n"
        "}\n"));
    for (const float number : {0.25f, -0.25f}) {
      const auto x =
          Transferred(MakeTensor<float>({2}, {number, 1}), SimPlace());
      ASSERT_THAT(x, IsOk());
      const auto fetches = program->Run({{"x", *x}});
      ASSERT_THAT(fetches, IsOk());
      std::vector<Place> places;
      std::vector<std::vector<float>> values;
      for (const auto& fetch : *fetches) {
        places.push_back(fetch.tensor.place());
        const auto read = Transferred(fetch.tensor, Place::Cpu());
        ASSERT_THAT(read, IsOk());
        values.push_back(ToVector<float>(*read));
      }
      EXPECT_EQ(places,
                (std::vector<Place>{SimPlace(), SimPlace(1), Place::Cpu()}));
      const float rectified = number > 0 ? 4 * number : 0;
      EXPECT_EQ(values[1], (std::vector<float>{rectified, 4}));
      EXPECT_FLOAT_EQ(values[2][0], std::tanh(2 * rectified));
      EXPECT_EQ(values[0], (std::vector<float>{values[2][0] + 2 * number,
                                               values[2][1] + 2}));
    }
  }
}

}  // namespace
}  // namespace switchyard::static_graph
