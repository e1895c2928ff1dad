// SPDX-License-Identifier: Apache-2.0
// The reference kernel of squeeze_excite, in double, by its definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_SQUEEZE_EXCITE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_SQUEEZE_EXCITE_H_

#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/squeeze_excite.args.gen.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"

namespace switchyard::phi::kernels::reference {

// One of its two layers.
struct GateLayer {
  PostOps post_ops;

  // Returns the layer's results for the numbers x.
  template <typename T>
  std::vector<double> Of(const DenseTensor& filter, const DenseTensor* bias,
                         const std::vector<double>& x) const {
    std::vector<double> results;
    const auto columns = static_cast<int64_t>(x.size());
    for (int64_t i = 0; i < filter.extent(0); ++i) {
      double sum = bias == nullptr ? 0.0 : double{At<T>(*bias, i)};
      for (int64_t j = 0; j < columns; ++j) {
        sum += At<T>(filter, i * columns + j) * x[j];
      }
      results.push_back(ReferencePostOps(post_ops, sum));
    }
    return results;
  }
};

template <typename S>
inline constexpr auto kSqueezeExciteSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SqueezeExciteKernel(const ReferenceContext&,
                                 const SqueezeExciteArgs& args) {
  const int64_t channels = args.x.extent(1),
                pixels = args.x.extent(2) * args.x.extent(3);
  for (int64_t image = 0; image < args.x.extent(0); ++image) {
    std::vector<double> means(channels);
    const int64_t begin = image * channels * pixels;
    for (int64_t i = 0; i < channels * pixels; ++i) {
      means[i / pixels] +=
          At<T>(args.x, begin + i) / static_cast<double>(pixels);
    }
    const std::vector<double> hidden = GateLayer{args.activation}.Of<T>(
        args.squeeze, args.squeeze_bias, means);
    const std::vector<double> gates =
        GateLayer{args.gate}.Of<T>(args.excite, args.excite_bias, hidden);
    for (int64_t i = 0; i < channels * pixels; ++i) {
      args.out->mutable_data<T>()[begin + i] =
          static_cast<T>(At<T>(args.x, begin + i) *
                         (gates[i / pixels] + double{args.gate_shift}));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_SQUEEZE_EXCITE_H_
