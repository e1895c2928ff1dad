// SPDX-License-Identifier: Apache-2.0
// sequence_topk_avg_pooling and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TOPK_AVG_POOLING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TOPK_AVG_POOLING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/text_matching/matrices.h"

namespace switchyard::phi::kernels::cpu {

// The rows of all matrices, checked, and what is kept of each.
struct TopkRows {
  std::vector<MatrixExtents> extents;
  absl::Span<const int> topks;
  int64_t channels;
  int64_t most;  // The greatest of topks.
};

inline absl::StatusOr<TopkRows> ReadTopkRows(const DenseTensor& x,
                                             const DenseTensor& row,
                                             const DenseTensor& column,
                                             absl::Span<const int> topks,
                                             int channel_num) {
  TopkRows rows;
  SY_ASSIGN_OR_RETURN(rows.extents, ReadExtents("row", row, "column", column));
  rows.topks = topks;
  SY_ASSIGN_OR_RETURN(const Offsets offsets,
                      MatrixOffsets(rows.extents, channel_num));
  SY_RETURN_IF_ERROR(CheckMatrices("x", x, offsets));
  rows.channels = channel_num;
  rows.most = *std::max_element(rows.topks.begin(), rows.topks.end());
  return rows;
}

// Calls visit(k, begin, width) for row k of the result, channel by channel:
// those elements of x are its row.
template <typename Visit>
void VisitTopkRows(const TopkRows& rows, const Visit& visit) {
  int64_t k = 0, begin = 0;
  for (const MatrixExtents& one : rows.extents) {
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
std::vector<int32_t> GreatestPlaces(const T* row, int64_t width,
                                    int64_t count) {
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

template <typename S>
inline constexpr auto kSequenceTopkAvgPoolingSpec =
    KernelSpec<S>()
        .Input(S::kRow, AnyDtype())
        .Input(S::kColumn, AnyDtype())
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kPos, SelfAllocated(Fixed(DataType::kInt32)));
// out: of each row of each channel the means of its greatest elements: a sum of
// at most k of them, divided by k, for each k of topks. pos: their places, -1
// where the row is shorter than the greatest k.
template <typename T>
absl::Status SequenceTopkAvgPoolingKernel(
    const CpuContext& context, const DenseTensor& x, const DenseTensor& row,
    const DenseTensor& column, absl::Span<const int> topks, int channel_num,
    DenseTensor* out, DenseTensor* pos) {
  SY_ASSIGN_OR_RETURN(const TopkRows rows,
                      ReadTopkRows(x, row, column, topks, channel_num));
  const int64_t count = row.extent(0);
  const auto kinds = static_cast<int64_t>(rows.topks.size());
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(),
                                  Shape({count, rows.channels * kinds}), out));
  SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kInt32,
                                  Shape({count * rows.channels * rows.most}),
                                  pos));
  int32_t* places = pos == nullptr ? nullptr : pos->mutable_data<int32_t>();
  T* means = out->mutable_data<T>();
  VisitTopkRows(rows, [&](int64_t k, int64_t begin, int64_t width) {
    const T* line = x.data<T>() + begin;
    const std::vector<int32_t> found = GreatestPlaces(line, width, rows.most);
    for (int64_t i = 0; i < kinds; ++i) {
      double sum = 0;
      for (int64_t n = 0; n < std::min<int64_t>(rows.topks[i], width); ++n) {
        sum += static_cast<double>(line[found[n]]);
      }
      means[k * kinds + i] = static_cast<T>(sum / rows.topks[i]);
    }
    if (places != nullptr) {
      std::copy(found.begin(), found.end(), places + k * rows.most);
    }
  });
  out->SetLod(row.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceTopkAvgPoolingGradSpec =
    KernelSpec<S>().Input(S::kRow, AnyDtype()).Input(S::kColumn, AnyDtype());
template <typename T>
absl::Status SequenceTopkAvgPoolingGradKernel(
    const CpuContext&, const DenseTensor& x, const DenseTensor& row,
    const DenseTensor& column, const DenseTensor& out_grad,
    absl::Span<const int> topks, int channel_num, DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const TopkRows rows,
                      ReadTopkRows(x, row, column, topks, channel_num));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, row.extent(0)));
  if (x_grad == nullptr) return absl::OkStatus();
  const auto kinds = static_cast<int64_t>(rows.topks.size());
  const T* from = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  std::fill_n(to, x_grad->numel(), T{0});
  VisitTopkRows(rows, [&](int64_t k, int64_t begin, int64_t width) {
    const std::vector<int32_t> found =
        GreatestPlaces(x.data<T>() + begin, width, rows.most);
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

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_TOPK_AVG_POOLING_H_
