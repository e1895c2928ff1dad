// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/functor.h"

#include <algorithm>
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

constexpr char kReferenceText[] =
    "#include \"framework/device/cpu/cpu_context.h\"\n"
    "#include \"phi/core/register_kernel.h\"\n"
    "#include \"phi/core/signatures/$0.gen.h\"\n"
    "#include \"phi/kernels/reference/formulas.h\"\n"
    "\n"
    "$1;\n";

// "MACRO(relu, Relu, float32, float64)".
std::string Macro(const std::string& macro, std::vector<std::string> items,
                  const std::vector<std::string>& dtypes) {
  items.insert(items.end(), dtypes.begin(), dtypes.end());
  return Fill(macro + "(", items, ")");
}

// What the cpu kernels compute in for these dtypes: ComputeDtype() of
// phi/kernels/cpu/narrow_dtypes.h, by name.
std::vector<std::string> ComputeDtypes(const std::vector<std::string>& dtypes) {
  std::vector<std::string> wide;
  for (const std::string& dtype : dtypes) {
    std::string name = dtype;
    if (dtype == "float16" || dtype == "bfloat16") name = "float32";
    if (dtype == "bool" || dtype == "int8" || dtype == "uint8") name = "int32";
    wide.push_back(name);
  }
  std::sort(wide.begin(), wide.end());
  wide.erase(std::unique(wide.begin(), wide.end()), wide.end());
  return wide;
}

// The dtypes of the operator's only kernel function for `backend`; null if the
// operator has no functor or the backend no kernel.
const std::vector<std::string>* FunctorDtypes(const Op& op,
                                              const std::string& backend) {
  if (op.functor.empty()) return nullptr;
  const Coverage& coverage = op.kernel->functions[0].coverage;
  const auto found = coverage.find(backend);
  return found == coverage.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<GeneratedFile> EmitFunctorKernels(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    const std::vector<std::string>* dtypes = FunctorDtypes(op, "cpu");
    if (dtypes == nullptr) continue;
    const std::string& kernel = op.kernel->functions[0].name;
    files.push_back(
        {op.name + ".gen.cc",
         FileTop(family, op) +
             absl::Substitute(
                 kText, op.name, Snake(op.functor),
                 Macro("SY_ELEMENTWISE_TARGETS", {op.name, op.functor},
                       ComputeDtypes(*dtypes)),
                 Macro("SY_ELEMENTWISE_REGISTER",
                       {kernel, SignatureName(kernel)}, *dtypes))});
  }
  return files;
}

std::vector<GeneratedFile> EmitFunctorReferences(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    const std::vector<std::string>* dtypes = FunctorDtypes(op, "reference");
    if (dtypes == nullptr) continue;
    const std::string& kernel = op.kernel->functions[0].name;
    files.push_back(
        {op.name + ".gen.cc",
         FileTop(family, op) +
             absl::Substitute(
                 kReferenceText, op.name,
                 Macro("SY_REGISTER_FORMULA",
                       {kernel, op.functor, SignatureName(kernel)}, *dtypes))});
  }
  return files;
}

}  // namespace switchyard::ops_gen
