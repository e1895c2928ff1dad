// SPDX-License-Identifier: Apache-2.0
// The corpus of the sections' fuzz target has an entry for each sentence of an
// error: what these say is in the message of some entry.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "static_graph/program/section_file.h"
#include "static_graph/translate/corpus/error_texts.h"

namespace switchyard::static_graph {
namespace {

using testing::Contains;
using testing::IsEmpty;

constexpr char kSource[] = "static_graph/program/section_file.cc";

std::vector<std::string> Messages() {
  std::vector<std::string> messages;
  for (const std::string& bytes :
       ReadCorpus("static_graph/program/testdata", "sections_")) {
    const auto sections = DecodeSections(bytes);
    if (sections.ok()) continue;
    messages.push_back(std::string(sections.status().message()));
  }
  return messages;
}

TEST(SectionCorpus, HasAnEntryForEachError) {
  EXPECT_THAT(TextsWithoutMessage({kSource}, Messages()), IsEmpty());
}

TEST(SectionCorpus, MissesWhatNoEntrySays) {
  EXPECT_THAT(TextsWithoutMessage({kSource}, {"the file is too short"}),
              Contains(std::string(kSource) + ": the file is too long|"));
}

}  // namespace
}  // namespace switchyard::static_graph
