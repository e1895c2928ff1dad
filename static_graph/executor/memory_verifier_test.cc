// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/memory_verifier.h"

#include <utility>
#include <vector>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

// A specialization of tensors {offset, bytes} in one block of memory of 256
// bytes, and of steps {inputs, outputs}. The last tensor is the result.
struct Made {
  explicit Made(const std::vector<std::pair<int64_t, int64_t>>& tensors) {
    for (const auto& [offset, bytes] : tensors) {
      TensorSlot slot;
      slot.root = static_cast<TensorId>(made.tensors.size());
      slot.offset = offset;
      slot.bytes = bytes;
      made.tensors.push_back(slot);
    }
    made.memory.push_back({Place::Cpu(), 256});
    made.results.push_back(static_cast<TensorId>(tensors.size()) - 1);
  }
  Made& Add(std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
    Step step;
    step.inputs = std::move(inputs);
    step.outputs = std::move(outputs);
    made.steps.push_back(std::move(step));
    return *this;
  }
  absl::Status Verify() const { return VerifyMemory(made); }

  ShapeSpecialization made;
};

auto Refused(const char* text) {
  return StatusIs(absl::StatusCode::kInternal, HasSubstr(text));
}

TEST(VerifyMemory, TakesReuseOfWhatIsReadNoMore) {
  Made made({{0, 64}, {64, 64}, {0, 64}, {0, 0}, {64, 100}});
  made.Add({}, {0}).Add({0}, {1}).Add({1, kNoTensor}, {2, 3});
  made.Add({2, 3}, {4});
  EXPECT_THAT(made.Verify(), IsOk());
}

TEST(VerifyMemory, RefusesBytesThatAreReadAgain) {
  Made made({{0, 64}, {0, 64}, {64, 64}});
  made.Add({}, {0}).Add({}, {1}).Add({0, 1}, {2});
  EXPECT_THAT(made.Verify(),
              Refused("step 2, control flow: tensor 0 must have its bytes "
                      "while it is read, got some of tensor 1"));
  // Part of them is enough, and a result is read at the end.
  Made part({{0, 192}, {64, 64}, {192, 64}});
  part.Add({}, {0}).Add({}, {1}).Add({0, 1}, {2});
  EXPECT_THAT(part.Verify(), Refused("step 2"));
  Made result({{64, 64}, {0, 128}});
  result.Add({}, {1}).Add({}, {0});
  EXPECT_THAT(result.Verify(), Refused("results: tensor 1"));
  // A block of control flow reads what it captures.
  Made captured({{0, 64}, {0, 64}, {64, 64}});
  captured.Add({}, {0}).Add({}, {1}).Add({}, {2});
  captured.made.steps.back().captures = {{0}};
  EXPECT_THAT(captured.Verify(), Refused("step 2"));
}

TEST(VerifyMemory, RefusesOutputsOverInputsAndEachOther) {
  Made over({{0, 128}, {64, 64}});
  over.Add({}, {0}).Add({0}, {1});
  EXPECT_THAT(over.Verify(), Refused("step 1, control flow: tensor 0"));
  Made both({{0, 64}, {0, 64}});
  both.Add({}, {0, 1});
  EXPECT_THAT(both.Verify(), Refused("step 0, control flow: tensor 0"));
}

TEST(VerifyMemory, TakesWhatIsWrittenInPlace) {
  Made made({{0, 64}, {0, 64}});
  made.made.tensors[1].root = 0;
  made.Add({}, {0}).Add({0}, {1});
  EXPECT_THAT(made.Verify(), IsOk());
}

TEST(VerifyMemory, RefusesWhatLiesElsewhere) {
  EXPECT_THAT(Made({{256, 64}}).Add({}, {0}).Verify(), Refused("at 256"));
  EXPECT_THAT(Made({{192, 65}}).Add({}, {0}).Verify(), Refused("65 bytes"));
  EXPECT_THAT(Made({{-64, 64}}).Add({}, {0}).Verify(), Refused("at -64"));
  EXPECT_THAT(Made({{8, 64}}).Add({}, {0}).Verify(), Refused("at 8"));
  EXPECT_THAT(Made({{0, 64}}).Verify(), Refused("some that no step wrote"));
  Made other({{0, 64}});
  other.made.memory.clear();
  EXPECT_THAT(other.Add({}, {0}).Verify(), Refused("of its place"));
}

}  // namespace
}  // namespace switchyard::static_graph
