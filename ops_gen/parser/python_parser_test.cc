// SPDX-License-Identifier: Apache-2.0
// The key `python:`: where an operator is public.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// Lines 1 to 8; the keys after them are in line 9.
std::string Entry(const std::string& keys, const std::string& args = "Tensor x",
                  const std::string& of = "x") {
  return absl::StrCat("- op: twist\n  args: (", args,
                      ")\n  output: Tensor(out)\n"
                      "  infer_meta: {func: TwistInferMeta}\n"
                      "  kernel: {func: twist, data_type: ",
                      of, "}\n  kernels:\n    cpu: [float32]\n",
                      "  result: of a shape\n", keys);
}

PublicPlaces Places(const std::string& keys) {
  const auto family = ParseFamily("f.yaml", Entry(keys));
  EXPECT_TRUE(family.ok()) << family.status();
  return family.ok() ? family->ops[0].places : PublicPlaces();
}

using Names = std::vector<std::string>;

TEST(PythonParser, ElementwiseOperatorsAreMethodsUnlessTheirEntriesSayNo) {
  EXPECT_EQ(Places(""), PublicPlaces());
  const PublicPlaces both = {true, true, {}, {}};
  EXPECT_EQ(Places("  traits: [elementwise]\n"), both);
  EXPECT_EQ(Places("  python: method\n"), both);
  EXPECT_EQ(Places("  traits: [elementwise]\n  python: none\n"),
            PublicPlaces());
}

TEST(PythonParser, PlacesAndOtherNames) {
  EXPECT_EQ(Places("  python: function\n"),
            (PublicPlaces{true, false, {}, {}}));
  EXPECT_EQ(Places("  python: nn.functional\n"),
            (PublicPlaces{false, false, {}, Names{"nn.functional"}}));
  EXPECT_EQ(Places("  python: method (turn, wind), linalg, nn.functional\n"),
            (PublicPlaces{true, true, Names{"turn", "wind"},
                          Names{"linalg", "nn.functional"}}));
}

TEST(PythonParser, Errors) {
  const std::string where = "f.yaml:9: twist: python: expected ";
  const std::string places =
      "function, method or none, then linalg or nn.functional, got ";
  const std::pair<const char*, std::string> cases[] = {
      {"methd", places + "'methd'; did you mean 'method'?"},
      {"none, linalg", places + "'none'"},
      {"method, nn.functionl",
       places + "'nn.functionl'; did you mean 'nn.functional'?"},
      {"method, method", places + "'method'"},
      {"method,linalg", "the end of the text, got ',linalg'"},
      {"methods", places + "'methods'; did you mean 'method'?"},
      {"method (", "another name, got the end of the text"},
      {"method (wind", "')', got the end of the text"},
      {"method (twist)", "each name once, got 'twist' again"},
      {"method (wind, wind)", "each name once, got 'wind' again"},
      {"method (lambda)", "a name that is no keyword, got 'lambda'"},
      {"nn.functional, linalg",
       "modules in alphabetical order, each once, got 'linalg'"},
      {"none", "another place than it has without the key, got 'none'"},
  };
  for (const auto& [text, error] : cases) {
    const auto family =
        ParseFamily("f.yaml", Entry(absl::StrCat("  python: ", text, "\n")));
    ASSERT_FALSE(family.ok()) << text;
    EXPECT_EQ(std::string(family.status().message()), where + error);
  }
}

TEST(PythonParser, AMethodHasATensorToBeCalledOn) {
  const auto family = ParseFamily(
      "f.yaml", Entry("  python: method\n", "DataType dtype", "dtype"));
  ASSERT_FALSE(family.ok());
  EXPECT_EQ(std::string(family.status().message()),
            "f.yaml:9: twist: python: expected a first argument that is a "
            "tensor beside 'method', got none");
}

}  // namespace
}  // namespace switchyard::ops_gen
