// SPDX-License-Identifier: Apache-2.0
// Reference kernels that share regions of interest among the levels of a
// feature pyramid.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PYRAMID_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PYRAMID_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/distribute_fpn_proposals.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// How many rows each image has.
inline absl::StatusOr<std::vector<int64_t>> RowCounts(
    const char* argument, const DenseTensor& x, const DenseTensor* numbers) {
  if (numbers == nullptr) {
    if (x.lod() == nullptr) return std::vector<int64_t>{x.extent(0)};
    return SequenceLengths(*x.lod()).back();
  }
  std::vector<int64_t> counts;
  int64_t all = 0;
  for (int64_t i = 0; i < numbers->numel(); ++i) {
    counts.push_back(At<int32_t>(*numbers, i));
    all += std::max<int64_t>(counts.back(), 0);
    if (counts.back() < 0) all = -1;
  }
  if (all == x.extent(0)) return counts;
  return ArgumentError(argument, "numbers that add up to the rows",
                       std::to_string(all));
}

template <typename S>
inline constexpr auto kDistributeFpnProposalsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kRoisNum, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kMultiFpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRestoreIndex, Fixed(DataType::kInt32))
        .Output(S::kMultiLevelRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status DistributeFpnProposalsKernel(
    const ReferenceContext& context, const DistributeFpnProposalsArgs& args) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> counts,
                      RowCounts("rois_num", args.fpn_rois, args.rois_num));
  // Regions by (level, image), in their order.
  std::map<std::pair<int, size_t>, std::vector<int64_t>> members;
  int64_t region = 0;
  for (size_t image = 0; image < counts.size(); ++image) {
    for (int64_t i = 0; i < counts[image]; ++i, ++region) {
      T sides[2];
      for (int64_t k = 0; k < 2; ++k) {
        sides[k] = At<T>(args.fpn_rois, Index{region, k + 2}) -
                   At<T>(args.fpn_rois, Index{region, k});
      }
      const T longer = args.pixel_offset ? 1 : 0;
      const T area = sides[0] < 0 || sides[1] < 0
                         ? T{0}
                         : (sides[0] + longer) * (sides[1] + longer);
      const T level = std::floor(
          std::log2(std::sqrt(area) / T(args.refer_scale) + T(1e-6)) +
          T(args.refer_level));
      const T clamped =
          std::clamp(level, T(args.levels.front()), T(args.levels.back()));
      members[{static_cast<int>(clamped), image}].push_back(region);
    }
  }
  int32_t place = 0;
  for (size_t k = 0; k < args.levels.size(); ++k) {
    std::vector<int64_t> own;
    auto lod = std::make_shared<LoD>(LoD{{{0}}});
    std::vector<int32_t> numbers;
    for (size_t image = 0; image < counts.size(); ++image) {
      for (const int64_t i : members[{args.levels[k], image}]) {
        own.push_back(i);
        args.restore_index->mutable_data<int32_t>()[i] = place++;
      }
      lod->offsets[0].push_back(static_cast<int64_t>(own.size()));
      numbers.push_back(
          static_cast<int32_t>(members[{args.levels[k], image}].size()));
    }
    const auto size = static_cast<int64_t>(own.size());
    if (DenseTensor* out = args.multi_fpn_rois[k]) {
      SY_RETURN_IF_ERROR(AllocateOutput(context, args.fpn_rois.dtype(),
                                        Shape({size, 4}), out));
      for (int64_t i = 0; i < size * 4; ++i) {
        out->mutable_data<T>()[i] =
            At<T>(args.fpn_rois, Index{own[i / 4], i % 4});
      }
      out->SetLod(lod);
    }
    if (DenseTensor* out = args.multi_level_rois_num[k]) {
      const Shape shape({static_cast<int64_t>(counts.size())});
      SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32, shape, out));
      std::copy(numbers.begin(), numbers.end(), out->mutable_data<int32_t>());
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCollectFpnProposalsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kMultiLevelRoisNum, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kFpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status CollectFpnProposalsKernel(const ReferenceContext& context,
                                       DenseList multi_level_rois,
                                       DenseList multi_level_scores,
                                       DenseList multi_level_rois_num,
                                       int post_nms_topn, DenseTensor* fpn_rois,
                                       DenseTensor* rois_num) {
  // (-score, image, level, row).
  std::vector<std::tuple<T, size_t, size_t, int64_t>> all;
  size_t images = 0;
  for (size_t level = 0; level < multi_level_rois.size(); ++level) {
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> counts,
        RowCounts("multi_level_rois_num", multi_level_rois[level],
                  multi_level_rois_num.empty() ? nullptr
                                               : &multi_level_rois_num[level]));
    if (level > 0 && counts.size() != images) {
      return ArgumentError("multi_level_rois", "of the same images",
                           std::to_string(counts.size()));
    }
    images = counts.size();
    int64_t row = 0;
    for (size_t image = 0; image < images; ++image) {
      for (int64_t i = 0; i < counts[image]; ++i, ++row) {
        all.push_back(
            {-At<T>(multi_level_scores[level], row), image, level, row});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) {
    return std::get<0>(a) < std::get<0>(b);
  });
  if (all.size() > static_cast<size_t>(post_nms_topn)) {
    all.resize(post_nms_topn);
  }
  std::vector<T> rows;
  std::vector<int32_t> counts(images);
  auto lod = std::make_shared<LoD>(LoD{{{0}}});
  for (size_t image = 0; image < images; ++image) {
    for (const auto& [score, of, level, row] : all) {
      if (of != image) continue;
      ++counts[image];
      for (int64_t k = 0; k < 4; ++k) {
        rows.push_back(At<T>(multi_level_rois[level], Index{row, k}));
      }
    }
    lod->offsets[0].push_back(static_cast<int64_t>(rows.size() / 4));
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataTypeOf<T>::value,
                                    Shape({lod->offsets[0].back(), 4}),
                                    fpn_rois));
  std::copy(rows.begin(), rows.end(), fpn_rois->mutable_data<T>());
  fpn_rois->SetLod(lod);
  if (rois_num == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32,
                                    Shape({static_cast<int64_t>(images)}),
                                    rois_num));
  std::copy(counts.begin(), counts.end(), rois_num->mutable_data<int32_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PYRAMID_H_
