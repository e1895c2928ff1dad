// SPDX-License-Identifier: Apache-2.0
// Regions by the levels of a feature pyramid, on the CPU:
// distribute_fpn_proposals and collect_fpn_proposals.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PYRAMID_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PYRAMID_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/allocate_output.h"
#include "phi/core/boxes/box_suppression.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/distribute_fpn_proposals.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// fpn_rois by level, those of an image one sequence, in their order.
// restore_index[i] is where region i is among those of all levels.
template <typename T>
class DistributeFpnProposals {
 public:
  static absl::Status Run(const CpuContext& context,
                          const DistributeFpnProposalsArgs& args) {
    const DenseTensor& rois = args.fpn_rois;
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts,
                        RowsOfImages("rois_num", rois, args.rois_num));
    const absl::Span<const int> levels = args.levels;
    const std::vector<int64_t> level_of = LevelOfEach(
        args.refer_level, args.refer_scale, args.pixel_offset, rois, levels);
    DenseTensor* restore = args.restore_index;
    int32_t placed = 0;
    for (size_t level = 0; level < levels.size(); ++level) {
      std::vector<int64_t> begins = {0}, members;
      for (size_t image = 0; image + 1 < starts.size(); ++image) {
        for (int64_t i = starts[image]; i < starts[image + 1]; ++i) {
          if (level_of[i] == static_cast<int64_t>(level)) members.push_back(i);
        }
        begins.push_back(static_cast<int64_t>(members.size()));
      }
      SY_RETURN_IF_ERROR(WriteLevel(context, args.multi_fpn_rois,
                                    args.multi_level_rois_num, rois, level,
                                    members, begins));
      for (const int64_t i : members) {
        if (restore != nullptr) restore->mutable_data<int32_t>()[i] = placed;
        ++placed;
      }
    }
    return absl::OkStatus();
  }

 private:
  // The number of the level of each region, from 0.
  static std::vector<int64_t> LevelOfEach(int refer_level, int refer_scale,
                                          bool pixel_offset,
                                          const DenseTensor& rois,
                                          absl::Span<const int> levels) {
    const T last = static_cast<T>(levels.size() - 1);
    std::vector<int64_t> level_of;
    for (int64_t i = 0; i < rois.extent(0); ++i) {
      const T side =
          std::sqrt(Area(rois.data<T>() + i * 4, T(pixel_offset ? 1 : 0)));
      const T level = std::floor(std::log2(side / static_cast<T>(refer_scale) +
                                           static_cast<T>(1e-6)) +
                                 static_cast<T>(refer_level)) -
                      static_cast<T>(levels.front());
      // A side that is no number counts as none.
      level_of.push_back(level > 0 ? static_cast<int64_t>(std::min(level, last))
                                   : 0);
    }
    return level_of;
  }

  static absl::Status WriteLevel(const CpuContext& context,
                                 DenseOutputs multi_fpn_rois,
                                 DenseOutputs multi_level_rois_num,
                                 const DenseTensor& rois, size_t level,
                                 const std::vector<int64_t>& members,
                                 const std::vector<int64_t>& begins) {
    if (DenseTensor* out = multi_fpn_rois[level]) {
      SY_RETURN_IF_ERROR(AllocateOutput(context, rois.dtype(),
                                        Shape({begins.back(), 4}), out));
      T* to = out->mutable_data<T>();
      for (const int64_t i : members) {
        to = std::copy_n(rois.data<T>() + i * 4, 4, to);
      }
      SetSequences(begins, out);
    }
    if (level >= multi_level_rois_num.size() ||
        multi_level_rois_num[level] == nullptr) {
      return absl::OkStatus();
    }
    const auto images = static_cast<int64_t>(begins.size()) - 1;
    SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32,
                                      Shape({images}),
                                      multi_level_rois_num[level]));
    for (int64_t i = 0; i < images; ++i) {
      multi_level_rois_num[level]->template mutable_data<int32_t>()[i] =
          static_cast<int32_t>(begins[i + 1] - begins[i]);
    }
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kDistributeFpnProposalsSpec =
    KernelSpec<S>()
        .Input(S::kRoisNum, Fixed(DataType::kInt32))
        .Output(S::kMultiFpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRestoreIndex, Fixed(DataType::kInt32))
        .Output(S::kMultiLevelRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status DistributeFpnProposalsKernel(
    const CpuContext& context, const DistributeFpnProposalsArgs& args) {
  return DistributeFpnProposals<T>::Run(context, args);
}

// The regions of all levels with the best scores, image by image, in each the
// best first; of equal scores that of the lower level.
template <typename T>
class CollectFpnProposals {
 public:
  static absl::Status Run(const CpuContext& context, DenseList multi_level_rois,
                          DenseList multi_level_scores,
                          DenseList multi_level_rois_num, int post_nms_topn,
                          DenseTensor* fpn_rois, DenseTensor* rois_num) {
    int64_t images = 0;
    SY_ASSIGN_OR_RETURN(std::vector<Region> regions,
                        Regions(multi_level_rois, multi_level_scores,
                                multi_level_rois_num, &images));
    std::stable_sort(regions.begin(), regions.end(),
                     [](const Region& a, const Region& b) {
                       if (std::isnan(b.score)) return !std::isnan(a.score);
                       return a.score > b.score;
                     });
    if (static_cast<size_t>(post_nms_topn) < regions.size())
      regions.resize(post_nms_topn);
    std::stable_sort(
        regions.begin(), regions.end(),
        [](const Region& a, const Region& b) { return a.image < b.image; });

    const auto count = static_cast<int64_t>(regions.size());
    SY_RETURN_IF_ERROR(AllocateOutput(context, DataTypeOf<T>::value,
                                      Shape({count, 4}), fpn_rois));
    std::vector<int64_t> starts(images + 1);
    T* to = fpn_rois->mutable_data<T>();
    for (const Region& region : regions) {
      to = std::copy_n(region.box, 4, to);
      ++starts[region.image + 1];
    }
    if (rois_num != nullptr) {
      SY_RETURN_IF_ERROR(
          AllocateOutput(context, DataType::kInt32, Shape({images}), rois_num));
      std::copy_n(starts.begin() + 1, images,
                  rois_num->mutable_data<int32_t>());
    }
    for (int64_t i = 0; i < images; ++i) starts[i + 1] += starts[i];
    SetSequences(std::move(starts), fpn_rois);
    return absl::OkStatus();
  }

 private:
  struct Region {
    T score;
    int64_t image;
    const T* box;
  };

  static absl::StatusOr<std::vector<Region>> Regions(
      DenseList multi_level_rois, DenseList multi_level_scores,
      DenseList multi_level_rois_num, int64_t* images) {
    std::vector<Region> regions;
    for (size_t level = 0; level < multi_level_rois.size(); ++level) {
      SY_ASSIGN_OR_RETURN(
          const std::vector<int64_t> starts,
          RowsOfImages("multi_level_rois_num", multi_level_rois[level],
                       multi_level_rois_num.empty()
                           ? nullptr
                           : &multi_level_rois_num[level]));
      const auto count = static_cast<int64_t>(starts.size()) - 1;
      if (level > 0 && count != *images) {
        return ArgumentError(
            "multi_level_rois",
            "of " + std::to_string(*images) + " images at every level",
            std::to_string(count));
      }
      *images = count;
      for (int64_t image = 0; image < count; ++image) {
        for (int64_t i = starts[image]; i < starts[image + 1]; ++i) {
          regions.push_back(
              {multi_level_scores[level].template data<T>()[i], image,
               multi_level_rois[level].template data<T>() + i * 4});
        }
      }
    }
    return regions;
  }
};

template <typename S>
inline constexpr auto kCollectFpnProposalsSpec =
    KernelSpec<S>()
        .Input(S::kMultiLevelRoisNum, Fixed(DataType::kInt32))
        .Output(S::kFpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status CollectFpnProposalsKernel(const CpuContext& context,
                                       DenseList multi_level_rois,
                                       DenseList multi_level_scores,
                                       DenseList multi_level_rois_num,
                                       int post_nms_topn, DenseTensor* fpn_rois,
                                       DenseTensor* rois_num) {
  return CollectFpnProposals<T>::Run(context, multi_level_rois,
                                     multi_level_scores, multi_level_rois_num,
                                     post_nms_topn, fpn_rois, rois_num);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PYRAMID_H_
