// SPDX-License-Identifier: Apache-2.0
// Matching of prior boxes with true ones on the CPU: bipartite_match,
// target_assign and mine_hard_examples.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATCHING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATCHING_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/mine_hard_examples.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// dist_mat: [true boxes, priors], how like they are, the true boxes of an image
// one sequence. Gives each prior at most one row of its image (or -1) and what
// they share: the best pairs first, each row once; with "per_prediction" then
// to priors that are left their best row, if it is like enough.
template <typename T>
class BipartiteMatch {
 public:
  static absl::Status Run(const CpuContext& context,
                          const DenseTensor& dist_mat,
                          std::string_view match_type, float dist_threshold,
                          DenseTensor* match_indices, DenseTensor* match_dist) {
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts,
                        FindSequences(dist_mat));
    const auto images = static_cast<int64_t>(starts.size()) - 1;
    const int64_t columns = dist_mat.extent(1);
    const Shape shape({images, columns});
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataType::kInt32, shape, match_indices));
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, dist_mat.dtype(), shape, match_dist));
    for (int64_t i = 0; i < images; ++i) {
      Matching match = {dist_mat.data<T>() + starts[i] * columns,
                        starts[i + 1] - starts[i], columns,
                        match_indices->mutable_data<int32_t>() + i * columns,
                        match_dist->mutable_data<T>() + i * columns};
      match.Clear();
      if (match.rows > kManyRows) {
        match.PairSorted();
      } else {
        match.PairBest();
      }
      if (match_type == "per_prediction") match.PairRest(dist_threshold);
    }
    return absl::OkStatus();
  }

 private:
  // From here on all pairs are sorted once.
  static constexpr int64_t kManyRows = 130;
  static constexpr T kLeast = static_cast<T>(1e-6);

  struct Matching {
    const T* dist;
    int64_t rows;
    int64_t columns;
    int32_t* row_of;
    T* dist_of;

    void Clear() {
      std::fill_n(row_of, columns, -1);
      std::fill_n(dist_of, columns, T{0});
    }
    void Pair(int64_t row, int64_t column) {
      row_of[column] = static_cast<int32_t>(row);
      dist_of[column] = dist[row * columns + column];
    }

    void PairSorted() {
      // The keys of a sort must not change while it runs.
      const std::vector<T> keys(dist, dist + rows * columns);
      std::vector<int64_t> pairs;
      for (int64_t i = 0; i < rows * columns; ++i) {
        if (keys[i] > 0) pairs.push_back(i);
      }
      std::stable_sort(pairs.begin(), pairs.end(),
                       [&](int64_t a, int64_t b) { return keys[a] > keys[b]; });
      std::vector<bool> taken(rows);
      for (const int64_t pair : pairs) {
        const int64_t row = pair / columns, column = pair % columns;
        if (taken[row] || row_of[column] >= 0) continue;
        taken[row] = true;
        Pair(row, column);
      }
    }

    void PairBest() {
      std::vector<int64_t> left;
      for (int64_t row = 0; row < rows; ++row) left.push_back(row);
      while (!left.empty()) {
        size_t best = left.size();
        int64_t best_column = 0;
        T most = -1;
        for (int64_t column = 0; column < columns; ++column) {
          if (row_of[column] >= 0) continue;
          for (size_t k = 0; k < left.size(); ++k) {
            const T one = dist[left[k] * columns + column];
            if (!(one >= kLeast && one > most)) continue;
            best = k;
            best_column = column;
            most = one;
          }
        }
        if (best == left.size()) return;
        Pair(left[best], best_column);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      }
    }

    void PairRest(T threshold) {
      for (int64_t column = 0; column < columns; ++column) {
        if (row_of[column] >= 0) continue;
        int64_t best = -1;
        T most = -1;
        for (int64_t row = 0; row < rows; ++row) {
          const T one = dist[row * columns + column];
          if (!(one >= kLeast && one >= threshold && one > most)) continue;
          best = row;
          most = one;
        }
        if (best >= 0) Pair(best, column);
      }
    }
  };
};

template <typename S>
inline constexpr auto kBipartiteMatchSpec =
    KernelSpec<S>()
        .Output(S::kMatchIndices, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kMatchDist, SelfAllocated(ArgDef()));
template <typename T>
absl::Status BipartiteMatchKernel(const CpuContext& context,
                                  const DenseTensor& dist_mat,
                                  std::string_view match_type,
                                  float dist_threshold,
                                  DenseTensor* match_indices,
                                  DenseTensor* match_dist) {
  return BipartiteMatch<T>::Run(context, dist_mat, match_type, dist_threshold,
                                match_indices, match_dist);
}

