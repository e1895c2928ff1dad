// SPDX-License-Identifier: Apache-2.0
// Malformed family files and the exact sentence for each.
#include "ops_gen/parser/family_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace switchyard::ops_gen {
namespace {

// Lines 1 to 17.
constexpr char kGood[] =
    R"(- op: scale_by
  args: (Tensor x, Tensor y, int axis = -1)
  output: Tensor(out)
  infer_meta: {func: BroadcastInferMeta}
  kernel: {func: scale_by, data_type: x}
  kernels:
    cpu: [float32]
  inplace: (x -> out)
  promote: [x, y]
  traits: [elementwise]
  backward: scale_by_grad
  version: 1

- backward_op: scale_by_grad
  args: (Tensor y, Tensor out_grad, int axis)
  output: Tensor(x_grad)
  composite: {func: ScaleByGrad, uses: [multiply, sum]}
)";

// The good file with one text replaced, and the error that follows.
struct Case {
  const char* from;
  const char* to;
  const char* error;
};

constexpr Case kStructure[] = {
    {"- op: scale_by\n", "- op: scale_by\n  opp: 1\n",
     "f.yaml:2: scale_by: expected one of the keys op, backward_op, args, "
     "output, infer_meta, kernel, kernels, functor, promote, amp, inplace, "
     "view, optional, intermediate, no_need_buffer, read_for, supplied, "
     "data_transform, batch, traits, composite, invoke, backward, version, "
     "upgrades, forward_only, result, doc, python, paddle, onnx, got 'opp'; "
     "did you "
     "mean 'op'?"},
    {"- op: scale_by\n", "- op: scale_by\n  read_for: (x -> out)\n",
     "f.yaml:2: scale_by: read_for: expected a gradient written as operators, "
     "got another entry"},
    {"  version: 1\n", "  version: 1\n  version: 2\n",
     "f.yaml:13: scale_by: expected each key once, got 'version' again"},
    {"- op: scale_by\n", "- name: scale_by\n",
     "f.yaml:1: expected one of the keys 'op' and 'backward_op', got none"},
    {"- op: scale_by\n", "- op: ScaleBy\n",
     "f.yaml:1: op: expected a name of a-z, 0-9 and _, got 'ScaleBy'"},
    {"- op: scale_by\n", "- op: while\n",
     "f.yaml:1: op: expected a name that is no keyword, got 'while'"},
    {"  output: Tensor(out)\n  infer", "  infer",
     "f.yaml:1: scale_by: expected the key 'output', got none"},
    {"Tensor(out)\n", "[Tensor(out)]\n",
     "f.yaml:3: scale_by: output: expected a text, got a list"},
    {"  version: 1\n", "  version: 0\n",
     "f.yaml:12: scale_by: version: expected a number from 1, got '0'"},
    {"  version: 1\n", "  version:\n",
     "f.yaml:12: scale_by: version: expected a text, got nothing"},
    {"  version: 1\n", "  version: {\n",
     "f.yaml:14: expected YAML, got: illegal block entry"},
    {"int axis = -1)\n  output", "int axis = x)\n  output",
     "f.yaml:2: scale_by: args: default of 'axis': expected a literal of type "
     "int, got 'x'"},
    {"(Tensor x, Tensor y, int axis = -1)\n", "(Tensor class)\n",
     "f.yaml:2: scale_by: args: expected a name that is no keyword, got "
     "'class'"},
};

