// SPDX-License-Identifier: Apache-2.0
// Malformed items of a `paddle:` and an `onnx:` list and the exact sentence for
// each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// Lines 1 to 7.
constexpr char kEntry[] =
    R"(- op: scale_by
  args: (Tensor x, Tensor y, int axis = -1)
  output: Tensor(out)
  infer_meta: {func: BroadcastInferMeta}
  kernel: {func: scale_by, data_type: x}
  kernels:
    cpu: [float32]
)";

struct Case {
  const char* forms;  // After the key.
  const char* error;  // After the file's name.
};

constexpr Case kCases[] = {
    {" {type: s}", "8: scale_by: paddle: expected a list, got a map"},
    {"\n    - {type: s, inputs: {X: z}}",
     "9: scale_by: paddle.inputs.X: expected a tensor of args, got 'z'"},
    {"\n    - {type: s, inputs: {X: {duplicable: true}}}",
     "9: scale_by: paddle.inputs.X: expected 'to', 'supplies', 'dispensable' "
     "or "
     "'intermediate', got none"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: {to: axis, type: int, default: b}}}",
     "9: scale_by: paddle.attrs.a.default: expected a literal of type int, got "
     "'b'"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "constants: {axis: one}}",
     "9: scale_by: paddle.constants.axis: expected a literal of type int, got "
     "'one'"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: y}}",
     "9: scale_by: paddle.attrs.a: expected an attribute of args, got 'y'"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: {to: axis, type: int, range: [0, one]}}}",
     "9: scale_by: paddle.attrs.a.range: expected a number, got 'one'"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: {to: axis, type: int, range: [1, 0]}}}",
     "9: scale_by: paddle.attrs.a.range: expected a range, got one that ends "
     "earlier"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: {to: axis, type: int, range: [1]}}}",
     "9: scale_by: paddle.attrs.a.range: expected two numbers, got 1"},
    {"\n    - {type: s, inputs: {X: x}, outputs: {Out: out}, "
     "attrs: {a: {to: axis, type: str, range: [0, 1]}}}",
     "9: scale_by: paddle.attrs.a.range: expected a number that leads to one "
     "of "
     "ours, got another"},
    {"\n    - {type: a-b, inputs: {X: x}}",
     "9: scale_by: paddle.type: expected the end of the text, got '-b'"},
    {"\n    - {type: s, inputs: {'X\"': x}}",
     "9: scale_by: paddle.inputs.X\": expected the end of the text, got "
     "'\"'"},
};

constexpr Case kOnnxCases[] = {
    {"\n    - {type: S, inputs: {X: x}, outputs: {Y: out}}",
     "9: scale_by: onnx: expected the key 'since', got none"},
    {"\n    - {type: S, since: 0, inputs: {X: x}, outputs: {Y: out}}",
     "9: scale_by: onnx.since: expected a version, a number over 0, got '0'"},
    {"\n    - {type: S, since: 13, before: 13, inputs: {X: x}}",
     "9: scale_by: onnx.before: expected a version after 13, got 13"},
    {"\n    - {type: S, snce: 6, inputs: {X: x}}",
     "9: scale_by: onnx: expected one of the keys type, domain, since, before, "
     "inputs, outputs, attrs, extra, constants, got 'snce'; did you mean "
     "'since'?"},
    {"\n    - {type: S, since: 6, grad: {type: g}, inputs: {X: x}}",
     "9: scale_by: onnx: expected one of the keys type, domain, since, before, "
     "inputs, outputs, attrs, extra, constants, got 'grad'"},
    {"\n    - {type: S, since: 6, inputs: {X: {to: x, dtypes: floatin}}}",
     "9: scale_by: onnx.inputs.X.dtypes: expected dtypes in brackets or one of "
     "index, full_precision, complex, full_numeric, full_differentiable, "
     "floating, pixel, full_number, differentiable, wide_numeric, wide_all, "
     "integer, wide_number, integral, numeric, all, real, every, ordered, "
     "number, complete, movable, got 'floatin'; did "
     "you mean 'floating'?"},
    {"\n    - {type: S, since: 6, inputs: {X: x}, "
     "outputs: {Y: {to: out, dtypes: floating}}}",
     "9: scale_by: onnx.outputs.Y.dtypes: expected an input, got an output"},
    {"\n    - {type: S, since: 6, inputs: {X: x}, outputs: {Y: out}, "
     "attrs: {a: {type: int}}}",
     "9: scale_by: onnx.attrs.a: expected the key 'to' or 'only', got none"},
    {"\n    - {type: S, since: 6, inputs: {X: x}, outputs: {Y: out}, "
     "attrs: {a: {to: axis, type: int, option: true}}}",
     "9: scale_by: onnx.attrs.a: expected one of the keys to, type, default, "
     "unset, only, values, repeat, bound, range, got 'option'"},
};

void ExpectError(const char* vocabulary, const Case& c) {
  const std::string text =
      absl::StrCat(kEntry, "  ", vocabulary, ":", c.forms, "\n");
  const auto family = ParseFamily("f.yaml", text);
  ASSERT_FALSE(family.ok()) << text;
  EXPECT_EQ(std::string(family.status().message()),
            absl::StrCat("f.yaml:", c.error));
}

TEST(FormParser, NamesPlaceEntryKeyExpectedAndGot) {
  for (const Case& c : kCases) ExpectError("paddle", c);
  for (const Case& c : kOnnxCases) ExpectError("onnx", c);
}

TEST(FormParser, ReadsFormsByVocabulary) {
  const auto family = ParseFamily(
      "f.yaml",
      absl::StrCat(
          kEntry,
          "  onnx:\n"
          "    - {type: S, since: 7, before: 13, domain: com.microsoft, "
          "inputs: {A: {to: x, dtypes: [int8]}, B: y}, "
          "outputs: {C: out}, attrs: {axis: axis}}\n"
          "    - {type: S, since: 13, inputs: {A: x}, "
          "outputs: {C: out}}\n"));
  ASSERT_TRUE(family.ok()) << family.status();
  const Op& op = family->ops[0];
  EXPECT_TRUE(op.forms(kPaddle).empty());
  ASSERT_EQ(op.forms(kOnnx).size(), 2u);
  const Form& first = op.forms(kOnnx)[0];
  EXPECT_EQ(first.domain, "com.microsoft");
  EXPECT_EQ(first.since, 7);
  EXPECT_EQ(first.before, 13);
  EXPECT_EQ(first.inputs[0].dtypes, std::vector<std::string>{"int8"});
  EXPECT_TRUE(first.inputs[1].dtypes.empty());
  const Form& second = op.forms(kOnnx)[1];
  EXPECT_EQ(second.domain, "");
  EXPECT_EQ(second.before, 0);
}

}  // namespace
}  // namespace switchyard::ops_gen
