// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lod_tensor_to_array and its gradient on the CPU.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/tensor_array.h"
#include "phi/core/signatures/lod_tensor_to_array.gen.h"
#include "phi/core/signatures/lod_tensor_to_array_grad.gen.h"
#include "phi/fluid/ranked/rank_table.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/lod_tensor_to_array.gen.h"
#include "phi/legacy/lod_tensor_to_array_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

template <typename T>
class LodTensorToArrayCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t>* offsets,
                        RankedOffsets(context, table));
    if (table.steps() > TensorArray::kMaxLength) {
      return ArgumentError("x",
                           "of sequences of at most " +
                               std::to_string(TensorArray::kMaxLength) +
                               " steps",
                           std::to_string(table.steps()));
    }
    const size_t below = x.lod()->offsets.size() - table.level() - 1;
    std::vector<SequenceJoiner> steps(table.steps(), SequenceJoiner(below));
    ForEachStepRanked(x, table, *offsets,
                      [&](int64_t step, const SubSequences& part) {
                        steps[step].Append(part);
                      });
    std::vector<DenseTensor> elements;
    for (SequenceJoiner& step : steps) {
      SY_ASSIGN_OR_RETURN(
          elements.emplace_back(),
          DenseTensor::Allocate(x.dtype(), WithRows(x.shape(), step.rows()),
                                context.device().allocator()));
      if (below == 0) continue;
      elements.back().SetLod(
          std::make_shared<const LoD>(LoD{step.TakeOffsets()}));
    }
    Fill(x, table, *offsets, &elements);
    std::vector<TensorArray::Element> kept;
    for (DenseTensor& element : elements) {
      kept.push_back(std::make_shared<const DenseTensor>(std::move(element)));
    }
    Shape shape = x.shape();
    shape[0] = Dim::Unknown();
    *context.OutputArray("Out") =
        TensorArray(x.dtype(), shape, context.device().place(),
                    ElementList(std::move(kept)));
    return absl::OkStatus();
  }

 private:
  static void Fill(const DenseTensor& x, const RankTable& table,
                   const std::vector<int64_t>& offsets,
                   std::vector<DenseTensor>* elements) {
    const int64_t width = RowWidth(x);
    std::vector<T*> to;
    for (DenseTensor& element : *elements) {
      to.push_back(element.mutable_data<T>());
    }
    ForEachStepRanked(x, table, offsets,
                      [&](int64_t step, const SubSequences& part) {
                        to[step] = std::copy_n(x.data<T>() + part.begin * width,
                                               part.rows() * width, to[step]);
                      });
  }
};

// Where the gradient has no element, or none that is long enough, it is zero.
template <typename T>
class LodTensorToArrayGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const TensorArray& out_grad = *context.InputArray("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t>* offsets,
                        RankedOffsets(context, table));
    const int64_t width = RowWidth(x);
    T* const to = x_grad->template mutable_data<T>();
    std::fill_n(to, x_grad->numel(), T{0});
    std::vector<int64_t> read(static_cast<size_t>(table.steps()), 0);
    absl::Status status;
    ForEachStepRanked(
        x, table, *offsets, [&](int64_t step, const SubSequences& part) {
          const DenseTensor* element = step < out_grad.length()
                                           ? out_grad.elements()[step].get()
                                           : nullptr;
          if (element == nullptr || !status.ok()) return;
          const int64_t count = part.rows() * width;
          if (read[step] + count > element->numel()) {
            status = ArgumentError("out_grad", "of elements like the result's",
                                   ToString(element->shape()));
            return;
          }
          std::copy_n(element->data<T>() + read[step], count,
                      to + part.begin * width);
          read[step] += count;
        });
    return status;
  }
};

}  // namespace fluid

constexpr auto kLodTensorToArraySpec =
    KernelSpec<LodTensorToArraySignature>()
        .Input(LodTensorToArraySignature::kRankTable, Fixed(DataType::kInt64))
        .Output(LodTensorToArraySignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(lod_tensor_to_array, cpu,
                         fluid::LodTensorToArrayCpuKernel,
                         legacy_lod_tensor_to_array, kLodTensorToArraySpec,
                         int32, int64, float32, float64);

constexpr auto kLodTensorToArrayGradSpec =
    KernelSpec<LodTensorToArrayGradSignature>()
        .Input(LodTensorToArrayGradSignature::kRankTable,
               Fixed(DataType::kInt64))
        .Input(LodTensorToArrayGradSignature::kOutGrad, AnyStrides());
SY_REGISTER_FLUID_KERNEL(lod_tensor_to_array_grad, cpu,
                         fluid::LodTensorToArrayGradCpuKernel,
                         legacy_lod_tensor_to_array_grad,
                         kLodTensorToArrayGradSpec, float32, float64);

}  // namespace switchyard::phi
