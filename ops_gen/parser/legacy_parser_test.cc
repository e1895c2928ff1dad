// SPDX-License-Identifier: Apache-2.0
// Malformed items of a `paddle:` list and the exact sentence for each.
#include <gtest/gtest.h>

#include <string>

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
  const char* paddle;  // After the key.
  const char* error;   // After the file's name.
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

TEST(LegacyParser, NamesPlaceEntryKeyExpectedAndGot) {
  for (const Case& c : kCases) {
    const std::string text = absl::StrCat(kEntry, "  paddle:", c.paddle, "\n");
    const auto family = ParseFamily("f.yaml", text);
    ASSERT_FALSE(family.ok()) << text;
    EXPECT_EQ(std::string(family.status().message()),
              absl::StrCat("f.yaml:", c.error));
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
