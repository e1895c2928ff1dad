// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of collect_fpn_proposals on the CPU.
#include <algorithm>
#include <cmath>
#include <string>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/collect_fpn_proposals.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/collect_fpn_proposals.gen.h"

namespace switchyard::phi {
namespace fluid {

// The regions of all levels with the best scores, image by image, in each the
// best first; of equal scores that of the lower level.
template <typename T>
class CollectFpnProposalsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int most, context.Attr<int>("post_nms_topN"));
    int64_t images = 0;
    SY_ASSIGN_OR_RETURN(std::vector<Region> regions, Regions(context, &images));
    std::stable_sort(regions.begin(), regions.end(),
                     [](const Region& a, const Region& b) {
                       if (std::isnan(b.score)) return !std::isnan(a.score);
                       return a.score > b.score;
                     });
    if (static_cast<size_t>(most) < regions.size()) regions.resize(most);
    std::stable_sort(
        regions.begin(), regions.end(),
        [](const Region& a, const Region& b) { return a.image < b.image; });

    DenseTensor* out = context.Output("FpnRois");
    DenseTensor* numbers = context.Output("RoisNum");
    const auto count = static_cast<int64_t>(regions.size());
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataTypeOf<T>::value,
                                      Shape({count, 4}), out));
    std::vector<int64_t> starts(images + 1);
    T* to = out->mutable_data<T>();
    for (const Region& region : regions) {
      to = std::copy_n(region.box, 4, to);
      ++starts[region.image + 1];
    }
    if (numbers != nullptr) {
      SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataType::kInt32,
                                        Shape({images}), numbers));
      std::copy_n(starts.begin() + 1, images, numbers->mutable_data<int32_t>());
    }
    for (int64_t i = 0; i < images; ++i) starts[i + 1] += starts[i];
    SetSequences(std::move(starts), out);
    return absl::OkStatus();
  }

 private:
  struct Region {
    T score;
    int64_t image;
    const T* box;
  };

  static absl::StatusOr<std::vector<Region>> Regions(
      const ExecutionContext& context, int64_t* images) {
    const DenseList rois = context.MultiInput("MultiLevelRois");
    const DenseList scores = context.MultiInput("MultiLevelScores");
    const DenseList numbers = context.MultiInput("MultiLevelRoIsNum");
    std::vector<Region> regions;
    for (size_t level = 0; level < rois.size(); ++level) {
      SY_ASSIGN_OR_RETURN(
          const std::vector<int64_t> starts,
          RowsOfImages("multi_level_rois_num", rois[level],
                       numbers.empty() ? nullptr : &numbers[level]));
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
          regions.push_back({scores[level].template data<T>()[i], image,
                             rois[level].template data<T>() + i * 4});
        }
      }
    }
    return regions;
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<CollectFpnProposalsSignature>()
        .Input(CollectFpnProposalsSignature::kMultiLevelRoisNum,
               fluid::KernelTypeOf(DataType::kInt32))
        .Output(CollectFpnProposalsSignature::kFpnRois, SelfAllocated(ArgDef()))
        .Output(CollectFpnProposalsSignature::kRoisNum,
                SelfAllocated(Fixed(DataType::kInt32)));
SY_REGISTER_FLUID_KERNEL(collect_fpn_proposals, cpu,
                         fluid::CollectFpnProposalsCpuKernel,
                         legacy_collect_fpn_proposals, kSpec, float32, float64);

}  // namespace switchyard::phi
