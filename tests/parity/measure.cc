// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "framework/device/transfer.h"
#include "framework/testing/tensors.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/call.h"
#include "phi/selection/call_parser.h"
#include "tests/parity/compare.h"
#include "tests/samples/backward_calls.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using phi::GradSource;
using phi::OpInfo;
using static_graph::DialectOp;
using Tensors = std::vector<DenseTensor>;
using Ledger = std::map<std::pair<std::string, DataType>, ParityRow>;

constexpr std::pair<std::string_view, Bound> kRoundingOperators[] = {
    {"elementwise_add_grad", Bound::kUlpsOfSum},
    {"softmax", Bound::kUlpsOfAxis},
    {"softmax_grad", Bound::kUlpsOfAxis},
};

// Tensors by argument; without dtype where an optional one is absent.
struct OpCall {
  const OpInfo* op;
  std::vector<Tensors> inputs;
  std::vector<AttrRef> attrs;
};

// The settings of a sample's calls.
struct Measurement {
  const SampleCall& sample;
  DataType dtype;
  const ParityOptions& options;
  Ledger* ledger;
};

// The outputs of a call by argument, on the host, and how long it took.
struct Outcome {
  std::vector<Tensors> outputs;
  double seconds = std::numeric_limits<double>::infinity();
};

// Tensors one after the other, and their arguments.
struct Flat {
  explicit Flat(const std::vector<Tensors>& arguments) {
    for (const Tensors& argument : arguments) {
      layout.Add(argument.size());
      for (const DenseTensor& tensor : argument) {
        const bool there = tensor.dtype() != DataType::kUndefined;
        tensors.push_back(there ? &tensor : nullptr);
      }
    }
  }
  phi::ArgList<const TensorBase* const> view() const {
    return {tensors, layout.segments()};
  }

