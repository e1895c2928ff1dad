// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the matching of a detector's boxes with true ones.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATCHING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATCHING_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/mine_hard_examples.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Where the rows of each image begin, and their end.
inline std::vector<int64_t> RowsOfImages(const DenseTensor& x) {
  if (x.lod() == nullptr) return {0, x.extent(0)};
  return x.lod()->offsets.back();
}

template <typename S>
inline constexpr auto kBipartiteMatchSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kMatchIndices, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kMatchDist, SelfAllocated(ArgDef()));
template <typename T>
absl::Status BipartiteMatchKernel(const ReferenceContext& context,
                                  const DenseTensor& dist_mat,
                                  std::string_view match_type,
                                  float dist_threshold,
                                  DenseTensor* match_indices,
                                  DenseTensor* match_dist) {
  const std::vector<int64_t> starts = RowsOfImages(dist_mat);
  const auto images = static_cast<int64_t>(starts.size()) - 1;
  const int64_t columns = dist_mat.extent(1);
  const Shape shape({images, columns});
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, shape, match_indices));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, dist_mat.dtype(), shape, match_dist));
  for (int64_t i = 0; i < images; ++i) {
    const int64_t rows = starts[i + 1] - starts[i];
    const T least = rows > 130 ? T{0} : static_cast<T>(1e-6);
    // Pairs in the order in which equals win.
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t k = 0; k < rows * columns; ++k) {
      pairs.push_back(rows > 130 ? std::pair(k / columns, k % columns)
                                 : std::pair(k % rows, k / rows));
    }
    const auto dist = [&](const std::pair<int64_t, int64_t>& pair) {
      return At<T>(dist_mat, Index{starts[i] + pair.first, pair.second});
    };
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](auto& a, auto& b) { return dist(a) > dist(b); });
    std::vector<int32_t> row_of(columns, -1);
    std::set<int64_t> taken;
    for (const auto& pair : pairs) {
      const bool alike = rows > 130 ? dist(pair) > least : dist(pair) >= least;
      if (!alike || row_of[pair.second] >= 0) continue;
      if (!taken.insert(pair.first).second) continue;
      row_of[pair.second] = static_cast<int32_t>(pair.first);
    }
    for (const auto& pair : pairs) {
      if (match_type != "per_prediction" || row_of[pair.second] >= 0) continue;
      if (dist(pair) < static_cast<T>(1e-6)) continue;
      if (dist(pair) < static_cast<T>(dist_threshold)) continue;
      row_of[pair.second] = static_cast<int32_t>(pair.first);
    }
    for (int64_t k = 0; k < columns; ++k) {
      match_indices->mutable_data<int32_t>()[i * columns + k] = row_of[k];
      match_dist->mutable_data<T>()[i * columns + k] =
          row_of[k] < 0 ? T{0} : dist({row_of[k], k});
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTargetAssignSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kMatchIndices, WithAnyStrides(Fixed(DataType::kInt32)))
        .Input(S::kNegIndices, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kOutWeight, Fixed(DataType::kFloat32));
