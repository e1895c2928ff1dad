// SPDX-License-Identifier: Apache-2.0
// Program descriptions that were cut off or hit by a flipped bit: an error with
// a code and a sentence, or a program that verifies; never a crash.
#include <cstdint>
#include <memory>
#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

constexpr int kFlips = 10000;
// A context keeps every type that was ever made in it.
constexpr int kProgramsPerContext = 500;

class MalformedProgramTest : public ::testing::Test {
 protected:
  // Reads and translates `bytes`.
  absl::Status Load(const std::string& bytes) {
    if (programs_++ % kProgramsPerContext == 0) {
      context_ = std::make_unique<ir::Context>();
      SY_RETURN_IF_ERROR(RegisterDialects(context_.get(), LoadableOps()));
    }
    SY_ASSIGN_OR_RETURN(const auto desc, ParseProgramDesc(bytes));
    return TranslateProgram(*desc, "main", context_.get()).status();
  }

  void ExpectSoundError(const absl::Status& status) {
    if (status.ok()) return;
    EXPECT_NE(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_NE(status.code(), absl::StatusCode::kUnknown) << status;
    EXPECT_FALSE(status.message().empty());
  }

  void ExpectSoundWhenCutOff(const std::string& bytes) {
    ASSERT_THAT(Load(bytes), IsOk());
    for (size_t size = 0; size < bytes.size(); ++size) {
      ExpectSoundError(Load(bytes.substr(0, size)));
    }
  }

  void ExpectSoundWhenFlipped(const std::string& bytes) {
    uint64_t state = 1323;
    for (int i = 0; i < kFlips; ++i) {
      // A linear congruence: the same flips on every machine.
      state = state * 6364136223846793005u + 1442695040888963407u;
      const uint64_t bit = (state >> 20) % (bytes.size() * 8);
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      ExpectSoundError(Load(flipped));
    }
  }

  const std::string bytes_ = translate::SmallProgram().SerializeAsString();

 private:
  int programs_ = 0;
  std::unique_ptr<ir::Context> context_;
};

TEST_F(MalformedProgramTest, CutOffAtEveryByte) {
  ASSERT_THAT(Load(bytes_), IsOk());
  for (size_t size = 0; size < bytes_.size(); ++size) {
    const absl::Status status = Load(bytes_.substr(0, size));
    EXPECT_FALSE(status.ok()) << size;
    ExpectSoundError(status);
  }
}

TEST_F(MalformedProgramTest, FlippedBits) { ExpectSoundWhenFlipped(bytes_); }

// Cut off between two operators there is a program left.
TEST_F(MalformedProgramTest, ControlFlow) {
  for (const translate::ProgramDesc& program :
       {translate::LoopProgram(), translate::BranchProgram()}) {
    ExpectSoundWhenCutOff(program.SerializeAsString());
    ExpectSoundWhenFlipped(program.SerializeAsString());
  }
}

}  // namespace
}  // namespace switchyard::static_graph
