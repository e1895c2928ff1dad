// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/measure.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/tensors.h"
#include "framework/types/spec_text.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/library_asked.h"
#include "phi/selection/call_parser.h"
#include "tests/parity/bounds.h"
#include "tests/parity/compare.h"
#include "tests/parity/run_call.h"
#include "tests/samples/backward_calls.h"
#include "tests/samples/dialect_ops.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using phi::GradSource;
using phi::OpInfo;
using static_graph::DialectOp;
// The rows of each operator and dtype; the legacy kernel without a library
// comes first.
using Ledger =
    std::map<std::pair<std::string, DataType>, std::vector<ParityRow>>;

// The settings of a sample's calls.
struct Measurement {
  const SampleCall& sample;
  DataType dtype;
  const ParityOptions& options;
  Ledger* ledger;
};

std::vector<Tensors> ByArgument(const Tensors& tensors,
                                const phi::ArgSegments& slots) {
  std::vector<Tensors> arguments;
  for (int i = 0; i < slots.arguments(); ++i) {
    arguments.emplace_back(tensors.begin() + slots.begin(i),
                           tensors.begin() + slots.end(i));
  }
  return arguments;
}

// Gradients to flow in: like `outputs`, with elements of their own.
Tensors GradientsLike(const Tensors& outputs) {
  Tensors gradients;
  uint64_t state = 1;
  for (const DenseTensor& output : outputs) {
    if (output.dtype() == DataType::kUndefined) {
      gradients.emplace_back();  // Nothing was written there.
      continue;
    }
    std::vector<double> values(static_cast<size_t>(output.numel()));
    for (double& value : values) {
      // A linear congruence; its high bits are good enough for numbers.
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<double>(state >> 40) / (1 << 22) - 2.0;
    }
    gradients.push_back(MakeTensorOf(output.dtype(), output.shape(), values));
  }
  return gradients;
}

OpCall BackwardCall(const phi::GradInfo& grad, const OpCall& call,
                    const Outcome& results) {
  OpCall backward{grad.backward, {}, {}};
  const std::vector<Tensors>& outputs = results.outputs;
  for (const GradSource& source : grad.inputs) {
    const auto& arrays =
        source.kind == GradSource::Kind::kInput ? call.arrays : results.arrays;
    if (const auto array = arrays.find(source.index); array != arrays.end()) {
      backward.arrays[static_cast<int>(backward.inputs.size())] = array->second;
    }
    switch (source.kind) {
      case GradSource::Kind::kInput:
        backward.inputs.push_back(call.inputs[source.index]);
        break;
      case GradSource::Kind::kOutput:
        backward.inputs.push_back(outputs[source.index]);
        break;
      case GradSource::Kind::kOutputGrad:
        backward.inputs.push_back(GradientsLike(outputs[source.index]));
        break;
    }
  }
  for (size_t i = 0; i < grad.attrs.size(); ++i) {
    backward.attrs.push_back(grad.attrs[i] < 0
                                 ? grad.backward->attrs[i].default_value
                                 : call.attrs[grad.attrs[i]]);
  }
  return backward;
}

// A result of both kinds of kernels for a call.
struct Pair {
  const OpCall& call;
  size_t output, index;  // Which tensor of which output.
  const DenseTensor& ours;
  const DenseTensor& legacy;
};

// Puts the faults that a test asks for into the result of one kind of kernel,
// and counts those that are not found.
void CountUnnoticed(const Pair& pair, const Limits& limits,
                    phi::KernelOrigin faults_in, ParityRow* row) {
  const bool in_ours = faults_in == phi::KernelOrigin::kPhi;
  // The fault goes into the result itself: the distance between the two kernels
  // would hide a part of it.
  const DenseTensor& right = in_ours ? pair.ours : pair.legacy;
  int64_t changed = 0;
  const DenseTensor wrong = BeyondLimits(right, limits, &changed);
  const Comparison found =
      in_ours ? Compare(wrong, right, limits) : Compare(right, wrong, limits);
  row->unnoticed += changed - std::min(changed, found.outside);
}

