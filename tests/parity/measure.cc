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
#include "framework/testing/tensors.h"
#include "framework/types/spec_text.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
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
using Ledger = std::map<std::pair<std::string, DataType>, ParityRow>;

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
                    const std::vector<Tensors>& outputs) {
  OpCall backward{grad.backward, {}, {}};
  for (const GradSource& source : grad.inputs) {
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

// Compares output `i` of a call, which `ours` and `legacy` are.
void CompareResult(const OpCall& call, size_t i, const DenseTensor& ours,
                   const DenseTensor& legacy, const SampleCall& sample,
                   ParityRow* row) {
  Bound bound = GetBound(call.op->name);
  const std::vector<double> magnitudes = Magnitudes(call, legacy, &bound);
  const Comparison comparison = Compare(ours, legacy, magnitudes);
  const bool near =
      comparison.identical || (bound != Bound::kBits && comparison.same_meta &&
                               comparison.ulps <= MaxUlps(bound));
  ++row->results;
  if (comparison.identical) ++row->identical;
  if (!near) ++row->outside;
  row->ulps = std::max(row->ulps, comparison.ulps);
  if (comparison.identical || row->first_difference.has_value()) return;
  Difference& first = row->first_difference.emplace();
  first.call = absl::StrCat(std::string(sample.op->name), " ", sample.text);
  first.output = absl::StrCat(std::string(call.op->outputs[i].name), " ",
                              SpecText(legacy.dtype(), legacy.shape()));
  first.index = comparison.first_difference;
  if (first.index < 0) return;
  // The real part stands for a complex element.
  const int64_t at = first.index * (IsComplex(legacy.dtype()) ? 2 : 1);
  first.ours = ToDoubles(ours)[at];
  first.legacy = ToDoubles(legacy)[at];
}

// Runs a call on the kernels of one origin, and has the fault that a test asks
// for.
absl::StatusOr<Outcome> RunOn(phi::KernelOrigin origin, const OpCall& call,
                              const ParityOptions& options) {
  SY_ASSIGN_OR_RETURN(Outcome outcome,
                      RunCall(call, origin, options.place, options.repeats));
  if (options.fault) options.fault(*call.op, origin, &outcome.outputs);
  return outcome;
}

// Compares the results of both kinds of kernels for a call whose operator has
// both.
absl::Status CompareKernels(const OpCall& call, const Outcome& ours,
                            const Measurement& measurement, ParityRow* row) {
  const auto run = RunOn(phi::KernelOrigin::kFluid, call, measurement.options);
  // An attribute may say that the call is of a dtype that the row is not of.
  if (run.status().code() == absl::StatusCode::kNotFound) {
    return absl::OkStatus();
  }
  SY_RETURN_IF_ERROR(run.status());
  const Outcome& legacy = *run;
  for (size_t i = 0; i < legacy.outputs.size(); ++i) {
    for (size_t k = 0; k < legacy.outputs[i].size(); ++k) {
      if (legacy.outputs[i][k].dtype() == DataType::kUndefined) continue;
      CompareResult(call, i, ours.outputs[i][k], legacy.outputs[i][k],
                    measurement.sample, row);
    }
  }
  row->seconds += ours.seconds;
  row->legacy_seconds += legacy.seconds;
  return absl::OkStatus();
}

// Calls of the same operator with other kinds of tensors, where it has kernels
// of both origins for them: with a gradient that is SelectedRows, and of one
// that yields SelectedRows.
std::vector<OpCall> WithRows(const OpCall& call, DataType dtype) {
  const phi::OpKernels& row = *phi::KernelTables::Current().Find(call.op->name);
  const int sparse = call.op->attr_index("sparse");
  std::set<int> inputs;  // A device has the same kernels as the CPU.
  bool yields_rows = false;
  for (const phi::KernelDef* kernel : row.candidates(dtype)) {
    if (kernel->origin != phi::KernelOrigin::kFluid) continue;
    for (size_t i = 0; i < kernel->inputs.size(); ++i) {
      if (kernel->inputs[i].kind != TensorKind::kSelectedRows) continue;
      const DenseTensor& values = call.inputs[i].front();
      if (values.rank() > 0 && values.allocated()) {
        inputs.insert(static_cast<int>(i));
      }
    }
    for (const phi::ArgDef& output : kernel->outputs) {
      yields_rows = yields_rows || output.kind == TensorKind::kSelectedRows;
    }
  }
  std::vector<OpCall> calls(inputs.size(), call);
  size_t next = 0;
  for (const int input : inputs) calls[next++].rows_input = input;
  if (yields_rows && sparse >= 0) {
    calls.push_back(call);
    calls.back().attrs[sparse] = true;
  }
  return calls;
}

// Runs the call, and its gradient's, on both kinds of kernels.
absl::Status MeasureCall(const DialectOp& op, const OpCall& call,
                         const Measurement& measurement) {
  Ledger& ledger = *measurement.ledger;
  const auto run = RunOn(phi::KernelOrigin::kPhi, call, measurement.options);
  // A sample need not be one in another dtype: statistics of a float16 tensor
  // are float32, and a gradient of integers there is none.
  if (!run.ok()) return absl::OkStatus();
  const Outcome& ours = *run;
  const auto row = ledger.find({op.info->name, measurement.dtype});
  if (row != ledger.end()) {
    SY_RETURN_IF_ERROR(CompareKernels(call, ours, measurement, &row->second));
    for (const OpCall& other : WithRows(call, measurement.dtype)) {
      SY_ASSIGN_OR_RETURN(
          const Outcome rows,
          RunOn(phi::KernelOrigin::kPhi, other, measurement.options));
      SY_RETURN_IF_ERROR(
          CompareKernels(other, rows, measurement, &row->second));
    }
  }
  if (op.backward == nullptr ||
      ledger.count({op.backward->info->name, measurement.dtype}) == 0) {
    return absl::OkStatus();
  }
  return MeasureCall(*op.backward, BackwardCall(*op.grad, call, ours.outputs),
                     measurement);
}

// A tensor of every number of a dtype of two bytes.
DenseTensor EveryNumber(DataType dtype) {
  constexpr int kCount = 1 << 16;
  DenseTensor all = EmptyTensor(dtype, Shape({kCount}));
  auto* bits = static_cast<uint16_t*>(const_cast<void*>(all.raw_data()));
  for (int i = 0; i < kCount; ++i) bits[i] = static_cast<uint16_t>(i);
  return all;
}

// True for functions of one number whose numbers have two bytes.
bool TakesEveryNumber(const OpInfo& op, DataType dtype) {
  return ElementSize(dtype) == 2 && IsFloating(dtype) &&
         op.inputs.size() == 1 && op.has(phi::Trait::kElementwise);
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
  const OpCall call{sample.op, ByArgument(inputs, parsed.tensors().segments()),
                    std::vector<AttrRef>(attrs.begin(), attrs.end())};
  SY_RETURN_IF_ERROR(MeasureCall(op, call, measurement));
  if (!TakesEveryNumber(*op.info, measurement.dtype)) return absl::OkStatus();
  OpCall all = call;
  all.inputs[0] = {EveryNumber(measurement.dtype)};
  return MeasureCall(op, all, measurement);
}

// The operator's first kernel of an origin for a dtype, of a backend that is
// admitted by default: reference kernels are no twins. Null if it has none.
const phi::KernelDef* FindKernel(const phi::OpKernels& row, DataType dtype,
                                 phi::KernelOrigin origin) {
  for (const phi::KernelDef* kernel : row.candidates(dtype)) {
    if (kernel->origin == origin && kernel->key.backend->by_default) {
      return kernel;
    }
  }
  return nullptr;
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

// A row for each operator and dtype with both kinds of kernels.
Ledger FindPairs() {
  Ledger ledger;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    for (int i = 0; i < kNumDataTypes; ++i) {
      const auto dtype = static_cast<DataType>(i);
      const auto* legacy = FindKernel(*row, dtype, phi::KernelOrigin::kFluid);
      const auto* ours = FindKernel(*row, dtype, phi::KernelOrigin::kPhi);
      if (legacy == nullptr || ours == nullptr) continue;
      ParityRow& pair = ledger[{row->op, dtype}];
      pair.op = row->op;
      pair.dtype = dtype;
      pair.source = SourceOf(*ours);
      pair.legacy_source = SourceOf(*legacy);
    }
  }
  return ledger;
}

}  // namespace

absl::StatusOr<std::vector<ParityRow>> MeasureParity(
    const ParityOptions& options) {
  Ledger ledger = FindPairs();
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
  for (const auto& [key, row] : ledger) {
    if (options.op.empty() || row.results > 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace switchyard
