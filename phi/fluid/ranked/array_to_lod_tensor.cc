// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of array_to_lod_tensor and its gradient on the CPU.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/tensor_array.h"
#include "phi/core/signatures/array_to_lod_tensor.gen.h"
#include "phi/core/signatures/array_to_lod_tensor_grad.gen.h"
#include "phi/fluid/ranked/rank_table.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/array_to_lod_tensor.gen.h"
#include "phi/legacy/array_to_lod_tensor_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Checks the elements of the steps that the table has: each is there, like the
// first, with levels as many, and a row or a sequence for each of the step.
absl::Status CheckElements(const TensorArray& array, const RankTable& table) {
  if (array.length() < table.steps()) {
    return ArgumentError("array",
                         "of at least " + std::to_string(table.steps()) +
                             " elements, the steps of rank_table",
                         std::to_string(array.length()));
  }
  for (int64_t step = 0; step < table.steps(); ++step) {
    const DenseTensor* element = array.elements()[step].get();
    const DenseTensor* first = array.elements()[0].get();
    if (element == nullptr) {
      return ArgumentError("array", "written at each position",
                           "nothing at " + std::to_string(step));
    }
    const LoD* lod = element->lod().get();
    if (lod != nullptr) {
      SY_RETURN_IF_ERROR(Annotate(Validate(*lod, element->extent(0)), "array"));
    }
    const size_t levels = lod == nullptr ? 0 : lod->offsets.size();
    const size_t wanted =
        first->lod() == nullptr ? 0 : first->lod()->offsets.size();
    if (WithRows(element->shape(), 0) != WithRows(first->shape(), 0) ||
        levels != wanted || CountAt(*element, 0) < table.SequencesAt(step)) {
      return ArgumentError("array",
                           "of elements like " + ToString(first->shape()) +
                               " with " +
                               std::to_string(table.SequencesAt(step)) +
                               " rows or sequences at " + std::to_string(step),
                           ToString(element->shape()));
    }
  }
  return absl::OkStatus();
}

// Calls visit(step, part of its element) for each step of each sequence, one
// sequence after another as they were before they were ranked. The elements
// pass CheckElements.
template <typename Visit>
void ForEachStepInOrder(const TensorArray& array, const RankTable& table,
                        const Visit& visit) {
  std::vector<int64_t> ranks(table.items.size());
  for (int64_t rank = 0; rank < table.size(); ++rank) {
    ranks[table.items[rank].index] = rank;
  }
  for (const int64_t rank : ranks) {
    for (int64_t step = 0; step < table.items[rank].length; ++step) {
      visit(step, SubSequencesOf(array.elements()[step]->lod().get(), 0, rank,
                                 rank + 1));
    }
  }
}

// The sequences of the result.
struct Joined {
  int64_t rows = 0;
  LoD lod;
};

Joined Join(const TensorArray& array, const RankTable& table) {
  const bool nested =
      table.steps() > 0 && array.elements()[0]->lod() != nullptr;
  SequenceJoiner joiner(nested ? array.elements()[0]->lod()->offsets.size()
                               : 0);
  ForEachStepInOrder(array, table, [&](int64_t, const SubSequences& part) {
    joiner.Append(part);
  });
  Joined joined;
  joined.rows = joiner.rows();
  if (table.above != nullptr) joined.lod = *table.above;
  std::vector<int64_t> lengths(table.items.size());
  for (const RankTable::Item& item : table.items) {
    lengths[item.index] = item.length;
  }
  Offsets own = {0};
  for (const int64_t length : lengths) AppendSequence(length, &own);
  joined.lod.offsets.push_back(std::move(own));
  for (Offsets& below : joiner.TakeOffsets()) {
    joined.lod.offsets.push_back(std::move(below));
  }
  return joined;
}

// The shape of the result: an element's; extents that no element tells are 0.
Shape ShapeOf(const TensorArray& array, int64_t rows) {
  const bool empty = array.length() == 0 || array.elements()[0] == nullptr;
  Shape shape = empty ? array.element_shape() : array.elements()[0]->shape();
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (!shape[axis].known()) shape[axis] = Dim(0);
  }
  return WithRows(shape, rows);
}

}  // namespace

template <typename T>
class ArrayToLodTensorCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const TensorArray& array = *context.InputArray("X");
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
    SY_RETURN_IF_ERROR(CheckElements(array, table));
    Joined joined = Join(array, table);
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", array.dtype(), ShapeOf(array, joined.rows)));
    DenseTensor* out = context.Output("Out");
    const int64_t width = RowWidth(*out);
    T* to = out->mutable_data<T>();
    ForEachStepInOrder(array, table, [&](int64_t step, const SubSequences& p) {
      to = std::copy_n(array.elements()[step]->data<T>() + p.begin * width,
                       p.rows() * width, to);
    });
    context.SetLod("Out", std::move(joined.lod));
    return absl::OkStatus();
  }
};

template <typename T>
class ArrayToLodTensorGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const TensorArray& array = *context.InputArray("X");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    TensorArray* array_grad = context.OutputArray("X@GRAD");
    if (array_grad == nullptr) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
    SY_RETURN_IF_ERROR(CheckElements(array, table));
    SY_RETURN_IF_ERROR(CheckRows(out_grad, Join(array, table).rows));
    const int64_t width = RowWidth(out_grad);
    std::vector<DenseTensor> grads;
    for (int64_t step = 0; step < table.steps(); ++step) {
      SY_ASSIGN_OR_RETURN(
          grads.emplace_back(),
          DenseTensor::Allocate(array.dtype(), array.elements()[step]->shape(),
                                context.device().allocator()));
      std::fill_n(grads.back().mutable_data<T>(), grads.back().numel(), T{0});
    }
    const T* from = out_grad.data<T>();
    ForEachStepInOrder(array, table, [&](int64_t step, const SubSequences& p) {
      std::copy_n(from, p.rows() * width,
                  grads[step].template mutable_data<T>() + p.begin * width);
      from += p.rows() * width;
    });
    ElementList elements(static_cast<size_t>(array.length()));
    for (size_t step = 0; step < grads.size(); ++step) {
      elements.Set(step,
                   std::make_shared<const DenseTensor>(std::move(grads[step])));
    }
    *array_grad = TensorArray(array.dtype(), array.element_shape(),
                              context.device().place(), std::move(elements));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kArrayToLodTensorSpec =
    KernelSpec<ArrayToLodTensorSignature>()
        .Input(ArrayToLodTensorSignature::kArray, AnyStrides())
        .Input(ArrayToLodTensorSignature::kRankTable, Fixed(DataType::kInt64))
        .Output(ArrayToLodTensorSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(array_to_lod_tensor, cpu,
                         fluid::ArrayToLodTensorCpuKernel,
                         legacy_array_to_lod_tensor, kArrayToLodTensorSpec,
                         int32, int64, float32, float64);

constexpr auto kArrayToLodTensorGradSpec =
    KernelSpec<ArrayToLodTensorGradSignature>()
        .Input(ArrayToLodTensorGradSignature::kArray, AnyStrides())
        .Input(ArrayToLodTensorGradSignature::kRankTable,
               Fixed(DataType::kInt64))
        .Output(ArrayToLodTensorGradSignature::kArrayGrad,
                SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(array_to_lod_tensor_grad, cpu,
                         fluid::ArrayToLodTensorGradCpuKernel,
                         legacy_array_to_lod_tensor_grad,
                         kArrayToLodTensorGradSpec, float32, float64);

}  // namespace switchyard::phi
