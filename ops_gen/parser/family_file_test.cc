// SPDX-License-Identifier: Apache-2.0
// Files that hold other than one list of entries of different names.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// Lines 1 to 7.
constexpr char kEntry[] =
    R"(- op: scale_by
  args: (Tensor x)
  output: Tensor(out)
  infer_meta: {func: BroadcastInferMeta}
  kernel: {func: scale_by, data_type: x}
  kernels:
    cpu: [float32]
)";

TEST(FamilyFileTest, HoldsOneDocument) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "f.yaml:1: expected a list, got nothing"},
      {"# A comment.\n", "f.yaml:1: expected a list, got nothing"},
      {"op: relu\n", "f.yaml:1: expected a list, got a map"},
      {absl::StrCat(kEntry, "---\n", kEntry),
       "f.yaml:8: expected one document, got a line of '---'"},
  };
  for (const auto& [text, error] : cases) {
    const auto family = ParseFamily("f.yaml", text);
    ASSERT_FALSE(family.ok()) << text;
    EXPECT_EQ(family.status().message(), error);
  }
  EXPECT_TRUE(ParseFamily("f.yaml", kEntry).ok());
}

TEST(FamilyFileTest, HoldsAnOperatorOnce) {
  const auto family = ParseFamily("f.yaml", absl::StrCat(kEntry, "\n", kEntry));
  ASSERT_FALSE(family.ok());
  EXPECT_EQ(family.status().message(),
            "f.yaml:9: scale_by: expected each operator once, got 'scale_by' "
            "again");
}

}  // namespace
}  // namespace switchyard::ops_gen
