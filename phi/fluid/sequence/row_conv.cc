// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of row_conv and its gradient on the CPU.
#include <algorithm>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/row_conv.gen.h"
#include "phi/core/signatures/row_conv_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/row_conv.gen.h"
#include "phi/legacy/row_conv_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Where the sequences of X begin, as rows: those of its LoD, or the items of a
// batch [batch, steps, width].
absl::StatusOr<Offsets> RowSequences(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  if (x.rank() == 2) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    return lod->offsets.back();
  }
  Offsets offsets = {0};
  for (int64_t i = 0; i < x.extent(0); ++i) {
    AppendSequence(x.extent(1), &offsets);
  }
  return offsets;
}

// Calls visit(row, later row, row of the filter) for each pair of rows of one
// sequence that the filter, of `context_rows` rows, connects.
template <typename Visit>
void ForEachPair(const Offsets& offsets, int64_t context_rows,
                 const Visit& visit) {
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      const int64_t last = std::min(offsets[i + 1], row + context_rows);
      for (int64_t later = row; later < last; ++later) {
        visit(row, later, later - row);
      }
    }
  }
}

}  // namespace

// Out: row t is the sum over k of row t + k of X times row k of Filter, within
// a sequence.
template <typename T>
class RowConvCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& filter = *context.Input("Filter");
    SY_ASSIGN_OR_RETURN(const Offsets offsets, RowSequences(context));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), x.shape()));
    T* out = context.Output("Out")->template mutable_data<T>();
    std::fill_n(out, x.numel(), T{0});
    const int64_t width = filter.extent(1);
    ForEachPair(offsets, filter.extent(0),
                [&](int64_t row, int64_t later, int64_t k) {
                  const T* from = x.data<T>() + later * width;
                  const T* weights = filter.data<T>() + k * width;
                  T* to = out + row * width;
                  for (int64_t j = 0; j < width; ++j)
                    to[j] += from[j] * weights[j];
                });
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }
};

template <typename T>
class RowConvGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& filter = *context.Input("Filter");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const Offsets offsets, RowSequences(context));
    T* x_grad = Zeros(context.Output("X@GRAD"));
    T* filter_grad = Zeros(context.Output("Filter@GRAD"));
    const int64_t width = filter.extent(1);
    ForEachPair(offsets, filter.extent(0),
                [&](int64_t row, int64_t later, int64_t k) {
                  const T* grad = out_grad.data<T>() + row * width;
                  for (int64_t j = 0; j < width; ++j) {
                    if (x_grad != nullptr) {
                      x_grad[later * width + j] +=
                          grad[j] * filter.data<T>()[k * width + j];
                    }
                    if (filter_grad != nullptr) {
                      filter_grad[k * width + j] +=
                          grad[j] * x.data<T>()[later * width + j];
                    }
                  }
                });
    return absl::OkStatus();
  }

 private:
  static T* Zeros(DenseTensor* grad) {
    if (grad == nullptr) return nullptr;
    T* data = grad->template mutable_data<T>();
    std::fill_n(data, grad->numel(), T{0});
    return data;
  }
};

}  // namespace fluid

constexpr auto kRowConvSpec = KernelSpec<RowConvSignature>().Output(
    RowConvSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(row_conv, cpu, fluid::RowConvCpuKernel,
                         legacy_row_conv, kRowConvSpec, float32, float64);

constexpr auto kRowConvGradSpec = KernelSpec<RowConvGradSignature>();
SY_REGISTER_FLUID_KERNEL(row_conv_grad, cpu, fluid::RowConvGradCpuKernel,
                         legacy_row_conv_grad, kRowConvGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
