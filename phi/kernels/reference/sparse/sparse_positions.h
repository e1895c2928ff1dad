// SPDX-License-Identifier: Apache-2.0
// Reference kernels between sparse and dense tensors, and between the values of
// one position: by coordinates, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_POSITIONS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_POSITIONS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"

namespace switchyard::phi::kernels::reference {

// Writes each element of a dense tensor as the sum of the values there.
template <typename T, typename Sparse>
absl::Status Expand(const Sparse& x, DenseTensor* out) {
  const SparseParts parts = TakeApart<T>(x);
  const BlockMap sums = AddUp(parts);
  SparsePart part;
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    part.at = {};
    std::copy_n(index.begin(), parts.axes, part.at.begin());
    Index inner = {};
    std::copy(index.begin() + parts.axes, index.end(), inner.begin());
    const auto found = sums.find(part.at);
    out->mutable_data<T>()[i] =
        found == sums.end() ? T{0}
                            : static_cast<T>(found->second[static_cast<size_t>(
                                  Ravel(parts.BlockShape(), inner))]);
  }
  return absl::OkStatus();
}

// Writes the elements of a dense gradient at the positions of x.
template <typename T, typename Sparse>
absl::Status PickGrad(const ReferenceContext& context, const Sparse& x,
                      const DenseTensor& out_grad, Sparse* x_grad) {
  SparseParts parts = TakeApart<T>(x);
  for (SparsePart& part : parts.parts) {
    for (size_t k = 0; k < part.block.size(); ++k) {
      part.block[k] = static_cast<double>(
          At<T>(out_grad, parts.At(part, static_cast<int64_t>(k))));
    }
  }
  return Assemble<T>(context, parts, x_grad);
}

// The blocks of x that are not 0 throughout.
template <typename T>
SparseParts Nonzero(const DenseTensor& x, int axes) {
  BlockMap blocks;
  const int64_t width = x.shape().numel(axes, x.rank());
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (At<T>(x, i) == T{0}) continue;
    Index at = Unravel(x.shape(), i);
    std::fill(at.begin() + axes, at.end(), 0);
    std::vector<double>& block = blocks[at];
    if (!block.empty()) continue;
    for (int64_t k = 0; k < width; ++k) {
      block.push_back(static_cast<double>(At<T>(x, i / width * width + k)));
    }
  }
  return FromMap(x.shape(), axes, std::move(blocks));
}

// Returns the gradient of a tensor's sums by position as that of its parts.
inline absl::StatusOr<SparseParts> SpreadOut(SparseParts x,
                                             const SparseParts& out_grad) {
  const BlockMap grads = AddUp(out_grad);
  SY_RETURN_IF_ERROR(CheckCount("out_grad", grads.size(), AddUp(x).size()));
  for (SparsePart& part : x.parts) {
    const auto found = grads.find(part.at);
    if (found == grads.end()) {
      return ArgumentError("out_grad", "of the positions of x", "others");
    }
    part.block = found->second;
  }
  return x;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_POSITIONS_H_
