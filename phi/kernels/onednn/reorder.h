// SPDX-License-Identifier: Apache-2.0
// reorder by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_REORDER_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_REORDER_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Reads contiguous tensors alone; our own kernel takes any strides.
template <typename S>
inline constexpr auto kReorderSpec =
    KernelSpec<S>()
        .Input(S::kX, WithAnyLayout(ArgDef()))
        .Output(S::kOut, WithAnyLayout(ArgDef()))
        .NoEmpty()
        .When(RankAtLeast(S::kX, 1))
        .When(RankAtMost(S::kX, LayoutDescriptor::kMaxRank));
template <typename T>
absl::Status ReorderKernel(const OnednnContext& context, const DenseTensor& x,
                           std::string_view layout, DenseTensor* out);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_REORDER_H_
