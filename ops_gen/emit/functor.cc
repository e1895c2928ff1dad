// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/functor.h"

#include <string>

#include "absl/strings/substitute.h"
#include "ops_gen/emit/signatures.h"

namespace switchyard::ops_gen {
namespace {

// $0: operator, $1: the functor's header, $2 and $3: the macros. Highway
// compiles the file once for each instruction set.
constexpr char kText[] =
    "#undef HWY_TARGET_INCLUDE\n"
    "#define HWY_TARGET_INCLUDE \"phi/kernels/cpu/$0.gen.cc\"\n"
    "#include \"phi/kernels/cpu/simd_targets.h\"\n"
    "#include \"phi/core/signatures/$0.gen.h\"\n"
    "#include \"phi/kernels/cpu/elementwise-inl.h\"\n"
    "#include \"phi/kernels/functors/$1.h\"\n"
    "\n"
    "$2\n"
    "#if HWY_ONCE\n"
    "$3;\n"
    "#endif\n";

// "MACRO(first, second, float32, float64)".
std::string Macro(const std::string& macro, const std::string& first,
                  const std::string& second,
                  const std::vector<std::string>& dtypes) {
  std::vector<std::string> items = {first, second};
  items.insert(items.end(), dtypes.begin(), dtypes.end());
  return Fill(macro + "(", items, ")");
}

}  // namespace

std::vector<GeneratedFile> EmitFunctorKernels(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (op.functor.empty()) continue;
    const KernelFunction& function = op.kernel->functions[0];
    const auto dtypes = function.coverage.find("cpu");
    if (dtypes == function.coverage.end()) continue;
    files.push_back(
        {op.name + ".gen.cc",
         FileTop(family, op) +
             absl::Substitute(
                 kText, op.name, Snake(op.functor),
                 Macro("SY_ELEMENTWISE_TARGETS", op.name, op.functor,
                       dtypes->second),
                 Macro("SY_ELEMENTWISE_REGISTER", function.name,
                       SignatureName(function.name), dtypes->second))});
  }
  return files;
}

}  // namespace switchyard::ops_gen
