// SPDX-License-Identifier: Apache-2.0
// The corpus of the fuzz targets has an entry for each error sentence of the
// formats: each is in the message of some entry.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/corpus/error_texts.h"
#include "static_graph/translate/corpus/weight_choices.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kFolder[] = "static_graph/";
constexpr char kTestdata[] = "static_graph/translate/corpus/testdata";

std::vector<std::string> Sources(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(kFolder + name);
  return paths;
}

void Note(const absl::Status& status, std::vector<std::string>* messages) {
  if (!status.ok()) messages->push_back(std::string(status.message()));
}

TEST(ErrorCorpus, ProgramDescriptions) {
  std::vector<std::string> messages;
  for (const std::string& bytes : ReadCorpus(kTestdata, "program_")) {
    const auto program = ParseProgramDesc(bytes);
    Note(program.status(), &messages);
    if (!program.ok()) continue;
    for (int b = 0; b < (*program)->blocks_size(); ++b) {
      const ParsedBlock& block = (*program)->blocks(b);
      for (int i = 0; i < block.vars_size(); ++i) {
        Note((*program)->SpecOf(block.facts(i)).status(), &messages);
      }
    }
  }
  EXPECT_THAT(
      TextsWithoutMessage(Sources({"foreign/paddle_desc/program_parser.cc",
                                   "foreign/paddle_desc/program_desc.cc"}),
                          messages),
      IsEmpty());
}

TEST(ErrorCorpus, Weights) {
  std::vector<std::string> messages;
  for (const std::string& bytes : ReadCorpus(kTestdata, "weights_")) {
    Note(ReadChosenWeights(bytes), &messages);
  }
  EXPECT_THAT(TextsWithoutMessage(
                  Sources({"foreign/paddle_desc/weight_stream.cc"}), messages),
              IsEmpty());
}

TEST(ErrorCorpus, ProgramsInJson) {
  std::vector<std::string> messages;
  for (const std::string& text :
       ReadCorpus("static_graph/foreign/paddle_json/testdata", "json_")) {
    Note(ParseJsonProgram(text).status(), &messages);
  }
  EXPECT_THAT(
      TextsWithoutMessage(Sources({"foreign/paddle_json/json_checks.cc",
                                   "foreign/paddle_json/json_nodes.cc",
                                   "foreign/paddle_json/json_reader.cc"}),
                          messages),
      IsEmpty());
}

TEST(ErrorTexts, AreThoseOfErrorsAlone) {
  const std::vector<ErrorText> texts = ErrorTexts(R"(
      if (c == '"') return ArgumentError("\"D\"", many ? "one" : "two",
                                         absl::StrCat("at (most) "
                                                      "three", ')'));
      Print("four");
      return Damaged(absl::StrCat("five", known ? Text("six") : "seven"));)");
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_THAT(texts[0].always, ElementsAre("\"D\"", "at (most) three"));
  EXPECT_THAT(texts[0].either, ElementsAre("one", "two"));
  EXPECT_THAT(texts[1].always, ElementsAre("five"));
  EXPECT_THAT(texts[1].either, ElementsAre("six", "seven"));
}

TEST(ErrorTexts, NameWhatNoEntrySays) {
  const std::vector<std::string> sources =
      Sources({"foreign/paddle_desc/weight_stream.cc"});
  // Parts of a sentence in several messages are no sentence.
  const auto texts = TextsWithoutMessage(
      sources, {"size of level must be odd", "lod must be a multiple of 8"});
  EXPECT_GT(texts.size(), 5u);
  EXPECT_THAT(texts, testing::Contains("static_graph/foreign/paddle_desc/"
                                       "weight_stream.cc: size of level|a "
                                       "multiple of 8|"));
  EXPECT_THAT(TextsWithoutMessage({"no_such_file.cc"}, {}), SizeIs(1));
}

}  // namespace
}  // namespace switchyard::static_graph
