// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace switchyard::ops_gen {
namespace {

TEST(Text, NamesChangeCase) {
  EXPECT_EQ(Camel("softmax_grad"), "SoftmaxGrad");
  EXPECT_EQ(Camel("sgd_"), "Sgd");
}

TEST(Text, FillKeepsWhatFitsOnOneLine) {
  EXPECT_EQ(Fill("f(", {"a", "b"}, ");\n"), "f(a, b);\n");
  EXPECT_EQ(Fill("f(", {}, ");\n"), "f();\n");
}

TEST(Text, FillBreaksUnderTheFirstItem) {
  const std::vector<std::string> items(4, std::string(30, 'x'));
  const std::string pad(9, ' ');
  EXPECT_EQ(Fill("function(", items, ");"),
            "function(" + items[0] + ", " + items[0] + ",\n" + pad + items[0] +
                ", " + items[0] + ");");
}

TEST(Text, FillBreaksBeforeItemsThatAreTooLong) {
  const std::string item(70, 'x');
  EXPECT_EQ(Fill("a_long_function(", {item}, ");"),
            "a_long_function(\n    " + item + ");");
}

TEST(Text, CommentsStayInTheColumns) {
  const std::string comment =
      Comment(std::string(30, 'a') + " " + std::string(50, 'b') + " " +
              std::string(20, 'c'));
  EXPECT_EQ(comment, "// " + std::string(30, 'a') + "\n// " +
                         std::string(50, 'b') + " " + std::string(20, 'c') +
                         "\n");
}

TEST(Text, HeadersHaveAGuardFromTheirPath) {
  const std::string header =
      Header("// Top.\n", "phi/api/relu.gen.h", {"b.h", "<atomic>", "a.h"},
             "switchyard", "\nint x;\n");
  EXPECT_EQ(header,
            "// Top.\n"
            "#ifndef SWITCHYARD_PHI_API_RELU_GEN_H_\n"
            "#define SWITCHYARD_PHI_API_RELU_GEN_H_\n\n"
            "#include <atomic>\n\n"
            "#include \"a.h\"\n"
            "#include \"b.h\"\n\n"
            "namespace switchyard {\n\nint x;\n\n}  // namespace switchyard\n\n"
            "#endif  // SWITCHYARD_PHI_API_RELU_GEN_H_\n");
}

}  // namespace
}  // namespace switchyard::ops_gen