constexpr Case kKernels[] = {
    {"data_type: x", "data_type: axis",
     "f.yaml:5: scale_by: kernel.data_type: expected a DataType attribute, "
     "then "
     "a tensor of args, then a dtype, got 'axis'"},
    {"{func: scale_by, data_type: x}", "{func: scale_by, param: [x, z]}",
     "f.yaml:5: scale_by: kernel.param: expected names of args, got 'z'"},
    {"{func: scale_by, data_type: x}", "{name: scale_by}",
     "f.yaml:5: scale_by: kernel: expected one of the keys func, param, "
     "data_type, header, kinds_header, got 'name'"},
    {"{func: scale_by, data_type: x}",
     "{func: scale_by, data_type: x, header: nn/}",
     "f.yaml:5: scale_by: kernel.header: expected a folder and a file, or one "
     "name for both, got 'nn/'"},
    {"{func: scale_by, data_type: x}",
     "{func: scale_by, data_type: x, header: nn/NN}",
     "f.yaml:5: scale_by: kernel.header: expected a name of a-z, 0-9 and _, "
     "got 'NN'"},
    {"{func: scale_by, data_type: x}", "{func: \"a {dense -> dense}\"}",
     "f.yaml:5: scale_by: kernel.func: expected 2 tensor kinds, got 1"},
    {"{func: scale_by, data_type: x}", "{func: \"a {dense, odd -> dense}\"}",
     "f.yaml:5: scale_by: kernel.func: expected dense, selected_rows, "
     "sparse_coo, sparse_csr, tensor_array or strings, got 'odd'"},
    {"Tensor y, int axis = -1)\n  output: Tensor(out)\n  infer_meta: {func: "
     "BroadcastInferMeta}\n  kernel: {func: scale_by, data_type: x}",
     "Tensor[] y, int axis = -1)\n  output: Tensor(out)\n  infer_meta: {func: "
     "BroadcastInferMeta}\n  kernel: {func: \"a {dense, selected_rows -> "
     "dense}\"}",
     "f.yaml:5: scale_by: kernel.func: expected dense for the list 'y' of 'a', "
     "got 'selected_rows'"},
    {"{func: scale_by, data_type: x}", "{func: \"a, a\"}",
     "f.yaml:5: scale_by: kernel.func: expected each kernel once, got 'a' "
     "again"},
    {"{func: scale_by, data_type: x}\n  kernels:\n    cpu: [float32]\n",
     "{func: \"a, b\", data_type: x}\n  kernels:\n    a:\n      cpu: "
     "[float32]\n    b:\n      cpu: [float32]\n  functor: Twice\n",
     "f.yaml:1: scale_by: expected one kernel of dense tensors, the first, "
     "beside 'functor', got 'b'"},
    {"{func: scale_by, data_type: x}\n  kernels:\n    cpu: [float32]\n",
     "{func: \"a {dense, dense -> dense}, b {selected_rows, dense -> dense}\", "
     "data_type: x}\n  kernels:\n    a:\n      cpu: [float32]\n    b:\n"
     "      cpu: [float32]\n  functor: Twice\n",
     "f.yaml:1: scale_by: expected the key 'kinds_header' beside 'functor' and "
     "kernels of other kinds, got none"},
    {"  kernels:\n    cpu: [float32]\n", "",
     "f.yaml:1: scale_by: expected the key 'kernels', got none"},
    {"  kernels:\n    cpu: [float32]\n", "  kernels: {cpu: [float32]}\n",
     "f.yaml:6: scale_by: kernels: expected one line for each set of dtypes, "
     "got a map in braces"},
    {"    cpu: [float32]\n", "    tpu: [float32]\n",
     "f.yaml:7: scale_by: kernels.tpu: expected a backend (reference, cpu, "
     "onednn, gpu, gpudnn) or fluid/<backend>, got 'tpu'; did you mean 'cpu'?"},
    {"    cpu: [float32]\n", "    cpu, gpu: all\n    gpu: all\n",
     "f.yaml:8: scale_by: kernels.gpu: expected each backend once, got 'gpu' "
     "again"},
    {"    cpu: [float32]\n", "    cpu, tpu: all\n",
     "f.yaml:7: scale_by: kernels.cpu, tpu: expected a backend (reference, "
     "cpu, onednn, gpu, gpudnn) or fluid/<backend>, got 'tpu'; did you mean "
     "'cpu'?"},
    {"    cpu: [float32]\n", "    cpu: [float31]\n",
     "f.yaml:7: scale_by: kernels.cpu: expected dtypes, got 'float31'; did you "
     "mean 'float32'?"},
    {"    cpu: [float32]\n", "    cpu: [float32, float32]\n",
     "f.yaml:7: scale_by: kernels.cpu: expected each dtype once, got 'float32' "
     "again"},
    {"    cpu: [float32]\n", "    cpu: floats\n",
     "f.yaml:7: scale_by: kernels.cpu: expected dtypes in brackets or one of "
     "index, full_precision, complex, full_numeric, full_differentiable, "
     "floating, pixel, full_number, differentiable, wide_numeric, wide_all, "
     "integer, wide_number, integral, numeric, all, real, every, ordered, "
     "number, complete, movable, got 'floats'"},
    {"    cpu: [float32]\n", "    cpu: [float32, float64, float16, bfloat16]\n",
     "f.yaml:7: scale_by: kernels.cpu: expected the name 'floating' of this "
     "set of dtypes, got a list"},
    {"    cpu: [float32]\n", "    cpu:\n      - float32\n",
     "f.yaml:8: scale_by: kernels.cpu: expected the dtypes in brackets on one "
     "line, got a block list"},
    {"  infer_meta: {func: BroadcastInferMeta}\n", "",
     "f.yaml:1: scale_by: expected the key 'infer_meta' beside 'kernel', got "
     "none"},
    {"{func: BroadcastInferMeta}", "{func: Scale-By}",
     "f.yaml:4: scale_by: infer_meta.func: expected the end of the text, got "
     "'-By'"},
    {"{func: BroadcastInferMeta}", "{func: decltype}",
     "f.yaml:4: scale_by: infer_meta.func: expected a name that is no keyword, "
     "got 'decltype'"},
};

