// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/measure.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

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

// The outputs by argument, of a kernel of `origin`.
absl::StatusOr<std::vector<Tensors>> Run(const OpCall& call,
                                         phi::KernelOrigin origin) {
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
  SY_RETURN_IF_ERROR(dispatched.Run(*row));
  return ByArgument(outputs, layout.segments());
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

void CompareResult(const OpCall& call, const DenseTensor& ours,
                   const DenseTensor& legacy, ParityRow* row) {
  Bound bound = GetBound(call.op->name);
  std::vector<double> magnitudes;
  if (bound == Bound::kUlpsOfSum) {
    const DenseTensor& terms =
        call.inputs[call.op->input_index("out_grad")].front();
    if (terms.shape() == legacy.shape()) bound = Bound::kBits;
    const int axis = call.attrs[call.op->attr_index("axis")].Get<int>();
    magnitudes = LargestSummed(terms, legacy, axis);
  } else if (bound == Bound::kUlpsOfAxis) {
    const int axis = call.attrs[call.op->attr_index("axis")].Get<int>();
    magnitudes = LargestAlong(legacy, axis);
  } else {
    magnitudes.resize(static_cast<size_t>(legacy.numel()));
  }
  const Comparison comparison = Compare(ours, legacy, magnitudes);
  const bool near =
      comparison.identical || (bound != Bound::kBits && comparison.same_meta &&
                               comparison.ulps <= kMaxUlps);
  ++row->results;
  if (comparison.identical) ++row->identical;
  if (!near) ++row->outside;
  row->ulps = std::max(row->ulps, comparison.ulps);
}

// Runs the call, and its gradient's, on both kinds of kernels.
absl::Status MeasureCall(const DialectOp& op, const OpCall& call,
                         DataType dtype, Ledger* ledger) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensors> ours,
                      Run(call, phi::KernelOrigin::kPhi));
  const auto row = ledger->find({op.info->name, dtype});
  if (row != ledger->end()) {
    SY_ASSIGN_OR_RETURN(const std::vector<Tensors> legacy,
                        Run(call, phi::KernelOrigin::kFluid));
    for (size_t i = 0; i < legacy.size(); ++i) {
      for (size_t k = 0; k < legacy[i].size(); ++k) {
        CompareResult(call, ours[i][k], legacy[i][k], &row->second);
      }
    }
  }
  if (op.backward == nullptr ||
      ledger->count({op.backward->info->name, dtype}) == 0) {
    return absl::OkStatus();
  }
  return MeasureCall(*op.backward, BackwardCall(*op.grad, call, ours), dtype,
                     ledger);
}

// The sample with the tensors of its key dtype in `dtype` instead.
absl::Status MeasureSample(const SampleCall& sample, const DialectOp& op,
                           DataType dtype, Ledger* ledger) {
  SY_ASSIGN_OR_RETURN(auto parsed,
                      phi::selection::ParseCall(*sample.op, sample.inputs,
                                                sample.attrs, Place::Cpu()));
  SY_ASSIGN_OR_RETURN(const auto query, parsed.MakeQuery(Place::Cpu()));
  const DataType key = query.dtype;
  for (TensorMeta& meta : parsed.metas()) {
    if (meta.dtype == key) meta.dtype = dtype;
  }
  const Tensors inputs = SampleTensors(sample, parsed);
  const auto attrs = parsed.attrs();
  const OpCall call{sample.op, ByArgument(inputs, parsed.tensors().segments()),
                    std::vector<AttrRef>(attrs.begin(), attrs.end())};
  return MeasureCall(op, call, dtype, ledger);
}

bool HasKernel(const phi::OpKernels& row, DataType dtype,
               phi::KernelOrigin origin) {
  const auto candidates = row.candidates(dtype);
  return std::any_of(
      candidates.begin(), candidates.end(),
      [&](const phi::KernelDef* kernel) { return kernel->origin == origin; });
}

// A row for each operator and dtype with both kinds of kernels.
Ledger FindPairs() {
  Ledger ledger;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    for (int i = 0; i < kNumDataTypes; ++i) {
      const auto dtype = static_cast<DataType>(i);
      if (HasKernel(*row, dtype, phi::KernelOrigin::kFluid) &&
          HasKernel(*row, dtype, phi::KernelOrigin::kPhi)) {
        ledger[{row->op, dtype}] = ParityRow{row->op, dtype};
      }
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
    const std::string& samples) {
  Ledger ledger = FindPairs();
  SY_ASSIGN_OR_RETURN(const std::vector<SampleCall> calls,
                      ReadSampleCalls(samples));
  for (const SampleCall& sample : calls) {
    if (!sample.valid || !sample.run_by.empty()) continue;
    const DialectOp& op = *FindDialectRecord(*sample.op);
    for (int i = 0; i < kNumDataTypes; ++i) {
      const auto dtype = static_cast<DataType>(i);
      const bool backward = op.backward != nullptr &&
                            ledger.count({op.backward->info->name, dtype}) > 0;
      if (!backward && ledger.count({sample.op->name, dtype}) == 0) continue;
      SY_RETURN_IF_ERROR(
          Annotate(MeasureSample(sample, op, dtype, &ledger), sample.text));
    }
  }
  std::vector<ParityRow> rows;
  for (const auto& [key, row] : ledger) rows.push_back(row);
  return rows;
}

}  // namespace switchyard