void CompareResult(const Pair& pair, const CallLimits& call_limits,
                   const Measurement& measurement, ParityRow* row) {
  const Limits limits = call_limits.For(pair.output, pair.index, pair.legacy);
  const Comparison comparison = Compare(pair.ours, pair.legacy, limits);
  ++row->results;
  if (comparison.identical) ++row->identical;
  if (comparison.outside > 0) ++row->outside;
  row->ulps = std::max(row->ulps, comparison.ulps);
  if (measurement.options.faults_in.has_value()) {
    CountUnnoticed(pair, limits, *measurement.options.faults_in, row);
  }
  if (comparison.identical || row->first_difference.has_value()) return;
  Difference& first = row->first_difference.emplace();
  const SampleCall& sample = measurement.sample;
  first.call = absl::StrCat(std::string(sample.op->name), " ", sample.text);
  first.output =
      absl::StrCat(std::string(pair.call.op->outputs[pair.output].name), " ",
                   SpecText(pair.legacy.dtype(), pair.legacy.shape()));
  first.index = comparison.first_difference;
  if (first.index < 0) return;
  // The real part stands for a complex element.
  const int64_t at = first.index * (IsComplex(pair.legacy.dtype()) ? 2 : 1);
  first.ours = ToDoubles(pair.ours)[at];
  first.legacy = ToDoubles(pair.legacy)[at];
}

absl::StatusOr<Outcome> RunOn(KernelChoice choice, const OpCall& call,
                              const ParityOptions& options) {
  return RunCall(call, choice, options.place, options.repeats);
}

// Compares the results of both kinds of kernels for a call whose operator has
// both.
absl::Status CompareKernels(const OpCall& call, const Outcome& ours,
                            const Measurement& measurement, ParityRow* row) {
  const auto run = RunOn({phi::KernelOrigin::kFluid, row->library}, call,
                         measurement.options);
  // An attribute may say that the call is of a dtype that the row is not of.
  if (run.status().code() == absl::StatusCode::kNotFound) {
    return absl::OkStatus();
  }
  SY_RETURN_IF_ERROR(run.status());
  const Outcome& legacy = *run;
  SY_ASSIGN_OR_RETURN(const CallLimits limits, CallLimits::Make(call));
  for (size_t i = 0; i < legacy.outputs.size(); ++i) {
    if (ours.outputs[i].size() != legacy.outputs[i].size()) {
      return absl::InternalError(
          absl::StrCat(std::string(call.op->name), ": an array of ",
                       ours.outputs[i].size(), " elements, where that of the ",
                       "legacy kernel has ", legacy.outputs[i].size()));
    }
    for (size_t k = 0; k < legacy.outputs[i].size(); ++k) {
      const DenseTensor& result = legacy.outputs[i][k];
      if (result.dtype() == DataType::kUndefined) continue;
      CompareResult({call, i, k, ours.outputs[i][k], result}, limits,
                    measurement, row);
    }
  }
  row->seconds += ours.seconds;
  row->legacy_seconds += legacy.seconds;
  return absl::OkStatus();
}

// Calls of the same operator with an input that is SelectedRows, where it has
// kernels of both origins for that.
std::vector<OpCall> WithRows(const OpCall& call, DataType dtype) {
  const phi::OpKernels& row = *phi::KernelTables::Current().Find(call.op->name);
  std::set<int> inputs;  // A device has the same kernels as the CPU.
  for (const phi::KernelDef* kernel : row.candidates(dtype)) {
    if (kernel->origin != phi::KernelOrigin::kFluid) continue;
    for (size_t i = 0; i < kernel->inputs.size(); ++i) {
      if (kernel->inputs[i].kind != TensorKind::kSelectedRows) continue;
      const DenseTensor& values = call.inputs[i].front();
      if (values.rank() > 0 && values.allocated()) {
        inputs.insert(static_cast<int>(i));
      }
    }
  }
  std::vector<OpCall> calls(inputs.size(), call);
  size_t next = 0;
  for (const int input : inputs) calls[next++].rows_input = input;
  return calls;
}

