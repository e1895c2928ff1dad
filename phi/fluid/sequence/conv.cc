// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_conv and its gradient on the CPU.
#include <algorithm>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/sequence_conv.gen.h"
#include "phi/core/signatures/sequence_conv_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_conv.gen.h"
#include "phi/legacy/sequence_conv_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Multiplications that are worth a thread.
constexpr int64_t kConvGrain = 1 << 17;

// A row that a context reads: of X, of PaddingData, or neither (zeros).
struct ContextRow {
  int64_t x = -1;
  int64_t padding = -1;
};

// The window of sequence_conv: `length` rows from `start` on, seen from a row.
struct ContextWindow {
  int64_t start = 0;
  int64_t length = 0;
  bool padded = false;  // Rows before and after a sequence are PaddingData's.

  // Row number `k` of the context of row `at` of the sequence [begin, end).
  // PaddingData has the rows before sequences first, then those after them.
  ContextRow Row(int64_t begin, int64_t end, int64_t at, int64_t k) const {
    ContextRow row;
    const int64_t source = at + start + k;
    const int64_t before = std::max<int64_t>(-start, 0);
    if (source >= begin && source < end) {
      row.x = source;
    } else if (padded && source < begin) {
      row.padding = before + source - begin;
    } else if (padded) {
      row.padding = before + source - end;
    }
    return row;
  }
};

namespace {

// The arguments that forward and backward read.
absl::StatusOr<ContextWindow> ReadWindow(const ExecutionContext& context) {
  ContextWindow window;
  SY_ASSIGN_OR_RETURN(window.start, context.Attr<int>("contextStart"));
  SY_ASSIGN_OR_RETURN(window.length, context.Attr<int>("contextLength"));
  SY_ASSIGN_OR_RETURN(window.padded, context.Attr<bool>("paddingTrainable"));
  window.padded &= context.HasInput("PaddingData");
  return window;
}

}  // namespace

// X: [rows, width], Filter: [contextLength * width, channels]. Out: [rows,
// channels], the context of each row, its rows one after another, times Filter.
// A context does not leave the sequence: rows outside are those of PaddingData
// where paddingTrainable, else zeros.
template <typename T>
class SequenceConvCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& filter = *context.Input("Filter");
    const DenseTensor* padding = context.Input("PaddingData");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const ContextWindow window, ReadWindow(context));
    const int64_t width = x.extent(1), channels = filter.extent(1);
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({x.extent(0), channels})));
    T* out = context.Output("Out")->template mutable_data<T>();
    const Offsets& offsets = lod->offsets.back();
    const int64_t work = std::max<int64_t>(filter.numel(), 1);
    ParallelFor(
        0, x.extent(0), kConvGrain / work, [&](int64_t first, int64_t last) {
          size_t next =
              std::upper_bound(offsets.begin(), offsets.end(), first) -
              offsets.begin();
          for (int64_t at = first; at < last; ++at) {
            while (offsets[next] <= at) ++next;
            T* to = out + at * channels;
            std::fill_n(to, channels, T{0});
            for (int64_t k = 0; k < window.length; ++k) {
              const ContextRow row =
                  window.Row(offsets[next - 1], offsets[next], at, k);
              const T* from = row.x >= 0 ? x.data<T>() + row.x * width
                              : row.padding >= 0
                                  ? padding->data<T>() + row.padding * width
                                  : nullptr;
              if (from == nullptr) continue;
              AddProduct(from, filter.data<T>() + k * width * channels, width,
                         channels, to);
            }
          }
        });
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }

 private:
  static void AddProduct(const T* row, const T* filter, int64_t width,
                         int64_t channels, T* out) {
    for (int64_t i = 0; i < width; ++i) {
      const T factor = row[i];
      const T* line = filter + i * channels;
      for (int64_t j = 0; j < channels; ++j) out[j] += factor * line[j];
    }
  }
};

// X@GRAD, Filter@GRAD and PaddingData@GRAD, each of the shape of its input.
template <typename T>
class SequenceConvGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& filter = *context.Input("Filter");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    const DenseTensor* padding = context.Input("PaddingData");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const ContextWindow window, ReadWindow(context));
    T* x_grad = Zeros(context.Output("X@GRAD"));
    T* filter_grad = Zeros(context.Output("Filter@GRAD"));
    T* padding_grad = Zeros(context.Output("PaddingData@GRAD"));
    const int64_t width = x.extent(1), channels = filter.extent(1);
    const Offsets& offsets = lod->offsets.back();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      for (int64_t at = offsets[i]; at < offsets[i + 1]; ++at) {
        const T* grad = out_grad.data<T>() + at * channels;
        for (int64_t k = 0; k < window.length; ++k) {
          const ContextRow row = window.Row(offsets[i], offsets[i + 1], at, k);
          const int64_t part = k * width * channels;
          if (row.x >= 0) {
            Add(grad, x.data<T>() + row.x * width, filter.data<T>() + part,
                width, channels,
                x_grad == nullptr ? nullptr : x_grad + row.x * width,
                filter_grad == nullptr ? nullptr : filter_grad + part);
          } else if (row.padding >= 0) {
            Add(grad, padding->data<T>() + row.padding * width,
                filter.data<T>() + part, width, channels,
                padding_grad == nullptr ? nullptr
                                        : padding_grad + row.padding * width,
                filter_grad == nullptr ? nullptr : filter_grad + part);
          }
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  static T* Zeros(DenseTensor* grad) {
    if (grad == nullptr) return nullptr;
    T* data = grad->template mutable_data<T>();
    std::fill_n(data, grad->numel(), T{0});
    return data;
  }

  // The gradients of one row of a context and of its part of the filter.
  static void Add(const T* grad, const T* row, const T* filter, int64_t width,
                  int64_t channels, T* row_grad, T* filter_grad) {
    for (int64_t i = 0; i < width; ++i) {
      T sum = 0;
      for (int64_t j = 0; j < channels; ++j) {
        sum += grad[j] * filter[i * channels + j];
        if (filter_grad != nullptr) {
          filter_grad[i * channels + j] += grad[j] * row[i];
        }
      }
      if (row_grad != nullptr) row_grad[i] += sum;
    }
  }
};

}  // namespace fluid

constexpr auto kSequenceConvSpec = KernelSpec<SequenceConvSignature>().Output(
    SequenceConvSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_conv, cpu, fluid::SequenceConvCpuKernel,
                         legacy_sequence_conv, kSequenceConvSpec, float32,
                         float64);

constexpr auto kSequenceConvGradSpec = KernelSpec<SequenceConvGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_conv_grad, cpu,
                         fluid::SequenceConvGradCpuKernel,
                         legacy_sequence_conv_grad, kSequenceConvGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
