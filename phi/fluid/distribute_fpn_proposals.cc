// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of distribute_fpn_proposals on the CPU.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/distribute_fpn_proposals.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/distribute_fpn_proposals.gen.h"

namespace switchyard::phi {
namespace fluid {

// FpnRois by level, those of an image one sequence, in their order.
// RestoreIndex[i] is where region i is among those of all levels.
template <typename T>
class DistributeFpnProposalsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& rois = *context.Input("FpnRois");
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> starts,
        RowsOfImages("rois_num", rois, context.Input("RoisNum")));
    SY_ASSIGN_OR_RETURN(const absl::Span<const int> levels,
                        context.Attr<absl::Span<const int>>("max_level"));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> level_of,
                        LevelOfEach(context, rois, levels));
    DenseTensor* restore = context.Output("RestoreIndex");
    int32_t placed = 0;
    for (size_t level = 0; level < levels.size(); ++level) {
      std::vector<int64_t> begins = {0}, members;
      for (size_t image = 0; image + 1 < starts.size(); ++image) {
        for (int64_t i = starts[image]; i < starts[image + 1]; ++i) {
          if (level_of[i] == static_cast<int64_t>(level)) members.push_back(i);
        }
        begins.push_back(static_cast<int64_t>(members.size()));
      }
      SY_RETURN_IF_ERROR(WriteLevel(context, rois, level, members, begins));
      for (const int64_t i : members) {
        if (restore != nullptr) restore->mutable_data<int32_t>()[i] = placed;
        ++placed;
      }
    }
    return absl::OkStatus();
  }

 private:
  // The number of the level of each region, from 0.
  static absl::StatusOr<std::vector<int64_t>> LevelOfEach(
      const ExecutionContext& context, const DenseTensor& rois,
      absl::Span<const int> levels) {
    SY_ASSIGN_OR_RETURN(const int refer_level,
                        context.Attr<int>("refer_level"));
    SY_ASSIGN_OR_RETURN(const int refer_scale,
                        context.Attr<int>("refer_scale"));
    SY_ASSIGN_OR_RETURN(const bool pixels, context.Attr<bool>("pixel_offset"));
    const T last = static_cast<T>(levels.size() - 1);
    std::vector<int64_t> level_of;
    for (int64_t i = 0; i < rois.extent(0); ++i) {
      const T side = std::sqrt(Area(rois.data<T>() + i * 4, T(pixels ? 1 : 0)));
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

  static absl::Status WriteLevel(const ExecutionContext& context,
                                 const DenseTensor& rois, size_t level,
                                 const std::vector<int64_t>& members,
                                 const std::vector<int64_t>& begins) {
    if (DenseTensor* out = context.MultiOutput("MultiFpnRois")[level]) {
      SY_RETURN_IF_ERROR(AllocateOutput(context.device(), rois.dtype(),
                                        Shape({begins.back(), 4}), out));
      T* to = out->mutable_data<T>();
      for (const int64_t i : members) {
        to = std::copy_n(rois.data<T>() + i * 4, 4, to);
      }
      SetSequences(begins, out);
    }
    const DenseOutputs numbers = context.MultiOutput("MultiLevelRoIsNum");
    if (level >= numbers.size() || numbers[level] == nullptr) {
      return absl::OkStatus();
    }
    const auto images = static_cast<int64_t>(begins.size()) - 1;
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataType::kInt32,
                                      Shape({images}), numbers[level]));
    for (int64_t i = 0; i < images; ++i) {
      numbers[level]->template mutable_data<int32_t>()[i] =
          static_cast<int32_t>(begins[i + 1] - begins[i]);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<DistributeFpnProposalsSignature>()
        .Input(DistributeFpnProposalsSignature::kRoisNum,
               fluid::KernelTypeOf(DataType::kInt32))
        .Output(DistributeFpnProposalsSignature::kMultiFpnRois,
                SelfAllocated(ArgDef()))
        .Output(DistributeFpnProposalsSignature::kRestoreIndex,
                Fixed(DataType::kInt32))
        .Output(DistributeFpnProposalsSignature::kMultiLevelRoisNum,
                SelfAllocated(Fixed(DataType::kInt32)));
SY_REGISTER_FLUID_KERNEL(distribute_fpn_proposals, cpu,
                         fluid::DistributeFpnProposalsCpuKernel,
                         legacy_distribute_fpn_proposals, kSpec, float32,
                         float64);

}  // namespace switchyard::phi
