// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernel_args.h"

#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// An operator with eight parameters, and `more` of them.
std::string Entry(const std::string& more, const std::string& backend) {
  return "- op: mix\n"
         "  args: (Tensor x, Tensor bias, Tensor[] others, Scalar value, "
         "int[] axes = {0, 1}, str mode = \"a, b\", float c = 1.5" +
         more +
         ")\n"
         "  output: Tensor(out)\n"
         "  infer_meta: {func: MixInferMeta}\n"
         "  kernel: {func: mix}\n"
         "  kernels:\n    " +
         backend +
         ": [float32]\n"
         "  optional: [bias]\n"
         "  result: as x\n";
}

Op Parse(const std::string& more, const std::string& backend = "cpu") {
  auto family = ParseFamily("ops_gen/ops/f.yaml", Entry(more, backend));
  EXPECT_THAT(family, IsOk());
  return family.ok() ? family->ops[0] : Op{};
}

TEST(KernelArgsTest, ForMoreThanEightParameters) {
  EXPECT_FALSE(TakesKernelArgs(Parse("")));
  EXPECT_TRUE(TakesKernelArgs(Parse(", int d = 1")));
  // A legacy kernel has no parameters.
  EXPECT_FALSE(TakesKernelArgs(Parse(", int d = 1", "fluid/cpu")));
}

TEST(KernelArgsTest, TheFieldsAreTheEntrys) {
  Family family;
  family.name = "f";
  family.file = "ops_gen/ops/f.yaml";
  const GeneratedFile file =
      KernelArgsHeader(family, Parse(", bool out = true"));
  EXPECT_EQ(file.name, "mix.args.gen.h");
  const size_t from = file.text.find("// The arguments");
  EXPECT_EQ(
      file.text.substr(from, file.text.find("};\n") + 3 - from),
      R"(// The arguments of kernel `mix`, by the names that the entry gives them.
struct MixArgs {
  const DenseTensor& x;
  const DenseTensor* bias;
  DenseList others;
  const Scalar& value;
  absl::Span<const int> axes;
  std::string_view mode;
  float c;
  bool out;
  DenseTensor* out_out;

  using Types = KernelArgTypes<const DenseTensor&, const DenseTensor*,
                               DenseList, const Scalar&, absl::Span<const int>,
                               std::string_view, float, bool, DenseTensor*>;
  // Returns what `f` makes of all arguments, in the entry's order.
  template <typename F>
  auto Apply(F f) const {
    return f(x, bias, others, value, axes, mode, c, out, out_out);
  }
};
)");
}

}  // namespace
}  // namespace switchyard::ops_gen
