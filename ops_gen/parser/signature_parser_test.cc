// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/signature_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace switchyard::ops_gen {
namespace {

TEST(SignatureParser, PrintsWhatItParsed) {
  const std::string texts[] = {
      "()",
      "(Tensor x)",
      "(Tensor[] x, int axis = 0)",
      "(Tensor x, Tensor y, bool a, int b, int64_t c, float d, double e, str "
      "f, int[] g, int64_t[] h, IntArray i, float[] j, bool[] k, Scalar l, "
      "DataType m, Place n)",
      "(bool a = true, int b = -1, int64_t c = -9223372036854775808, float d = "
      "1e-5, double e = inf, str f = \"a, b) = c\", int[] g = {}, int64_t[] h "
      "= {0, -1}, IntArray i = {2}, float[] j = {0.5, nan}, bool[] k = {true}, "
      "Scalar l = 0, DataType m = undefined, Place n = gpu:1)",
  };
  for (const std::string& text : texts) {
    const auto arguments = ParseArguments(text);
    ASSERT_TRUE(arguments.ok()) << text << "\n" << arguments.status();
    EXPECT_EQ(PrintArguments(*arguments), text);
  }
}

TEST(SignatureParser, PrintsOutputsBack) {
  const std::string args = "(Tensor[] x, int[] sections, int num = 2)";
  const std::string text =
      "Tensor(a), Tensor[](b){len(x)}, Tensor[](c){len(sections)}, "
      "Tensor[](d){num}";
  const auto arguments = ParseArguments(args);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  const auto outputs = ParseOutputs(text, *arguments);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[3].size, OutputDecl::Size::kValueOf);
  EXPECT_EQ(PrintNamedSignature("split", {*arguments, *outputs}),
            "split " + args + " -> " + text);
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(SignatureParser, RefusesOtherArguments) {
  const Bad cases[] = {
      {"", "expected '(', got the end of the text"},
      {"Tensor x", "expected '(', got 'Tensor x'"},
      {"(Tensor x", "expected ', ' or ')', got the end of the text"},
      {"(Tensor x,Tensor y)", "expected ', ' or ')', got ',Tensor y)'"},
      {"(Tensor  x)", "expected an argument's name, got ' x)'"},
      {"(Tensor X)", "expected an argument's name, got 'X)'"},
      {"(Tensor _x)", "expected an argument's name, got '_x)'"},
      {"(Tensor x) ", "expected the end of the text, got ' '"},
      {"(Tensor x, int x)", "expected different argument names, got 'x' twice"},
      {"(int a, Tensor x)",
       "expected tensors before attributes, got 'x' after 'a'"},
      {"(int32 a)",
       "expected Tensor, Tensor[] or an attribute type, got 'int32'"},
      {"(int a = 1, int b)",
       "expected a default for 'b' as 'a' before it has one, got none"},
      {"(int a=1)", "expected ', ' or ')', got '=1)'"},
      {"(int a = 1.5)",
       "default of 'a': expected a literal of type int, got '1.5'"},
      {"(int a = 2147483648)",
       "default of 'a': expected a literal of type int, got '2147483648'"},
      {"(int a = 01)",
       "default of 'a': expected a literal of type int, got '01'"},
      {"(int a = )", "default of 'a': expected a literal of type int, got ''"},
      {"(bool a = 1)",
       "default of 'a': expected a literal of type bool, got '1'"},
      {"(float a = 1e39)",
       "default of 'a': expected a literal of type float, got '1e39'"},
      {"(float a = -1e-40)",
       "default of 'a': expected a literal of type float, got '-1e-40'"},
      {"(double a = 0.1e-400)",
       "default of 'a': expected a literal of type double, got '0.1e-400'"},
      {"(Scalar a = 1e-400)",
       "default of 'a': expected a literal of type Scalar, got '1e-400'"},
      {"(str a = b)",
       "default of 'a': expected a literal of type str, got 'b'"},
      {"(str a = \"b)",
       "default of 'a': expected a literal of type str, got '\"b)'"},
      {"(int[] a = 1)",
       "default of 'a': expected a literal of type int[], got '1)'"},
      {"(int[] a = {1,2})", "default of 'a': expected '}', got ',2})'"},
      {"(int[] a = {1, x})",
       "default of 'a': expected a literal of type int[], got the item 'x'"},
      {"(DataType a = float31)",
       "default of 'a': expected a literal of type DataType, got 'float31'"},
      {"(Place a = tpu)",
       "default of 'a': expected a literal of type Place, got 'tpu'"},
  };
  for (const Bad& bad : cases) {
    const auto arguments = ParseArguments(bad.text);
    ASSERT_FALSE(arguments.ok()) << bad.text;
    EXPECT_EQ(arguments.status().message(), bad.message) << bad.text;
  }
}

TEST(SignatureParser, RefusesOtherOutputs) {
  const auto arguments =
      ParseArguments("(Tensor x, Tensor[] y, int[] sizes, float p)");
  ASSERT_TRUE(arguments.ok());
  const Bad cases[] = {
      {"", "expected 'Tensor(' or 'Tensor[](', got the end of the text"},
      {"Tensor", "expected 'Tensor(' or 'Tensor[](', got 'Tensor'"},
      {"Tensor()", "expected an output's name, got ')'"},
      {"Tensor(a), Tensor(a)",
       "expected different output names, got 'a' twice"},
      {"Tensor[](a)", "expected '{', got the end of the text"},
      {"Tensor[](a){len(x)}", "expected a list argument in len(), got 'x'"},
      {"Tensor[](a){len(p)}", "expected a list argument in len(), got 'p'"},
      {"Tensor[](a){p}",
       "expected an int or int64_t argument as size, got 'p'"},
      {"Tensor[](a){len(y}", "expected ')', got '}'"},
      {"Tensor(a) ", "expected the end of the text, got ' '"},
  };
  for (const Bad& bad : cases) {
    const auto outputs = ParseOutputs(bad.text, *arguments);
    ASSERT_FALSE(outputs.ok()) << bad.text;
    EXPECT_EQ(outputs.status().message(), bad.message) << bad.text;
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
