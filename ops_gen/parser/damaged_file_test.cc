// SPDX-License-Identifier: Apache-2.0
// Damaged family files: any text gives a family or an error with file:line.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// A small file with a forward and a backward entry.
std::string Specimen() {
  std::ifstream in("ops_gen/golden/relu.yaml", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Parses; whatever is refused is refused at a line of the file.
void Check(const std::string& text) {
  const auto family = ParseFamily("f.yaml", text);
  if (family.ok()) return;
  const std::string message(family.status().message());
  EXPECT_EQ(family.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StartsWith(message, "f.yaml:") &&
              absl::ascii_isdigit(message[7]))
      << message;
  EXPECT_TRUE(absl::StrContains(message, "expected")) << message;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(DamagedFile, SpecimenIsGood) {
  const auto family = ParseFamily("f.yaml", Specimen());
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->ops.size(), 2u);
}

TEST(DamagedFile, TruncatedAtEveryByte) {
  const std::string text = Specimen();
  for (size_t size = 0; size <= text.size(); ++size) {
    Check(text.substr(0, size));
  }
}

TEST(DamagedFile, OddYaml) {
  const std::string cases[] = {
      "\t- op: relu\n",
      "- &a [*a]\n",
      "- <<: {op: relu}\n",
      "- ? [op]\n  : relu\n",
      "- !!binary op\n",
      "%YAML 9.9\n---\n- op\n",
      "- op: \"\\uD800\"\n",
      "- op: \xff\xfe\n",
      std::string("- op: relu\0\n", 12),
      std::string(100000, '['),
      std::string(100000, '{'),
      Repeated("- ", 5000),
  };
  for (const std::string& text : cases) {
    EXPECT_FALSE(ParseFamily("f.yaml", text).ok()) << text.substr(0, 40);
    Check(text);
  }
}

TEST(DamagedFile, RandomFlips) {
  const std::string text = Specimen();
  std::mt19937 random(20240607);  // The same damage every time.
  for (int round = 0; round < 10000; ++round) {
    std::string damaged = text;
    const uint32_t flips = 1 + random() % 3;
    for (uint32_t i = 0; i < flips; ++i) {
      damaged[random() % damaged.size()] ^=
          static_cast<char>(1u << (random() % 8));
    }
    Check(damaged);
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