constexpr Case kFacts[] = {
    {"(x -> out)", "(z -> out)",
     "f.yaml:8: scale_by: inplace: expected a tensor of args, got 'z'"},
    {"(x -> out)", "(x -> z)",
     "f.yaml:8: scale_by: inplace: expected an output, got 'z'"},
    {"(x -> out)", "(x -> out), (y -> out)",
     "f.yaml:8: scale_by: inplace: expected each output once, got 'out' again"},
    {"(x -> out)", "x -> out",
     "f.yaml:8: scale_by: inplace: expected '(', got 'x -> out'"},
    {"promote: [x, y]", "promote: [x, axis]",
     "f.yaml:9: scale_by: promote: expected a tensor of args, got 'axis'"},
    {"promote: [x, y]", "promote: {inputs: [x], integer_to_float: maybe}",
     "f.yaml:9: scale_by: promote.integer_to_float: expected true or false, "
     "got "
     "'maybe'"},
    {"promote: [x, y]", "promote: [x, y]\n  amp: half",
     "f.yaml:10: scale_by: amp: expected narrow, wide or widest, got 'half'"},
    {"  output: Tensor(x_grad)\n", "  output: Tensor(x_grad)\n  amp: wide\n",
     "f.yaml:17: scale_by_grad: amp: expected an operator that is no gradient "
     "and updates no input, got 'scale_by_grad'"},
    {"traits: [elementwise]", "traits: [fast]",
     "f.yaml:10: scale_by: traits: expected traits of elementwise, view, "
     "random, commutative, inplace_only, transform, optimizer, extents, "
     "identity, same_size, permutes, filled, got 'fast'"},
    {"traits: [elementwise]", "supplied: [x]",
     "f.yaml:10: scale_by: supplied: expected an attribute of args, got 'x'"},
    {"traits: [elementwise]", "traits: [inplace_only]",
     "f.yaml:1: scale_by: expected the trait inplace_only exactly on names "
     "that "
     "end in '_', got 'scale_by' with it"},
    {"traits: [elementwise]", "traits: [random]",
     "f.yaml:1: scale_by: expected the input 'rng' beside the trait random, "
     "got "
     "none"},
    {"  version: 1\n", "  optional: [axis]\n",
     "f.yaml:12: scale_by: optional: expected a tensor of args or an output "
     "that is no list, got 'axis'"},
    {"  version: 1\n", "  intermediate: [x]\n",
     "f.yaml:12: scale_by: intermediate: expected an output, got 'x'"},
    {"  version: 1\n", "  data_transform: {skip: [x]}\n",
     "f.yaml:12: scale_by: data_transform: expected one of the keys "
     "skip_transform, support_trans_dtype, got 'skip'"},
    {"  version: 1\n", "  invoke: other(x)\n",
     "f.yaml:1: scale_by: expected a kernel, a composite or both, or else an "
     "invoke, got an invoke as well"},
    {"  version: 1\n", "  invoke: other(z)\n",
     "f.yaml:12: scale_by: invoke: expected names of args and literals, got "
     "'z'"},
    {"[multiply, sum]", "[sum, multiply]",
     "f.yaml:17: scale_by_grad: composite.uses: expected operators in "
     "alphabetical order, each once, got 'sum, ...'"},
    {"{func: ScaleByGrad, uses: [multiply, sum]}", "{func: ScaleByGrad}",
     "f.yaml:17: scale_by_grad: composite: expected the key 'uses', got none"},
};