// out[image, prior]: x[row, prior % p] for the row of the image's sequence that
// match_indices names, with weight 1; mismatch_value where it names none (-1),
// with weight 0, or 1 for the priors of neg_indices.
template <typename T>
class TargetAssign {
 public:
  static absl::Status Run(const DenseTensor& x,
                          const DenseTensor& match_indices,
                          const DenseTensor* neg_indices, int mismatch_value,
                          DenseTensor* out, DenseTensor* out_weight) {
    const int64_t images = match_indices.extent(0),
                  priors = match_indices.extent(1);
    std::vector<int64_t> starts, negative_starts;
    SY_ASSIGN_OR_RETURN(starts, Sequences("x", x, images));
    SY_ASSIGN_OR_RETURN(const std::vector<int32_t> rows,
                        CheckedRows(match_indices, starts));
    std::vector<int32_t> chosen;
    if (neg_indices != nullptr) {
      SY_ASSIGN_OR_RETURN(negative_starts,
                          Sequences("neg_indices", *neg_indices, images));
      SY_ASSIGN_OR_RETURN(chosen, CheckedPriors(*neg_indices, priors));
    }
    const int64_t columns = x.extent(1), size = x.extent(2);
    T* const to = out->mutable_data<T>();
    float* const weight = out_weight->mutable_data<float>();
    for (int64_t i = 0; i < images * priors; ++i) {
      weight[i] = rows[i] >= 0 ? 1.0f : 0.0f;
      if (rows[i] >= 0) {
        const int64_t row = starts[i / priors] + rows[i];
        const int64_t from = row * columns + i % priors % columns;
        std::copy_n(x.data<T>() + from * size, size, to + i * size);
      } else {
        std::fill_n(to + i * size, size, static_cast<T>(mismatch_value));
      }
    }
    for (int64_t i = 0; neg_indices != nullptr && i < images; ++i) {
      for (int64_t k = negative_starts[i]; k < negative_starts[i + 1]; ++k) {
        const int64_t at = i * priors + chosen[k];
        weight[at] = 1.0f;
        std::fill_n(to + at * size, size, static_cast<T>(mismatch_value));
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<std::vector<int64_t>> Sequences(const char* argument,
                                                        const DenseTensor& x,
                                                        int64_t images) {
    SY_ASSIGN_OR_RETURN(std::vector<int64_t> starts, FindSequences(x));
    const auto count = static_cast<int64_t>(starts.size()) - 1;
    if (count == images) return starts;
    return ArgumentError(
        argument, "of " + std::to_string(images) + " sequences, one an image",
        std::to_string(count));
  }

  // Copies, since another thread may write the tensors after the check.
  static std::vector<int32_t> Copy(const DenseTensor& x) {
    return std::vector<int32_t>(x.data<int32_t>(),
                                x.data<int32_t>() + x.numel());
  }

  static absl::StatusOr<std::vector<int32_t>> CheckedRows(
      const DenseTensor& match, const std::vector<int64_t>& starts) {
    const int64_t priors = match.extent(1);
    std::vector<int32_t> copy = Copy(match);
    for (int64_t i = 0; i < match.numel(); ++i) {
      const int32_t row = copy[i];
      const int64_t rows = starts[i / priors + 1] - starts[i / priors];
      if (row >= -1 && row < rows) continue;
      return RangeError("match_indices",
                        "in [-1, " + std::to_string(rows) + ")",
                        std::to_string(row));
    }
    return copy;
  }

  static absl::StatusOr<std::vector<int32_t>> CheckedPriors(
      const DenseTensor& negative, int64_t priors) {
    std::vector<int32_t> copy = Copy(negative);
    for (const int32_t prior : copy) {
      if (prior >= 0 && prior < priors) continue;
      return RangeError("neg_indices", "in [0, " + std::to_string(priors) + ")",
                        std::to_string(prior));
    }
    return copy;
  }
};

template <typename S>
inline constexpr auto kTargetAssignSpec =
    KernelSpec<S>()
        .Input(S::kMatchIndices, Fixed(DataType::kInt32))
        .Input(S::kNegIndices, Fixed(DataType::kInt32))
        .Output(S::kOutWeight, Fixed(DataType::kFloat32));
template <typename T>
absl::Status TargetAssignKernel(const CpuContext&, const DenseTensor& x,
                                const DenseTensor& match_indices,
                                const DenseTensor* neg_indices,
                                int mismatch_value, DenseTensor* out,
                                DenseTensor* out_weight) {
  return TargetAssign<T>::Run(x, match_indices, neg_indices, mismatch_value,
                              out, out_weight);
}

// Chooses the priors of an image that cost most. "max_negative": among those
// that match nothing and are unlike all, a multiple of the number that match;
// "hard_example": among all, `sample_size`, and those of the matching that are
// not chosen lose their match. neg_indices, one sequence an image, are the
// chosen ones without a match.
template <typename T>
class MineHardExamples {
 public:
  static absl::Status Run(const CpuContext& context,
                          const MineHardExamplesArgs& args) {
    Mining mining;
    Read(args, &mining);
    const DenseTensor& match = args.match_indices;
    const int64_t images = match.extent(0), priors = match.extent(1);
    DenseTensor* updated = args.updated_match_indices;
    std::copy_n(match.data<int32_t>(), match.numel(),
                updated->mutable_data<int32_t>());
    std::vector<int32_t> negative;
    std::vector<int64_t> starts = {0};
    for (int64_t i = 0; i < images; ++i) {
      OneImage(mining, i * priors, priors,
               updated->mutable_data<int32_t>() + i * priors, &negative);
      starts.push_back(static_cast<int64_t>(negative.size()));
    }
    DenseTensor* out = args.neg_indices;
    SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32,
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

  static void Read(const MineHardExamplesArgs& args, Mining* mining) {
    const DenseTensor* loc_loss = args.loc_loss;
    const std::string_view type = args.mining_type;
    mining->among_all = type == "hard_example";
    mining->cls_loss = args.cls_loss.data<T>();
    mining->loc_loss = loc_loss == nullptr || !mining->among_all
                           ? nullptr
                           : loc_loss->data<T>();
    mining->dist = args.match_dist.data<T>();
    mining->ratio = args.neg_pos_ratio;
    mining->threshold = args.neg_dist_threshold;
    mining->sample = args.sample_size;
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

template <typename S>
inline constexpr auto kMineHardExamplesSpec =
    KernelSpec<S>()
        .Input(S::kMatchIndices, Fixed(DataType::kInt32))
        .Output(S::kNegIndices, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kUpdatedMatchIndices, Fixed(DataType::kInt32));
template <typename T>
absl::Status MineHardExamplesKernel(const CpuContext& context,
                                    const MineHardExamplesArgs& args) {
  return MineHardExamples<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATCHING_H_