  std::vector<const TensorBase*> tensors;
  phi::ArgLayout layout;
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

// Returns copies of the tensors on `place`.
absl::StatusOr<std::vector<Tensors>> MovedTo(
    Place place, const std::vector<Tensors>& arguments) {
  std::vector<Tensors> moved = arguments;
  for (Tensors& argument : moved) {
    for (DenseTensor& tensor : argument) {
      if (!tensor.allocated() || tensor.place() == place) continue;
      const std::shared_ptr<const LoD> lod = tensor.lod();
      SY_ASSIGN_OR_RETURN(tensor, Transferred(tensor, place));
      tensor.SetLod(lod);
    }
  }
  return moved;
}

// Runs a kernel of `origin` once.
absl::StatusOr<Outcome> RunOnce(const OpCall& call, phi::KernelOrigin origin) {
  const phi::OpKernels* row = phi::KernelTables::Current().Find(call.op->name);
  if (row == nullptr) {
    return ArgumentError("op", "an operator with kernels", call.op->name);
  }
  phi::selection::Policy policy;
  policy.origin = origin;
  const phi::dispatch::PolicyScope scope(policy);
  const Flat inputs(call.inputs);
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(
      LayOutOutputs(*call.op, inputs.view().segments(), call.attrs, &layout));
  Tensors outputs(layout.size());
  std::vector<TensorBase*> results;
  for (DenseTensor& output : outputs) results.push_back(&output);
  phi::dispatch::Call dispatched(
      *call.op, {inputs.view(), call.attrs, {results, layout.segments()}});
  const auto begin = std::chrono::steady_clock::now();
  SY_RETURN_IF_ERROR(dispatched.Run(*row));
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  return Outcome{ByArgument(outputs, layout.segments()), took.count()};
}

// The outputs of a kernel of `origin`, and the least time of several runs.
absl::StatusOr<Outcome> Run(const OpCall& call, phi::KernelOrigin origin,
                            const ParityOptions& options) {
  OpCall there = call;
  SY_ASSIGN_OR_RETURN(there.inputs, MovedTo(options.place, call.inputs));
  Outcome best;
  for (int i = 0; i < options.repeats; ++i) {
    SY_ASSIGN_OR_RETURN(Outcome outcome, RunOnce(there, origin));
    outcome.seconds = std::min(outcome.seconds, best.seconds);
    best = std::move(outcome);
  }
  SY_ASSIGN_OR_RETURN(best.outputs, MovedTo(Place::Cpu(), best.outputs));
  return best;
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

// For each element of a result, the magnitude whose ULP its bound is given in.
std::vector<double> Magnitudes(const OpCall& call, const DenseTensor& legacy,
                               Bound* bound) {
  if (*bound == Bound::kUlpsOfSum) {
    const DenseTensor& terms =
        call.inputs[call.op->input_index("out_grad")].front();
    if (terms.shape() == legacy.shape()) *bound = Bound::kBits;
    const int axis = call.attrs[call.op->attr_index("axis")].Get<int>();
    return LargestSummed(terms, legacy, axis);
  }
  if (*bound == Bound::kUlpsOfAxis) {
    const int axis = call.attrs[call.op->attr_index("axis")].Get<int>();
    return LargestAlong(legacy, axis);
  }
  return std::vector<double>(static_cast<size_t>(legacy.numel()));
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
                               comparison.ulps <= kMaxUlps);
  ++row->results;
  if (comparison.identical) ++row->identical;
  if (!near) ++row->outside;
  row->ulps = std::max(row->ulps, comparison.ulps);
  if (comparison.identical || row->first_difference.has_value()) return;
  Difference& first = row->first_difference.emplace();
  first.call = absl::StrCat(std::string(sample.op->name), " ", sample.text);
  first.output =
      absl::StrCat(std::string(call.op->outputs[i].name), " ",
                   std::string(Name(legacy.dtype())), ToString(legacy.shape()));
  first.index = comparison.first_difference;
  if (first.index < 0) return;
  first.ours = ToDoubles(ours)[first.index];
  first.legacy = ToDoubles(legacy)[first.index];
}

// Runs the call, and its gradient's, on both kinds of kernels.
absl::Status MeasureCall(const DialectOp& op, const OpCall& call,
                         const Measurement& measurement) {
  Ledger& ledger = *measurement.ledger;
  SY_ASSIGN_OR_RETURN(const Outcome ours,
                      Run(call, phi::KernelOrigin::kPhi, measurement.options));
  const auto row = ledger.find({op.info->name, measurement.dtype});
  if (row != ledger.end()) {
    SY_ASSIGN_OR_RETURN(
        const Outcome legacy,
        Run(call, phi::KernelOrigin::kFluid, measurement.options));
    for (size_t i = 0; i < legacy.outputs.size(); ++i) {
      for (size_t k = 0; k < legacy.outputs[i].size(); ++k) {
        CompareResult(call, i, ours.outputs[i][k], legacy.outputs[i][k],
                      measurement.sample, &row->second);
      }
    }
    row->second.seconds += ours.seconds;
    row->second.legacy_seconds += legacy.seconds;
  }
  if (op.backward == nullptr ||
      ledger.count({op.backward->info->name, measurement.dtype}) == 0) {
    return absl::OkStatus();
  }
  return MeasureCall(*op.backward, BackwardCall(*op.grad, call, ours.outputs),
                     measurement);
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
  for (TensorMeta& meta : parsed.metas()) {
    if (meta.dtype == key) meta.dtype = measurement.dtype;
  }
  const Tensors inputs = SampleTensors(sample, parsed);
  const auto attrs = parsed.attrs();
  const OpCall call{sample.op, ByArgument(inputs, parsed.tensors().segments()),
                    std::vector<AttrRef>(attrs.begin(), attrs.end())};
  return MeasureCall(op, call, measurement);
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
// "./".
std::string SourceOf(const phi::KernelDef& kernel) {
  return std::string(absl::StripPrefix(kernel.file, "./"));
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

Bound GetBound(std::string_view op) {
  for (const auto& [name, bound] : kRoundingOperators) {
    if (name == op) return bound;
  }
  return Bound::kBits;
}

absl::StatusOr<std::vector<ParityRow>> MeasureParity(
    const ParityOptions& options) {
  Ledger ledger = FindPairs();
  SY_ASSIGN_OR_RETURN(const std::vector<SampleCall> calls,
                      ReadSampleCalls(options.samples));
  for (const SampleCall& sample : calls) {
    if (!sample.valid || !sample.run_by.empty()) continue;
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
  for (const auto& [key, row] : ledger) rows.push_back(row);
  return rows;
}

}  // namespace switchyard
