// SPDX-License-Identifier: Apache-2.0
// The reference kernel of linear_epilogue, in double: sums, then each step of
// the definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/linear_epilogue.args.gen.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kLinearEpilogueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LinearEpilogueKernel(const ReferenceContext&,
                                  const LinearEpilogueArgs& args) {
  const int64_t k = args.x.shape().numel(args.x_num_col_dims, args.x.rank());
  const int64_t n = args.y.extent(1);
  const auto rows = Widened<T>(args.x), columns = Widened<T>(args.y);
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) {
      sum += rows[i / n * k + j] * columns[j * n + i % n];
    }
    if (args.bias != nullptr) sum += At<T>(*args.bias, i % n);
    if (args.residual != nullptr) sum += At<T>(*args.residual, i);
    args.out->mutable_data<T>()[i] = static_cast<T>(
        ReferenceActivation(args.activation, sum, args.alpha, args.beta));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_
