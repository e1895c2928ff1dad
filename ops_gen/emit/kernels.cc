// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/signatures.h"
#include "ops_gen/schema/backends.h"

namespace switchyard::ops_gen {
namespace {

// The dtypes of a kernel function for a backend; empty if it has none.
std::vector<std::string> Dtypes(const KernelFunction& function,
                                const std::string& backend) {
  const auto found = function.coverage.find(backend);
  if (found == function.coverage.end()) return {};
  return found->second;
}

std::string Include(const std::string& path) {
  return absl::StrCat("#include \"", path, "\"\n");
}

std::string SignatureInclude(const Op& op) {
  return Include(absl::StrCat("phi/core/signatures/", op.name, ".gen.h"));
}

// "SY_REGISTER_KERNEL(relu, Relu, cpu, CpuContext, float32);" for each dtype.
std::string Registrations(const KernelFunction& function,
                          const GeneratedBackend& backend) {
  std::string text;
  for (const std::string& dtype : Dtypes(function, backend.name)) {
    text += Fill("SY_REGISTER_KERNEL(",
                 {function.name, Camel(function.name), backend.name,
                  backend.context, dtype},
                 ");\n");
  }
  return text;
}

// Where the backend declares a kernel of an operator.
std::string KernelHeader(const Op& op, const KernelFunction& function,
                         const GeneratedBackend& backend) {
  const HeaderName& header = op.kernel->GetHeader(function);
  return absl::StrCat("phi/kernels/", backend.name, "/",
                      backend.folders ? header.folder + "/" : "", header.file,
                      ".h");
}

std::vector<GeneratedFile> EmitKernels(const Family& family,
                                       const GeneratedBackend& backend) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (!op.kernel.has_value()) continue;
    std::set<std::string> headers;
    std::string registrations;
    for (const KernelFunction& function : op.kernel->functions) {
      const bool of_functor = !op.functor.empty() && function.all_dense();
      if (of_functor && backend.functors) continue;
      if (Dtypes(function, backend.name).empty()) continue;
      headers.insert(Include(KernelHeader(op, function, backend)));
      registrations += Registrations(function, backend);
    }
    if (registrations.empty()) continue;
    files.push_back(
        {op.name + ".gen.cc",
         absl::StrCat(FileTop(family, op),
                      Include("phi/core/register_kernel.h"),
                      SignatureInclude(op), absl::StrJoin(headers, ""),
                      "\nnamespace switchyard::phi {\n\n", registrations,
                      "\n}  // namespace switchyard::phi\n")});
  }
  return files;
}

// The C++ type that kernels of functors compute a dtype in: ComputeDtype() of
// phi/kernels/cpu/conversion/narrow_dtypes.h, and on a GPU ComputedIn() of
// phi/kernels/gpu/elements.cuh.
std::string ComputeType(const std::string& dtype) {
  if (dtype == "float64") return "double";
  if (dtype == "complex64") return "::std::complex<float>";
  if (dtype == "complex128") return "::std::complex<double>";
  if (absl::EndsWith(dtype, "float16") || dtype == "float32") return "float";
  if (dtype == "uint64") return "uint64_t";
  return dtype == "int64" || dtype == "uint32" ? "int64_t" : "int32_t";
}

// Those of `dtypes`, each once, the most usual first.
std::vector<std::string> ComputeTypes(const std::vector<std::string>& dtypes) {
  std::vector<std::string> types;
  for (const char* type : {"float", "double", "int32_t", "int64_t", "uint64_t",
                           "::std::complex<float>", "::std::complex<double>"}) {
    if (std::any_of(dtypes.begin(), dtypes.end(), [&](const std::string& d) {
          return ComputeType(d) == type;
        })) {
      types.emplace_back(type);
    }
  }
  return types;
}

// $0: the file, $1: signatures, $2: the functors' header, $3: the loops of each
// instruction set, $4: the kernels, $5: their registrations. Highway compiles
// the file once for each instruction set.
constexpr char kFunctorsText[] =
    "#undef HWY_TARGET_INCLUDE\n"
    "#define HWY_TARGET_INCLUDE \"phi/kernels/cpu/$0\"\n"
    "#include \"phi/kernels/cpu/simd/simd_targets.h\"\n"
    "$1"
    "#include \"phi/kernels/cpu/elementwise/elementwise-inl.h\"\n"
    "#include \"phi/kernels/functors/$2.h\"\n"
    "\n"
    "$3"
    "#if HWY_ONCE\n"
    "$4"
    "namespace switchyard::phi {\n"
    "\n"
    "$5"
    "\n"
    "}  // namespace switchyard::phi\n"
    "#endif\n";

