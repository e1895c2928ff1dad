// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of merge_selected_rows on the CPU.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/signatures/merge_selected_rows.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/merge_selected_rows.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: each row of X once, with the sum of its values. Where rows occur more
// than once, they are added to zeros in the order in which they stand.
template <typename T>
class MergeSelectedRowsKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const SelectedRows& x = *context.InputRows("X");
    std::vector<int64_t> merged = x.rows();
    std::sort(merged.begin(), merged.end());
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    if (!merged.empty() &&
        (merged.front() < 0 || merged.back() >= x.height())) {
      return RangeError(
          context.ArgumentName("X"),
          "of rows in [0, " + std::to_string(x.height()) + ")",
          std::to_string(merged.front() < 0 ? merged.front() : merged.back()));
    }
    Shape shape = x.values().shape();
    shape[0] = Dim(static_cast<int64_t>(merged.size()));
    SY_ASSIGN_OR_RETURN(
        DenseTensor values,
        DenseTensor::Allocate(x.dtype(), shape, context.device().allocator()));
    T* const sums = values.template mutable_data<T>();
    std::fill_n(sums, values.numel(), T{0});
    const int64_t width =
        merged.empty() ? 0
                       : values.numel() / static_cast<int64_t>(merged.size());
    const bool once = merged.size() == x.rows().size();
    const T* from = x.values().template data<T>();
    for (const int64_t row : x.rows()) {
      const auto at = std::lower_bound(merged.begin(), merged.end(), row);
      T* const to = sums + (at - merged.begin()) * width;
      for (int64_t i = 0; i < width; ++i, ++from) {
        to[i] = once ? *from : to[i] + *from;
      }
    }
    *context.OutputRows("Out") =
        SelectedRows(x.height(), std::move(merged), std::move(values));
    return absl::OkStatus();
  }
};

// A dense gradient has each row once.
template <typename T>
class MergeDenseKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    std::copy_n(x.data<T>(), x.numel(),
                context.Output("Out")->template mutable_data<T>());
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kDenseSpec = KernelSpec<MergeDenseSignature>();
SY_REGISTER_FLUID_KERNEL(merge_dense, cpu, fluid::MergeDenseKernel,
                         legacy_merge_selected_rows, kDenseSpec, float32,
                         float64);
constexpr auto kRowsSpec = KernelSpec<MergeSelectedRowsSignature>().Output(
    MergeSelectedRowsSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(merge_selected_rows, cpu,
                         fluid::MergeSelectedRowsKernel,
                         legacy_merge_selected_rows, kRowsSpec, float32,
                         float64);

}  // namespace switchyard::phi
