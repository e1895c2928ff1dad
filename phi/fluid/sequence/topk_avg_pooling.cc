// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_topk_avg_pooling and its gradient on the
// CPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_topk_avg_pooling.gen.h"
#include "phi/core/signatures/sequence_topk_avg_pooling_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/matrices.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_topk_avg_pooling.gen.h"
#include "phi/legacy/sequence_topk_avg_pooling_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The rows of all matrices, checked, and what is kept of each.
struct TopkRows {
  std::vector<Extents> extents;
  absl::Span<const int> topks;
  int64_t channels;
  int64_t most;  // The greatest of topks.
};

namespace {

absl::StatusOr<TopkRows> ReadRows(const ExecutionContext& context) {
  TopkRows rows;
  SY_ASSIGN_OR_RETURN(rows.extents, ReadExtents(context, "ROW", "COLUMN"));
  SY_ASSIGN_OR_RETURN(const int channels, context.Attr<int>("channel_num"));
  SY_ASSIGN_OR_RETURN(rows.topks, context.Attr<absl::Span<const int>>("topks"));
  SY_ASSIGN_OR_RETURN(const Offsets offsets,
                      MatrixOffsets(rows.extents, channels));
  SY_RETURN_IF_ERROR(CheckMatrices(context, "X", offsets));
  rows.channels = channels;
  rows.most = *std::max_element(rows.topks.begin(), rows.topks.end());
  return rows;
}

// Calls visit(k, begin, width) for row k of the result, channel by channel:
// those elements of X are its row.
template <typename Visit>
void VisitRows(const TopkRows& rows, const Visit& visit) {
  int64_t k = 0, begin = 0;
  for (const Extents& one : rows.extents) {
    for (int64_t i = 0; i < one.height; ++i) {
      for (int64_t channel = 0; channel < rows.channels; ++channel) {
        visit(k++, begin + (channel * one.height + i) * one.width, one.width);
      }
    }
    begin += rows.channels * one.height * one.width;
  }
}

// The places of the `count` greatest numbers, the greatest first, of equals the
// earlier one; a NaN is the greatest.
template <typename T>
std::vector<int32_t> Greatest(const T* row, int64_t width, int64_t count) {
  std::vector<int32_t> places(width);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [row](int32_t a, int32_t b) {
    if (std::isnan(row[a]) || std::isnan(row[b])) {
      return std::isnan(row[a]) && !std::isnan(row[b]);
    }
    return row[a] > row[b];
  });
  places.resize(count, -1);
  return places;
}

}  // namespace

// Out: of each row of each channel the means of its greatest elements: a sum of
// at most k of them, divided by k, for each k of topks. pos: their places, -1
// where the row is shorter than the greatest k.
template <typename T>
class SequenceTopkAvgPoolingCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const TopkRows rows, ReadRows(context));
    const int64_t count = context.Input("ROW")->extent(0);
    const auto kinds = static_cast<int64_t>(rows.topks.size());
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(),
                                        Shape({count, rows.channels * kinds})));
    SY_RETURN_IF_ERROR(context.Allocate(
        "pos", DataType::kInt32, Shape({count * rows.channels * rows.most})));
    DenseTensor* places = context.Output("pos");
    int32_t* pos =
        places == nullptr ? nullptr : places->mutable_data<int32_t>();
    T* out = context.Output("Out")->template mutable_data<T>();
    VisitRows(rows, [&](int64_t k, int64_t begin, int64_t width) {
      const T* row = x.data<T>() + begin;
      const std::vector<int32_t> found = Greatest(row, width, rows.most);
      for (int64_t i = 0; i < kinds; ++i) {
        double sum = 0;
        for (int64_t n = 0; n < std::min<int64_t>(rows.topks[i], width); ++n) {
          sum += static_cast<double>(row[found[n]]);
        }
        out[k * kinds + i] = static_cast<T>(sum / rows.topks[i]);
      }
      if (pos != nullptr) {
        std::copy(found.begin(), found.end(), pos + k * rows.most);
      }
    });
    context.ShareLod("ROW", "Out");
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceTopkAvgPoolingGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const TopkRows rows, ReadRows(context));
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_RETURN_IF_ERROR(CheckRows(out_grad, context.Input("ROW")->extent(0)));
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    const auto kinds = static_cast<int64_t>(rows.topks.size());
    const T* from = out_grad.data<T>();
    T* to = x_grad->template mutable_data<T>();
    std::fill_n(to, x_grad->numel(), T{0});
    VisitRows(rows, [&](int64_t k, int64_t begin, int64_t width) {
      const std::vector<int32_t> found =
          Greatest(x.data<T>() + begin, width, rows.most);
      for (int64_t n = 0; n < std::min(rows.most, width); ++n) {
        double sum = 0;
        for (int64_t i = 0; i < kinds; ++i) {
          if (n >= rows.topks[i]) continue;
          sum += static_cast<double>(from[k * kinds + i]) / rows.topks[i];
        }
        to[begin + found[n]] = static_cast<T>(sum);
      }
    });
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceTopkAvgPoolingSpec =
    KernelSpec<SequenceTopkAvgPoolingSignature>()
        .Input(SequenceTopkAvgPoolingSignature::kRow, AnyDtype())
        .Input(SequenceTopkAvgPoolingSignature::kColumn, AnyDtype())
        .Output(SequenceTopkAvgPoolingSignature::kOut, SelfAllocated(ArgDef()))
        .Output(SequenceTopkAvgPoolingSignature::kPos,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt32)));
SY_REGISTER_FLUID_KERNEL(sequence_topk_avg_pooling, cpu,
                         fluid::SequenceTopkAvgPoolingCpuKernel,
                         legacy_sequence_topk_avg_pooling,
                         kSequenceTopkAvgPoolingSpec, float32, float64);

constexpr auto kSequenceTopkAvgPoolingGradSpec =
    KernelSpec<SequenceTopkAvgPoolingGradSignature>()
        .Input(SequenceTopkAvgPoolingGradSignature::kRow, AnyDtype())
        .Input(SequenceTopkAvgPoolingGradSignature::kColumn, AnyDtype());
SY_REGISTER_FLUID_KERNEL(sequence_topk_avg_pooling_grad, cpu,
                         fluid::SequenceTopkAvgPoolingGradCpuKernel,
                         legacy_sequence_topk_avg_pooling_grad,
                         kSequenceTopkAvgPoolingGradSpec, float32, float64);

}  // namespace switchyard::phi