constexpr Case kGradients[] = {
    {"  backward: scale_by_grad\n", "",
     "f.yaml:13: scale_by_grad: expected 'backward: scale_by_grad' in the "
     "entry right above, scale_by, got ''"},
    {"  backward: scale_by_grad\n", "  backward: other_grad\n",
     "f.yaml:14: scale_by_grad: expected 'backward: scale_by_grad' in the "
     "entry right above, scale_by, got 'other_grad'"},
    {"(Tensor y, Tensor out_grad, int axis)", "(Tensor z, int axis)",
     "f.yaml:15: scale_by_grad: args: expected tensors of scale_by: its "
     "arguments, its outputs, <output>_grad, got 'z'"},
    {"(Tensor y, Tensor out_grad, int axis)", "(Tensor[] y, int axis)",
     "f.yaml:15: scale_by_grad: args: expected Tensor y, got Tensor[] y"},
    {"(Tensor y, Tensor out_grad, int axis)", "(Tensor y, float axis)",
     "f.yaml:15: scale_by_grad: args: expected int axis as in scale_by, got "
     "float axis"},
    {"(Tensor y, Tensor out_grad, int axis)", "(Tensor y, int other)",
     "f.yaml:15: scale_by_grad: args: expected attributes of scale_by or a "
     "default, got 'other'"},
    {"Tensor(x_grad)", "Tensor(z_grad)",
     "f.yaml:16: scale_by_grad: output: expected <input>_grad of an input of "
     "scale_by, got 'z_grad'"},
    {"  composite: {func: ScaleByGrad, uses: [multiply, sum]}\n",
     "  infer_meta: {func: ScaleByGradInferMeta}\n"
     "  kernel: {func: scale_by_grad, data_type: y}\n"
     "  kernels:\n    cpu: [float64]\n",
     "f.yaml:20: scale_by_grad: kernels: expected float32 on cpu as scale_by "
     "has it, or its backend in 'forward_only:' there, got none"},
    {"  version: 1\n", "  forward_only: [gpu]\n",
     "f.yaml:12: scale_by: forward_only: expected backends of 'kernels', got "
     "'gpu'"},
    {"  backward: scale_by_grad\n", "  forward_only: [cpu]\n",
     "f.yaml:11: scale_by: forward_only: expected it beside 'kernels' and "
     "'backward', got neither or one"},
};

std::string With(const Case& c) {
  return absl::StrReplaceAll(kGood, {{c.from, c.to}});
}

class FamilyParser : public ::testing::TestWithParam<Case> {};

TEST_P(FamilyParser, NamesPlaceEntryKeyExpectedAndGot) {
  const Case& c = GetParam();
  const std::string text = With(c);
  ASSERT_NE(text, kGood) << "the case replaces nothing: " << c.from;
  const auto family = ParseFamily("f.yaml", text);
  ASSERT_FALSE(family.ok()) << text;
  EXPECT_EQ(std::string(family.status().message()), c.error);
}

INSTANTIATE_TEST_SUITE_P(Structure, FamilyParser,
                         ::testing::ValuesIn(kStructure));
INSTANTIATE_TEST_SUITE_P(Kernels, FamilyParser, ::testing::ValuesIn(kKernels));
INSTANTIATE_TEST_SUITE_P(Facts, FamilyParser, ::testing::ValuesIn(kFacts));
INSTANTIATE_TEST_SUITE_P(Gradients, FamilyParser,
                         ::testing::ValuesIn(kGradients));