// Compares a call, and its like with other kinds of tensors, in each of the
// operator's rows.
absl::Status MeasureRows(const OpCall& call, const Outcome& ours,
                         const Measurement& measurement,
                         std::vector<ParityRow>* rows) {
  for (ParityRow& row : *rows) {
    SY_RETURN_IF_ERROR(CompareKernels(call, ours, measurement, &row));
    for (const OpCall& other : WithRows(call, measurement.dtype)) {
      SY_ASSIGN_OR_RETURN(
          const Outcome sparse,
          RunOn({phi::KernelOrigin::kPhi}, other, measurement.options));
      SY_RETURN_IF_ERROR(CompareKernels(other, sparse, measurement, &row));
    }
  }
  return absl::OkStatus();
}

// Runs the call, and its gradient's, on both kinds of kernels.
absl::Status MeasureCall(const DialectOp& op, const OpCall& call,
                         const Measurement& measurement) {
  Ledger& ledger = *measurement.ledger;
  const auto run = RunOn({phi::KernelOrigin::kPhi}, call, measurement.options);
  // A sample need not be one in another dtype: statistics of a float16 tensor
  // are float32, and a gradient of integers there is none.
  if (!run.ok()) return absl::OkStatus();
  const Outcome& ours = *run;
  const auto rows = ledger.find({op.info->name, measurement.dtype});
  if (rows != ledger.end()) {
    SY_RETURN_IF_ERROR(MeasureRows(call, ours, measurement, &rows->second));
  }
  if (op.backward == nullptr ||
      ledger.count({op.backward->info->name, measurement.dtype}) == 0) {
    return absl::OkStatus();
  }
  return MeasureCall(*op.backward, BackwardCall(*op.grad, call, ours),
                     measurement);
}

// Makes the tensors that stand for arrays the elements of these.
void TakeArraysApart(const phi::selection::ParsedCall& parsed, OpCall* call) {
  const auto tensors = parsed.tensors();
  const phi::ArgSegments& segments = tensors.segments();
  for (int input = 0; input < segments.arguments(); ++input) {
    if (segments.begin(input) == segments.end(input)) continue;
    const TensorMeta* meta = tensors.elements()[segments.begin(input)];
    if (meta == nullptr || meta->kind != TensorKind::kTensorArray) continue;
    const DenseTensor stacked = call->inputs[input].front();
    const Shape shape = ElementShape(meta->shape);
    call->arrays[input] = {meta->dtype, shape};
    call->inputs[input].clear();
    for (int64_t i = 0; i < stacked.extent(0); ++i) {
      DenseTensor& element = call->inputs[input].emplace_back();
      element.SetView(stacked, shape, ContiguousStrides(shape),
                      i * shape.numel());
      element.SetLod(stacked.lod());
    }
  }
}

// The sample with the tensors of its key dtype in `dtype` instead.
absl::Status MeasureSample(const DialectOp& op,
                           const Measurement& measurement) {
  const SampleCall& sample = measurement.sample;
  SY_ASSIGN_OR_RETURN(auto parsed,
                      phi::selection::ParseCall(*sample.op, sample.inputs,
                                                sample.attrs, Place::Cpu()));
  SY_ASSIGN_OR_RETURN(const auto query, parsed.MakeQuery(Place::Cpu()));
  const DataType key = query.dtype;
  // Attributes of complex numbers are not those of real ones.
  if (IsComplex(key) != IsComplex(measurement.dtype)) return absl::OkStatus();
  for (TensorMeta& meta : parsed.metas()) {
    if (meta.dtype == key) meta.dtype = measurement.dtype;
  }
  const Tensors inputs = SampleTensors(sample, parsed);
  const auto attrs = parsed.attrs();
  OpCall call{sample.op, ByArgument(inputs, parsed.tensors().segments()),
              std::vector<AttrRef>(attrs.begin(), attrs.end())};
  TakeArraysApart(parsed, &call);
  return MeasureCall(op, call, measurement);
}

