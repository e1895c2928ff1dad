// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of bipartite_match on the CPU.
#include <algorithm>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/bipartite_match.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/bipartite_match.gen.h"

namespace switchyard::phi {
namespace fluid {

// DistMat: [true boxes, priors], how like they are, the true boxes of an image
// one sequence. Gives each prior at most one row of its image (or -1) and what
// they share: the best pairs first, each row once; with "per_prediction" then
// to priors that are left their best row, if it is like enough.
template <typename T>
class BipartiteMatchCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& matrix = *context.Input("DistMat");
    SY_ASSIGN_OR_RETURN(const std::string_view type,
                        context.Attr<std::string_view>("match_type"));
    SY_ASSIGN_OR_RETURN(const float threshold,
                        context.Attr<float>("dist_threshold"));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, SequencesOf(matrix));
    const auto images = static_cast<int64_t>(starts.size()) - 1;
    const int64_t columns = matrix.extent(1);
    DenseTensor* indices = context.Output("ColToRowMatchIndices");
    DenseTensor* dists = context.Output("ColToRowMatchDist");
    const Shape shape({images, columns});
    SY_RETURN_IF_ERROR(
        AllocateOutput(context.device(), DataType::kInt32, shape, indices));
    SY_RETURN_IF_ERROR(
        AllocateOutput(context.device(), matrix.dtype(), shape, dists));
    for (int64_t i = 0; i < images; ++i) {
      Matching match = {matrix.data<T>() + starts[i] * columns,
                        starts[i + 1] - starts[i], columns,
                        indices->mutable_data<int32_t>() + i * columns,
                        dists->mutable_data<T>() + i * columns};
      match.Clear();
      if (match.rows > kManyRows) {
        match.PairSorted();
      } else {
        match.PairBest();
      }
      if (type == "per_prediction") match.PairRest(threshold);
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

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<BipartiteMatchSignature>()
        .Output(BipartiteMatchSignature::kMatchIndices,
                SelfAllocated(Fixed(DataType::kInt32)))
        .Output(BipartiteMatchSignature::kMatchDist, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(bipartite_match, cpu, fluid::BipartiteMatchCpuKernel,
                         legacy_bipartite_match, kSpec, float32, float64);

}  // namespace switchyard::phi
