// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of target_assign on the CPU.
#include <algorithm>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/target_assign.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/target_assign.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out[image, prior]: X[row, prior % p] for the row of the image's sequence that
// MatchIndices names, with weight 1; mismatch_value where it names none (-1),
// with weight 0, or 1 for the priors of NegIndices.
template <typename T>
class TargetAssignCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& match = *context.Input("MatchIndices");
    const DenseTensor* negative = context.Input("NegIndices");
    SY_ASSIGN_OR_RETURN(const int mismatch,
                        context.Attr<int>("mismatch_value"));
    const int64_t images = match.extent(0), priors = match.extent(1);
    std::vector<int64_t> starts, negative_starts;
    SY_ASSIGN_OR_RETURN(starts, Sequences("x", x, images));
    SY_ASSIGN_OR_RETURN(const std::vector<int32_t> rows,
                        CheckedRows(match, starts));
    std::vector<int32_t> chosen;
    if (negative != nullptr) {
      SY_ASSIGN_OR_RETURN(negative_starts,
                          Sequences("neg_indices", *negative, images));
      SY_ASSIGN_OR_RETURN(chosen, CheckedPriors(*negative, priors));
    }
    const int64_t columns = x.extent(1), size = x.extent(2);
    T* const to = context.Output("Out")->template mutable_data<T>();
    float* const weight =
        context.Output("OutWeight")->template mutable_data<float>();
    for (int64_t i = 0; i < images * priors; ++i) {
      weight[i] = rows[i] >= 0 ? 1.0f : 0.0f;
      if (rows[i] >= 0) {
        const int64_t row = starts[i / priors] + rows[i];
        const int64_t from = row * columns + i % priors % columns;
        std::copy_n(x.data<T>() + from * size, size, to + i * size);
      } else {
        std::fill_n(to + i * size, size, static_cast<T>(mismatch));
      }
    }
    for (int64_t i = 0; negative != nullptr && i < images; ++i) {
      for (int64_t k = negative_starts[i]; k < negative_starts[i + 1]; ++k) {
        const int64_t at = i * priors + chosen[k];
        weight[at] = 1.0f;
        std::fill_n(to + at * size, size, static_cast<T>(mismatch));
      }
    }
    return absl::OkStatus();
  }

 private:
  static absl::StatusOr<std::vector<int64_t>> Sequences(const char* argument,
                                                        const DenseTensor& x,
                                                        int64_t images) {
    SY_ASSIGN_OR_RETURN(std::vector<int64_t> starts, SequencesOf(x));
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

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<TargetAssignSignature>()
        .Input(TargetAssignSignature::kMatchIndices,
               fluid::KernelTypeOf(DataType::kInt32))
        .Input(TargetAssignSignature::kNegIndices,
               fluid::KernelTypeOf(DataType::kInt32))
        .Output(TargetAssignSignature::kOutWeight, Fixed(DataType::kFloat32));
SY_REGISTER_FLUID_KERNEL(target_assign, cpu, fluid::TargetAssignCpuKernel,
                         legacy_target_assign, kSpec, int32, int64, float32,
                         float64);

}  // namespace switchyard::phi
