// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/layers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ops_gen/emit/api.h"
#include "ops_gen/emit/bodies.h"
#include "ops_gen/emit/calls.h"
#include "ops_gen/emit/dialect.h"
#include "ops_gen/emit/eager.h"
#include "ops_gen/emit/kernel_table.h"
#include "ops_gen/emit/kernels.h"
#include "ops_gen/emit/legacy_forms.h"
#include "ops_gen/emit/onnx_forms.h"
#include "ops_gen/emit/op_pages.h"
#include "ops_gen/emit/python.h"
#include "ops_gen/emit/signatures.h"

namespace switchyard::ops_gen {
namespace {

struct LayerRow {
  const char* name;
  std::vector<GeneratedFile> (*emit)(const Family&);
};
constexpr LayerRow kLayers[] = {
    {"api", &EmitApi},
    {"bodies", &EmitBodies},
    {"calls", &EmitCalls},
    {"dialect", &EmitDialect},
    {"eager", &EmitEager},
    {"cpu_kernels", &EmitCpuKernels},
    {"gpu_kernels", &EmitGpuKernels},
    {"gpudnn_kernels", &EmitGpudnnKernels},
    {"onednn_kernels", &EmitOnednnKernels},
    {"reference_kernels", &EmitReferenceKernels},
    {"legacy", &EmitLegacyForms},
    {"onnx", &EmitOnnxForms},
    {"python", &EmitPython},
    {"op_pages", &EmitOpPages},
    {"signatures", &EmitSignatures},
};

struct AggregateRow {
  const char* name;
  std::vector<GeneratedFile> (*emit)(const std::vector<std::string>&);
};
constexpr AggregateRow kAggregates[] = {
    {"dialect", &EmitAllDialect},       {"eager", &EmitAllEager},
    {"legacy", &EmitAllLegacyForms},    {"onnx", &EmitAllOnnxForms},
    {"python", &EmitPythonTable},       {"public_header", &EmitPublicHeader},
    {"signatures", &EmitAllSignatures},
};

}  // namespace

absl::StatusOr<std::vector<GeneratedFile>> EmitLayer(const std::string& layer,
                                                     const Family& family) {
  for (const LayerRow& row : kLayers) {
    if (row.name == layer) return row.emit(family);
  }
  return absl::InvalidArgumentError(absl::StrCat("no layer '", layer, "'"));
}

absl::StatusOr<std::vector<GeneratedFile>> EmitAggregate(
    const std::string& layer, const std::string& lines) {
  const std::vector<std::string> names =
      absl::StrSplit(lines, '\n', absl::SkipEmpty());
  if (layer == "kernel_table") return EmitKernelTable(names);
  for (const AggregateRow& row : kAggregates) {
    if (row.name == layer) return row.emit(names);
  }
  return absl::InvalidArgumentError(absl::StrCat("no aggregate '", layer, "'"));
}

}  // namespace switchyard::ops_gen