template <typename T>
absl::Status TargetAssignKernel(const ReferenceContext&, const DenseTensor& x,
                                const DenseTensor& match_indices,
                                const DenseTensor* neg_indices,
                                int mismatch_value, DenseTensor* out,
                                DenseTensor* out_weight) {
  const std::vector<int64_t> starts = RowsOfImages(x);
  const int64_t images = match_indices.extent(0);
  const int64_t priors = match_indices.extent(1);
  if (static_cast<int64_t>(starts.size()) != images + 1) {
    return ArgumentError("x", "of a sequence for each image",
                         std::to_string(starts.size() - 1));
  }
  std::set<std::pair<int64_t, int64_t>> negative;
  if (neg_indices != nullptr) {
    const std::vector<int64_t> at = RowsOfImages(*neg_indices);
    for (size_t i = 0; i + 1 < at.size(); ++i) {
      for (int64_t k = at[i]; k < at[i + 1]; ++k) {
        const auto prior = At<int32_t>(*neg_indices, k);
        if (prior < 0 || prior >= priors) {
          return RangeError("neg_indices", "the number of a prior",
                            std::to_string(prior));
        }
        negative.insert({static_cast<int64_t>(i), prior});
      }
    }
  }
  for (int64_t i = 0; i < match_indices.numel(); ++i) {
    const int64_t image = i / priors, row = At<int32_t>(match_indices, i);
    if (row < -1 || row >= starts[image + 1] - starts[image]) {
      return RangeError("match_indices", "the number of a row",
                        std::to_string(row));
    }
  }
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index where = Unravel(out->shape(), i);
    const int64_t image = where[0], prior = where[1];
    const int64_t row = At<int32_t>(match_indices, Index{image, prior});
    const bool chosen = negative.count({image, prior}) > 0;
    const bool matched = row >= 0 && !chosen;
    out->mutable_data<T>()[i] =
        matched ? At<T>(x, Index{starts[image] + row, prior % x.extent(1),
                                 where[2]})
                : static_cast<T>(mismatch_value);
  }
  for (int64_t i = 0; i < out_weight->numel(); ++i) {
    const bool chosen = negative.count({i / priors, i % priors}) > 0;
    out_weight->mutable_data<float>()[i] =
        chosen || At<int32_t>(match_indices, i) >= 0 ? 1.0f : 0.0f;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMineHardExamplesSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kMatchIndices, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kNegIndices, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kUpdatedMatchIndices, Fixed(DataType::kInt32));
template <typename T>
absl::Status MineHardExamplesKernel(const ReferenceContext& context,
                                    const MineHardExamplesArgs& args) {
  const bool hard = args.mining_type == "hard_example";
  std::vector<int32_t> negative;
  LoD lod = {{{0}}};
  for (int64_t image = 0; image < args.cls_loss.extent(0); ++image) {
    std::vector<std::pair<T, int64_t>> losses;
    int64_t matched = 0;
    for (int64_t p = 0; p < args.cls_loss.extent(1); ++p) {
      const Index at = {image, p};
      T loss = At<T>(args.cls_loss, at);
      if (hard && args.loc_loss != nullptr) loss += At<T>(*args.loc_loss, at);
      const bool free = At<int32_t>(args.match_indices, at) == -1;
      matched += free ? 0 : 1;
      if (hard || (free && At<T>(args.match_dist, at) <
                               static_cast<T>(args.neg_dist_threshold))) {
        losses.push_back({-loss, p});
      }
    }
    std::stable_sort(losses.begin(), losses.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    const double most =
        hard ? args.sample_size
             : static_cast<double>(static_cast<T>(matched) *
                                   static_cast<T>(args.neg_pos_ratio));
    std::set<int64_t> chosen;
    for (const auto& [loss, p] : losses) {
      if (static_cast<double>(chosen.size()) + 1 > most) break;
      chosen.insert(p);
    }
    for (int64_t p = 0; p < args.cls_loss.extent(1); ++p) {
      int32_t row = At<int32_t>(args.match_indices, Index{image, p});
      const bool taken = chosen.count(p) > 0;
      if (taken && (!hard || row < 0)) {
        negative.push_back(static_cast<int32_t>(p));
      }
      if (hard && !taken && row >= 0) row = -1;
      args.updated_match_indices
          ->mutable_data<int32_t>()[image * args.cls_loss.extent(1) + p] = row;
    }
    lod.offsets[0].push_back(static_cast<int64_t>(negative.size()));
  }
  const Shape shape({static_cast<int64_t>(negative.size()), 1});
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, shape, args.neg_indices));
  std::copy(negative.begin(), negative.end(),
            args.neg_indices->mutable_data<int32_t>());
  args.neg_indices->SetLod(std::make_shared<const LoD>(std::move(lod)));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATCHING_H_