// The operator's first kernel of our own for a dtype, of a backend that is
// admitted by default: reference kernels are no twins. Null if it has none.
const phi::KernelDef* FindOurs(const phi::OpKernels& row, DataType dtype) {
  for (const phi::KernelDef* kernel : row.candidates(dtype)) {
    if (kernel->origin == phi::KernelOrigin::kPhi &&
        kernel->key.backend->by_default) {
      return kernel;
    }
  }
  return nullptr;
}

// True for a kernel that serves only calls that ask for its library.
bool IsOfLibrary(const phi::KernelDef& kernel) {
  return std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                     phi::IsLibraryAsked);
}

// The operator's legacy kernels for a dtype: the plain one first, then those of
// libraries.
std::vector<const phi::KernelDef*> FindLegacy(const phi::OpKernels& row,
                                              DataType dtype) {
  std::vector<const phi::KernelDef*> found;
  for (const phi::KernelDef* kernel : row.candidates(dtype)) {
    if (kernel->origin == phi::KernelOrigin::kFluid &&
        kernel->key.backend->by_default) {
      found.push_back(kernel);
    }
  }
  std::stable_partition(
      found.begin(), found.end(),
      [](const phi::KernelDef* kernel) { return !IsOfLibrary(*kernel); });
  return found;
}

// A kernel's file below the workspace; the compiler may have begun it with
// "./". That of kernels that are generated of functors is the functors'.
std::string SourceOf(const phi::KernelDef& kernel) {
  std::string file(absl::StripPrefix(kernel.file, "./"));
  const size_t name = file.rfind('/') + 1;
  const size_t end = file.rfind("_functors.gen.cc");
  if (end == std::string::npos) return file;
  // <family>_<header>, of words with "_" between them.
  for (size_t at = file.find('_', name); at < end;
       at = file.find('_', at + 1)) {
    const std::string header = absl::StrCat(
        "phi/kernels/functors/", file.substr(at + 1, end - at - 1), ".h");
    if (std::filesystem::exists(header)) return header;
  }
  return file;
}

// A row for each operator and dtype with both kinds of kernels, and for each
// library; a device has the CPU's kernels, and none of libraries.
Ledger FindPairs(Place place) {
  Ledger ledger;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    for (int i = 0; i < kNumDataTypes; ++i) {
      const auto dtype = static_cast<DataType>(i);
      const auto* const ours = FindOurs(*row, dtype);
      if (ours == nullptr) continue;
      for (const phi::KernelDef* legacy : FindLegacy(*row, dtype)) {
        const bool library = IsOfLibrary(*legacy);
        std::vector<ParityRow>& pairs = ledger[{row->op, dtype}];
        if (library ? place != Place::Cpu() : !pairs.empty()) continue;
        ParityRow& pair = pairs.emplace_back();
        pair.op = row->op;
        pair.dtype = dtype;
        if (library) pair.library = legacy->key.backend;
        pair.source = SourceOf(*ours);
        pair.legacy_source = SourceOf(*legacy);
      }
    }
  }
  return ledger;
}

}  // namespace

absl::StatusOr<std::vector<ParityRow>> MeasureParity(
    const ParityOptions& options) {
  Ledger ledger = FindPairs(options.place);
  SY_ASSIGN_OR_RETURN(const std::vector<SampleCall> calls,
                      ReadSampleCalls(options.samples));
  for (const SampleCall& sample : calls) {
    if (!sample.valid) continue;
    if (!options.op.empty() && options.op != sample.op->name) continue;
    const DialectOp& op = *FindDialectRecord(*sample.op);
    for (int i = 0; i < kNumDataTypes; ++i) {
      const auto dtype = static_cast<DataType>(i);
      const bool backward = op.backward != nullptr &&
                            ledger.count({op.backward->info->name, dtype}) > 0;
      if (!backward && ledger.count({sample.op->name, dtype}) == 0) continue;
      SY_RETURN_IF_ERROR(Annotate(
          MeasureSample(op, {sample, dtype, options, &ledger}), sample.text));
    }
  }
  std::vector<ParityRow> rows;
  for (const auto& [key, pairs] : ledger) {
    for (const ParityRow& row : pairs) {
      if (options.op.empty() || row.results > 0) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace switchyard
