// SPDX-License-Identifier: Apache-2.0
// The corpus of the fuzz target: each model loads, or fails with the sentence
// that it is there for; and 2,000 mutations of them end in no useless error.
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "static_graph/translate/onnx/load_any.h"

namespace switchyard::static_graph {
namespace {

constexpr char kFolder[] = "static_graph/translate/onnx/testdata/";

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The files, each with the sentence of its error; "" if it loads.
std::vector<std::pair<std::string, std::string>> Entries() {
  std::vector<std::pair<std::string, std::string>> entries;
  std::istringstream lines(Contents(std::string(kFolder) + "sentences.txt"));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    entries.emplace_back(kFolder + line.substr(0, colon) + ".onnx",
                         line.substr(colon + 2));
  }
  return entries;
}

TEST(OnnxCorpus, LoadsOrSaysWhy) {
  const auto entries = Entries();
  EXPECT_GT(entries.size(), 50u);
  for (const auto& [path, sentence] : entries) {
    const absl::Status status = LoadAny(ReadOnnxFile(path));
    EXPECT_FALSE(IsUseless(status)) << path;
    if (sentence.empty()) {
      EXPECT_TRUE(status.ok()) << path << ": " << status;
    } else {
      EXPECT_FALSE(status.ok()) << path;
      EXPECT_THAT(status.message(), ::testing::HasSubstr(sentence)) << path;
    }
  }
}

// Changes a few bytes: another value, a bit, fewer, more, or a copy of others.
std::string Mutated(std::string bytes, std::mt19937* random) {
  const auto below = [random](size_t bound) {
    return static_cast<size_t>((*random)()) % bound;
  };
  for (size_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) {
    const size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.erase(at, 1 + below(8));
        break;
      case 3:
        bytes.insert(at, "\xff\xff\xff\xff\x7f", 1 + below(5));
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(30)));
    }
  }
  return bytes;
}

TEST(OnnxCorpus, MutationsEndInSentences) {
  constexpr int kRuns = 2000;
  std::vector<std::string> models;
  for (const auto& entry : Entries()) models.push_back(Contents(entry.first));
  ASSERT_FALSE(models.empty());
  std::mt19937 random(1126);
  int loaded = 0;
  for (int run = 0; run < kRuns; ++run) {
    const size_t which = static_cast<size_t>(random()) % models.size();
    const absl::Status status =
        LoadAny(ReadOnnxBytes(Mutated(models[which], &random)));
    ASSERT_FALSE(IsUseless(status)) << "run " << run << ": " << status;
    loaded += status.ok() ? 1 : 0;
  }
  // Not all mutations are noticed, and not all are harmless.
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, kRuns);
}

}  // namespace
}  // namespace switchyard::static_graph
