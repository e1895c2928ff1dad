// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of mine_hard_examples on the CPU.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/mine_hard_examples.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/mine_hard_examples.gen.h"

namespace switchyard::phi {
namespace fluid {

// Chooses the priors of an image that cost most. "max_negative": among those
// that match nothing and are unlike all, a multiple of the number that match;
// "hard_example": among all, `sample_size`, and those of the matching that are
// not chosen lose their match. NegIndices, one sequence an image, are the
// chosen ones without a match.
template <typename T>
class MineHardExamplesCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Mining mining;
    SY_RETURN_IF_ERROR(Read(context, &mining));
    const DenseTensor& match = *context.Input("MatchIndices");
    const int64_t images = match.extent(0), priors = match.extent(1);
    DenseTensor* updated = context.Output("UpdatedMatchIndices");
    std::copy_n(match.data<int32_t>(), match.numel(),
                updated->mutable_data<int32_t>());
    std::vector<int32_t> negative;
    std::vector<int64_t> starts = {0};
    for (int64_t i = 0; i < images; ++i) {
      OneImage(mining, i * priors, priors,
               updated->mutable_data<int32_t>() + i * priors, &negative);
      starts.push_back(static_cast<int64_t>(negative.size()));
    }
    DenseTensor* out = context.Output("NegIndices");
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataType::kInt32,
                                      Shape({starts.back(), 1}), out));
    std::copy(negative.begin(), negative.end(), out->mutable_data<int32_t>());
    SetSequences(std::move(starts), out);
    return absl::OkStatus();
  }

 private:
  struct Mining {
    const T* cls_loss;
    const T* loc_loss;  // Null if it does not count.
    const T* dist;
    bool among_all;
    T ratio;
    T threshold;
    int64_t sample;
  };

  static absl::Status Read(const ExecutionContext& context, Mining* mining) {
    const DenseTensor* loc_loss = context.Input("LocLoss");
    SY_ASSIGN_OR_RETURN(const std::string_view type,
                        context.Attr<std::string_view>("mining_type"));
    mining->among_all = type == "hard_example";
    mining->cls_loss = context.Input("ClsLoss")->template data<T>();
    mining->loc_loss = loc_loss == nullptr || !mining->among_all
                           ? nullptr
                           : loc_loss->template data<T>();
    mining->dist = context.Input("MatchDist")->template data<T>();
    SY_ASSIGN_OR_RETURN(mining->ratio, context.Attr<float>("neg_pos_ratio"));
    SY_ASSIGN_OR_RETURN(mining->threshold,
                        context.Attr<float>("neg_dist_threshold"));
    SY_ASSIGN_OR_RETURN(mining->sample, context.Attr<int>("sample_size"));
    return absl::OkStatus();
  }

  // The priors that may be chosen, the dearest first. A loss that is no number
  // is the least of all.
  static std::vector<int64_t> Candidates(const Mining& mining, int64_t first,
                                         int64_t priors, const int32_t* match) {
    std::vector<int64_t> order;
    std::vector<T> losses(priors);
    for (int64_t p = 0; p < priors; ++p) {
      losses[p] = mining.cls_loss[first + p];
      if (mining.loc_loss != nullptr) losses[p] += mining.loc_loss[first + p];
      if (mining.among_all ||
          (match[p] == -1 && mining.dist[first + p] < mining.threshold)) {
        order.push_back(p);
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (losses[b] != losses[b]) return losses[a] == losses[a];
      return losses[a] > losses[b];
    });
    return order;
  }

  static void OneImage(const Mining& mining, int64_t first, int64_t priors,
                       int32_t* match, std::vector<int32_t>* negative) {
    std::vector<int64_t> chosen = Candidates(mining, first, priors, match);
    auto most = static_cast<T>(mining.sample);
    if (!mining.among_all) {
      const auto matched = std::count_if(match, match + priors,
                                         [](int32_t m) { return m != -1; });
      most = std::trunc(static_cast<T>(matched) * mining.ratio);
    }
    if (most < static_cast<T>(chosen.size())) {
      chosen.resize(static_cast<size_t>(most));
    }
    std::sort(chosen.begin(), chosen.end());
    for (int64_t p = 0; p < priors; ++p) {
      const bool among = std::binary_search(chosen.begin(), chosen.end(), p);
      if (mining.among_all && match[p] > -1) {
        if (!among) match[p] = -1;
      } else if (among) {
        negative->push_back(static_cast<int32_t>(p));
      }
    }
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<MineHardExamplesSignature>()
        .Input(MineHardExamplesSignature::kMatchIndices,
               fluid::KernelTypeOf(DataType::kInt32))
        .Output(MineHardExamplesSignature::kNegIndices,
                SelfAllocated(Fixed(DataType::kInt32)))
        .Output(MineHardExamplesSignature::kUpdatedMatchIndices,
                Fixed(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(mine_hard_examples, cpu,
                         fluid::MineHardExamplesCpuKernel,
                         legacy_mine_hard_examples, kSpec, float32, float64);

}  // namespace switchyard::phi