// The backend `gpu` has the same in two files: one that nvcc compiles, which
// includes little, and the registrations. $0: the functors' header, $1: the
// launchers.
constexpr char kGpuLaunchersText[] =
    "#include \"phi/kernels/gpu/elementwise.cuh\"\n"
    "// After the vocabulary that it is written in.\n"
    "#include \"phi/kernels/functors/$0.h\"\n"
    "\n"
    "namespace switchyard::phi::kernels::gpu {\n"
    "\n"
    "$1"
    "\n"
    "}  // namespace switchyard::phi::kernels::gpu\n";

// $0: signatures, $1: the kernels, $2: their registrations.
constexpr char kGpuFunctorsText[] =
    "#include \"phi/core/register_kernel.h\"\n"
    "$0"
    "#include \"phi/kernels/gpu/elementwise.h\"\n"
    "\n"
    "$1"
    "namespace switchyard::phi {\n"
    "\n"
    "$2"
    "\n"
    "}  // namespace switchyard::phi\n";

// The parts of a file of functor kernels.
struct FunctorParts {
  std::string signatures;
  std::string loops;
  std::string kernels;
  std::string registrations;
};

void AddFunctor(const Op& op, const GeneratedBackend& backend,
                FunctorParts& parts) {
  const KernelFunction& function = op.kernel->functions[0];
  const std::string name = Camel(function.name);
  const bool cpu = &backend == &kCpuBackend;
  std::vector<std::string> items = {function.name, op.functor};
  if (cpu) items.push_back(SignatureName(function.name));
  const std::vector<std::string> types =
      ComputeTypes(Dtypes(function, backend.name));
  items.insert(items.end(), types.begin(), types.end());
  parts.signatures += SignatureInclude(op);
  parts.loops +=
      Fill(cpu ? "SY_ELEMENTWISE_TARGETS(" : "SY_GPU_LAUNCHER(", items, ")\n");
  parts.kernels +=
      Fill(cpu ? "SY_ELEMENTWISE_KERNEL(" : "SY_GPU_ELEMENTWISE_KERNEL(",
           {function.name, name}, ");\n");
  parts.registrations += Registrations(function, backend);
}

// The kernels of the family's functors, by the functors' headers.
std::map<std::string, FunctorParts> FunctorsByHeader(
    const Family& family, const GeneratedBackend& backend) {
  std::map<std::string, FunctorParts> by_header;
  for (const Op& op : family.ops) {
    if (op.functor.empty()) continue;
    if (Dtypes(op.kernel->functions[0], backend.name).empty()) continue;
    AddFunctor(op, backend, by_header[op.kernel->header.file]);
  }
  return by_header;
}

// A file for each of their headers.
std::vector<GeneratedFile> EmitCpuFunctors(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const auto& [header, parts] : FunctorsByHeader(family, kCpuBackend)) {
    const std::string name =
        absl::StrCat(family.name, "_", header, "_functors.gen.cc");
    files.push_back(
        {name, FamilyTop(family) + absl::Substitute(kFunctorsText, name,
                                                    parts.signatures, header,
                                                    parts.loops, parts.kernels,
                                                    parts.registrations)});
  }
  return files;
}

// Two files for each of their headers.
std::vector<GeneratedFile> EmitGpuFunctors(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const auto& [header, parts] : FunctorsByHeader(family, kGpuBackend)) {
    const std::string stem =
        absl::StrCat(family.name, "_", header, "_functors.gen.");
    files.push_back({stem + "cu", FamilyTop(family) +
                                      absl::Substitute(kGpuLaunchersText,
                                                       header, parts.loops)});
    files.push_back({stem + "cc",
                     FamilyTop(family) +
                         absl::Substitute(kGpuFunctorsText, parts.signatures,
                                          parts.kernels, parts.registrations)});
  }
  return files;
}

// The kernels of a backend whose functors are `of_functors`.
std::vector<GeneratedFile> Joined(std::vector<GeneratedFile> files,
                                  std::vector<GeneratedFile> of_functors) {
  for (GeneratedFile& file : of_functors) files.push_back(std::move(file));
  return files;
}

}  // namespace

std::vector<GeneratedFile> EmitReferenceKernels(const Family& family) {
  return EmitKernels(family, kReferenceBackend);
}
std::vector<GeneratedFile> EmitCpuKernels(const Family& family) {
  return Joined(EmitKernels(family, kCpuBackend), EmitCpuFunctors(family));
}
std::vector<GeneratedFile> EmitOnednnKernels(const Family& family) {
  return EmitKernels(family, kOnednnBackend);
}
std::vector<GeneratedFile> EmitGpuKernels(const Family& family) {
  return Joined(EmitKernels(family, kGpuBackend), EmitGpuFunctors(family));
}
std::vector<GeneratedFile> EmitGpudnnKernels(const Family& family) {
  return EmitKernels(family, kGpudnnBackend);
}

}  // namespace switchyard::ops_gen
