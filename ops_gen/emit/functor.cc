// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/functor.h"

#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/signatures.h"

namespace switchyard::ops_gen {
namespace {

// $0: operator, $1: functor, $2: its header, $3: dtypes, $4: kernel, $5: its
// signature. Highway compiles the file once for each instruction set.
constexpr char kText[] =
    "#undef HWY_TARGET_INCLUDE\n"
    "#define HWY_TARGET_INCLUDE \"phi/kernels/cpu/$0.gen.cc\"\n"
    "#include \"phi/kernels/cpu/simd_targets.h\"\n"
    "#include \"phi/core/signatures/$0.gen.h\"\n"
    "#include \"phi/kernels/cpu/elementwise-inl.h\"\n"
    "#include \"phi/kernels/functors/$2.h\"\n"
    "\n"
    "SY_ELEMENTWISE_TARGETS($0, $1, $3)\n"
    "#if HWY_ONCE\n"
    "SY_ELEMENTWISE_REGISTER($4, $5, $3);\n"
    "#endif\n";

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
             absl::Substitute(kText, op.name, op.functor, Snake(op.functor),
                              absl::StrJoin(dtypes->second, ", "),
                              function.name, SignatureName(function.name))});
  }
  return files;
}

}  // namespace switchyard::ops_gen
