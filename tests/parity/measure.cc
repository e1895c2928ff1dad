// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/op_row.h"
#include "phi/core/signatures/elementwise_add.gen.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/core/signatures/softmax_grad.gen.h"
#include "phi/dispatch/call.h"
#include "tests/parity/samples.h"

namespace switchyard {
namespace {

using Tensors = std::vector<DenseTensor>;

// What the gradient reads, after the forward call's inputs and output.
enum class GradientInputs { kOutput, kInputs };

struct Pair {
  const char* samples;
  const phi::OpInfo* forward;
  const phi::OpInfo* backward;
  GradientInputs reads;
};
constexpr Pair kPairs[] = {
    {"tests/samples/activation.yaml", &phi::info_softmax,
     &phi::info_softmax_grad, GradientInputs::kOutput},
    {"tests/samples/legacy.yaml", &phi::info_elementwise_add,
     &phi::info_elementwise_add_grad, GradientInputs::kInputs},
};

absl::StatusOr<Tensors> Run(const phi::OpInfo& info, const Tensors& inputs,
                            absl::Span<const AttrRef> attrs, phi::Form form) {
  const phi::OpRow* row = phi::LinkedKernels().Find(info.name);
  if (row == nullptr) return absl::NotFoundError(info.name);
  phi::selection::Policy policy;
  policy.form = form;
  const phi::dispatch::PolicyScope scope(policy);
  std::vector<const TensorBase*> in;
  for (const DenseTensor& input : inputs) in.push_back(&input);
  Tensors outputs(info.outputs.size());
  std::vector<TensorBase*> out;
  for (DenseTensor& output : outputs) out.push_back(&output);
  phi::dispatch::Call call(info, in, attrs, out);
  SY_RETURN_IF_ERROR(call.Run(*row));
  return outputs;
}

template <typename T>
void CompareElements(const DenseTensor& ours, const DenseTensor& legacy,
                     ParityRow* row) {
  const std::vector<T> a = ToVector<T>(ours);
  const std::vector<T> b = ToVector<T>(legacy);
  for (size_t i = 0; i < a.size(); ++i) {
    row->ulps = std::max(row->ulps, UlpDistance(a[i], b[i]));
    row->difference =
        std::max(row->difference, static_cast<double>(std::abs(a[i] - b[i])));
  }
}

void Compare(const DenseTensor& ours, const DenseTensor& legacy,
             ParityRow* row) {
  ++row->results;
  if (ours.dtype() != legacy.dtype() || ours.shape() != legacy.shape() ||
      ours.layout() != legacy.layout() ||
      ours.contiguous() != legacy.contiguous()) {
    row->same_meta = false;
    return;
  }
  if (TensorsIdentical(ours, legacy)) ++row->identical;
  if (row->dtype == DataType::kFloat32) {
    CompareElements<float>(ours, legacy, row);
  } else {
    CompareElements<double>(ours, legacy, row);
  }
}

// Runs both forms on the same inputs and returns what ours yields.
absl::StatusOr<Tensors> RunBoth(const phi::OpInfo& info, const Tensors& inputs,
                                absl::Span<const AttrRef> attrs,
                                ParityRow* row) {
  SY_ASSIGN_OR_RETURN(Tensors ours, Run(info, inputs, attrs, phi::Form::kPhi));
  SY_ASSIGN_OR_RETURN(const Tensors legacy,
                      Run(info, inputs, attrs, phi::Form::kFluid));
  for (size_t i = 0; i < ours.size(); ++i) Compare(ours[i], legacy[i], row);
  return ours;
}

absl::Status MeasurePair(const std::string& root, const Pair& pair,
                         ParityRow* forward, ParityRow* backward) {
  SY_ASSIGN_OR_RETURN(const std::vector<ParitySample> samples,
                      ReadSamples(root + "/" + pair.samples, *pair.forward));
  uint64_t seed = 0;
  for (const ParitySample& sample : samples) {
    Tensors inputs;
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      inputs.push_back(SampleTensor(forward->dtype, sample.inputs[i],
                                    sample.strided[i], ++seed));
    }
    SY_ASSIGN_OR_RETURN(Tensors outputs,
                        RunBoth(*pair.forward, inputs, sample.attrs, forward));
    Tensors gradient_inputs =
        pair.reads == GradientInputs::kInputs ? inputs : outputs;
    gradient_inputs.push_back(SampleTensor(forward->dtype, outputs[0].shape(),
                                           /*strided=*/false, ++seed));
    SY_RETURN_IF_ERROR(
        RunBoth(*pair.backward, gradient_inputs, sample.attrs, backward)
            .status());
  }
  return absl::OkStatus();
}

}  // namespace

bool ParityRow::passes() const {
  const double epsilon = dtype == DataType::kFloat32
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  return same_meta && (ulps <= 8 || difference <= 8 * epsilon);
}

absl::StatusOr<std::vector<ParityRow>> MeasureParity(const std::string& root) {
  std::vector<ParityRow> rows;
  for (const Pair& pair : kPairs) {
    for (const DataType dtype : {DataType::kFloat32, DataType::kFloat64}) {
      ParityRow forward{pair.forward->name, dtype};
      ParityRow backward{pair.backward->name, dtype};
      SY_RETURN_IF_ERROR(MeasurePair(root, pair, &forward, &backward));
      rows.push_back(std::move(forward));
      rows.push_back(std::move(backward));
    }
  }
  return rows;
}

}  // namespace switchyard
