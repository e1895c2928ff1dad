// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/program_encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "static_graph/ir/encoding.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr PrintOptions kLocated = {/*locations=*/true};

class ProgramEncodingTest : public ::testing::Test {
 protected:
  ProgramEncodingTest() { RegisterTestDialect(&context_); }
  Context context_;
};

// Random programs have types and attributes of a dialect of their own.
TEST_F(ProgramEncodingTest, ReadsBackRandomPrograms) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Program program = RandomProgram(&context_, seed);
    const std::string bytes = EncodeProgram(program);
    Context other;
    RegisterTestDialect(&other);
    const absl::StatusOr<Program> read = DecodeProgram(&other, bytes);
    ASSERT_TRUE(read.ok()) << seed << ": " << read.status();
    ASSERT_EQ(Verify(*read), absl::OkStatus()) << seed;
    ASSERT_EQ(Print(*read, kLocated), Print(program, kLocated)) << seed;
    ASSERT_EQ(EncodeProgram(*read), bytes) << seed;
  }
}

TEST_F(ProgramEncodingTest, RefusesOrReadsAnyBytes) {
  std::mt19937 random(1);
  int refused = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    std::string bytes = EncodeProgram(RandomProgram(&context_, seed % 20));
    for (int i = 0; i < 3; ++i) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    }
    if (seed % 2 == 0) bytes.resize(random() % bytes.size());
    Context other;
    RegisterTestDialect(&other);
    const absl::StatusOr<Program> read = DecodeProgram(&other, bytes);
    refused += read.ok() ? 0 : 1;
    if (!read.ok()) {
      EXPECT_FALSE(read.status().message().empty());
    } else if (Verify(*read).ok()) {
      EXPECT_TRUE(Parse(&other, Print(*read)).ok());
    }
  }
  EXPECT_GT(refused, 500);  // Some only change a number or a text.
}

TEST_F(ProgramEncodingTest, NamesWhatNobodyRegistered) {
  const absl::StatusOr<Program> program = Parse(&context_, R"(program @p {
  ^entry(%x: feed "x" test.box<tensor<float32[2]>>):
    %0 = test.op(%x) {both = test.pair<1, "two">} : tensor<bool[]>
    builtin.return("x" = %0)
})");
  ASSERT_TRUE(program.ok()) << program.status();
  Context bare;
  EXPECT_EQ(DecodeProgram(&bare, EncodeProgram(*program)).status().message(),
            "encoded program: no dialect registered the type test.box");
  EXPECT_EQ(bare.Get<TensorType>({}).status(), absl::OkStatus());
}

// A type in a type in a type ..., deeper than printing could go.
TEST_F(ProgramEncodingTest, LimitsNesting) {
  constexpr uint32_t kDepth = 100000;
  ByteWriter bytes;
  bytes.U32(kDepth + 1);
  const auto entry = [&](const char* name, const std::string& payload) {
    bytes.U32('t');
    bytes.Counted(name);
    bytes.Counted(payload);
  };
  ByteWriter tensor;
  for (const char* text : {"float32", "strided", "dense"}) tensor.Counted(text);
  tensor.U32(0);
  tensor.U32(0);
  entry("tensor", tensor.bytes());
  for (uint32_t i = 0; i < kDepth; ++i) {
    ByteWriter inner;
    inner.U32(i + 1);
    entry("test.box", inner.bytes());
  }
  EXPECT_EQ(DecodeProgram(&context_, bytes.bytes()).status().message(),
            "encoded program: test.box is malformed");
}

}  // namespace
}  // namespace switchyard::static_graph::ir
