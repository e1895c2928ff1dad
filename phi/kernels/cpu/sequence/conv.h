// SPDX-License-Identifier: Apache-2.0
// sequence_conv and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONV_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONV_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/sequence_conv_grad.args.gen.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Multiplications that are worth a thread.
inline constexpr int64_t kConvGrain = 1 << 17;

// A row that a context reads: of x, of padding_data, or neither (zeros).
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
  // padding_data has the rows before sequences first, then those after them.
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

// The arguments that forward and backward read.
inline ContextWindow ReadContextWindow(const DenseTensor* padding_data,
                                       int context_length,
                                       bool padding_trainable,
                                       int context_start) {
  ContextWindow window;
  window.start = context_start;
  window.length = context_length;
  window.padded = padding_trainable;
  window.padded &= padding_data != nullptr;
  return window;
}

// x: [rows, width], filter: [contextLength * width, channels]. out: [rows,
// channels], the context of each row, its rows one after another, times filter.
// A context does not leave the sequence: rows outside are those of padding_data
// where paddingTrainable, else zeros.
template <typename T>
class SequenceConv {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& x,
                          const DenseTensor* padding_data,
                          const DenseTensor& filter, int context_length,
                          bool padding_trainable, int context_start,
                          DenseTensor* out) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
    const ContextWindow window = ReadContextWindow(
        padding_data, context_length, padding_trainable, context_start);
    const int64_t width = x.extent(1), channels = filter.extent(1);
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, x.dtype(), Shape({x.extent(0), channels}), out));
    T* result = out->mutable_data<T>();
    const Offsets& offsets = lod->offsets.back();
    const int64_t work = std::max<int64_t>(filter.numel(), 1);
    ParallelFor(
        0, x.extent(0), kConvGrain / work, [&](int64_t first, int64_t last) {
          size_t next =
              std::upper_bound(offsets.begin(), offsets.end(), first) -
              offsets.begin();
          for (int64_t at = first; at < last; ++at) {
            while (offsets[next] <= at) ++next;
            T* to = result + at * channels;
            std::fill_n(to, channels, T{0});
            for (int64_t k = 0; k < window.length; ++k) {
              const ContextRow row =
                  window.Row(offsets[next - 1], offsets[next], at, k);
              const T* from = row.x >= 0         ? x.data<T>() + row.x * width
                              : row.padding >= 0 ? padding_data->data<T>() +
                                                       row.padding * width
                                                 : nullptr;
              if (from == nullptr) continue;
              AddProduct(from, filter.data<T>() + k * width * channels, width,
                         channels, to);
            }
          }
        });
    out->SetLod(x.lod());
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

template <typename S>
inline constexpr auto kSequenceConvSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SequenceConvKernel(const CpuContext& context, const DenseTensor& x,
                                const DenseTensor* padding_data,
                                const DenseTensor& filter, int context_length,
                                bool padding_trainable, int context_start, int,
                                DenseTensor* out) {
  return SequenceConv<T>::Run(context, x, padding_data, filter, context_length,
                              padding_trainable, context_start, out);
}

// x_grad, filter_grad and padding_data_grad, each of the shape of its input.
template <typename T>
class SequenceConvGrad {
 public:
  static absl::Status Run(const SequenceConvGradArgs& args) {
    const DenseTensor& x = args.x;
    const DenseTensor& filter = args.filter;
    const DenseTensor& out_grad = args.out_grad;
    const DenseTensor* padding = args.padding_data;
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", args.x));
    const ContextWindow window =
        ReadContextWindow(args.padding_data, args.context_length,
                          args.padding_trainable, args.context_start);
    T* x_grad = Zeros(args.x_grad);
    T* filter_grad = Zeros(args.filter_grad);
    T* padding_grad = Zeros(args.padding_data_grad);
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

template <typename S>
inline constexpr auto kSequenceConvGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SequenceConvGradKernel(const CpuContext&,
                                    const SequenceConvGradArgs& args) {
  return SequenceConvGrad<T>::Run(args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONV_H_