TEST(FamilyParserTest, ReadsAGoodFile) {
  const auto family = ParseFamily("ops_gen/ops/f.yaml", kGood);
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->name, "f");
  ASSERT_EQ(family->ops.size(), 2u);
  const Op& op = family->ops[0];
  EXPECT_EQ(op.location.line, 1);
  EXPECT_EQ(op.infer_meta->header.path(), "f/f");
  EXPECT_EQ(op.kernel->functions[0].coverage.at("cpu").size(), 1u);
  EXPECT_EQ(op.kernel->header.folder, "f");
  EXPECT_EQ(op.kernel->header.file, "f");
  const Gradient& gradient = *family->ops[1].gradient;
  EXPECT_EQ(gradient.forward, "scale_by");
  ASSERT_EQ(gradient.inputs.size(), 2u);
  EXPECT_EQ(gradient.inputs[0].kind, GradInput::Kind::kInput);
  EXPECT_EQ(gradient.inputs[0].index, 1);
  EXPECT_EQ(gradient.inputs[1].kind, GradInput::Kind::kOutputGrad);
  EXPECT_EQ(gradient.attrs, std::vector<int>{0});
  EXPECT_EQ(gradient.outputs, std::vector<int>{0});
}

TEST(FamilyParserTest, ALegacyAttributeMayBeAsOurs) {
  const auto family = ParseFamily(
      "f.yaml", absl::StrReplaceAll(
                    kGood, {{"  version: 1\n",
                             "  paddle:\n    - {type: s, inputs: {X: x}, "
                             "outputs: {Out: out}, attrs: {a: axis}}\n"}}));
  ASSERT_TRUE(family.ok()) << family.status();
  const FormAttr& attr = family->ops[0].forms(kPaddle)[0].attrs[0];
  EXPECT_EQ(attr.name, "a");
  EXPECT_EQ(attr.to, 0);
  EXPECT_EQ(attr.type, ValueType::kInt);
  ASSERT_TRUE(attr.default_value.has_value());
  EXPECT_EQ(attr.default_value->items, std::vector<std::string>{"-1"});
}

TEST(FamilyParserTest, AKernelMayBeForwardOnly) {
  const auto family = ParseFamily(
      "f.yaml",
      absl::StrReplaceAll(
          kGood, {{"    cpu: [float32]\n",
                   "    cpu: [float32]\n    gpu: full_precision\n"},
                  {"  version: 1\n", "  forward_only: [gpu]\n"},
                  {"  composite: {func: ScaleByGrad, uses: [multiply, sum]}\n",
                   "  infer_meta: {func: ScaleByGradInferMeta}\n"
                   "  kernel: {func: scale_by_grad, data_type: y}\n"
                   "  kernels:\n    onednn: [float32]\n"}}));
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->ops[0].forward_only, std::vector<std::string>{"gpu"});
}

TEST(FamilyParserTest, BackendsMayShareALine) {
  const auto family = ParseFamily(
      "f.yaml", absl::StrReplaceAll(kGood, {{"    cpu: [float32]\n",
                                             "    reference, cpu: index\n"}}));
  ASSERT_TRUE(family.ok()) << family.status();
  const std::vector<std::string> index = {"int32", "int64"};
  EXPECT_EQ(family->ops[0].kernel->functions[0].coverage,
            (Coverage{{"cpu", index}, {"reference", index}}));
}

TEST(FamilyParserTest, MissesABackwardEntryAtTheEnd) {
  const std::string text(kGood);
  const auto family =
      ParseFamily("f.yaml", text.substr(0, text.find("- backward_op")));
  ASSERT_FALSE(family.ok());
  EXPECT_EQ(family.status().message(),
            "f.yaml:1: scale_by: backward: expected the entry of scale_by_grad "
            "right below, got none");
}

TEST(FamilyParserTest, PromotesAmongAtMost32Tensors) {
  std::string more;
  for (int i = 3; i <= 33; ++i) absl::StrAppend(&more, "Tensor t", i, ", ");
  const auto family = ParseFamily(
      "f.yaml",
      absl::StrReplaceAll(kGood, {{"(Tensor x, Tensor y, int axis = -1)\n",
                                   absl::StrCat("(Tensor x, Tensor y, ", more,
                                                "int axis = -1)\n")}}));
  ASSERT_FALSE(family.ok());
  EXPECT_EQ(family.status().message(),
            "f.yaml:9: scale_by: promote: expected args of at most 32 tensors, "
            "got 33");
}

}  // namespace
}  // namespace switchyard::ops_gen
