// SPDX-License-Identifier: Apache-2.0
// Reference kernels of gather_nd and scatter_nd_add, one element at a time.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_ND_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_ND_H_

#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// For each element of a tensor of `chosen`, the shape of gather_nd(x, index),
// its row-major position in x.
inline absl::StatusOr<std::vector<int64_t>> ChosenPositions(
    const Shape& x, const DenseTensor& index, const Shape& chosen) {
  const int lead = index.rank() - 1;
  const int columns = static_cast<int>(index.extent(lead));
  for (int64_t i = 0; i < index.numel(); ++i) {
    const int axis = static_cast<int>(i % columns);
    const int64_t at = IntegerAt(index, i), extent = x.extent(axis);
    if (at >= -extent && at < extent) continue;
    return RangeError("index",
                      "in [" + std::to_string(-extent) + ", " +
                          std::to_string(extent) + ") for axis " +
                          std::to_string(axis),
                      std::to_string(at));
  }
  std::vector<int64_t> positions(chosen.numel());
  for (int64_t i = 0; i < chosen.numel(); ++i) {
    const Index from = Unravel(chosen, i);
    Index row = {}, own = {};
    for (int axis = 0; axis < lead; ++axis) row[axis] = from[axis];
    for (int axis = 0; axis < columns; ++axis) {
      row[lead] = axis;
      const int64_t at = IntegerAt(index, Ravel(index.shape(), row));
      own[axis] = at < 0 ? at + x.extent(axis) : at;
    }
    for (int axis = columns; axis < x.rank(); ++axis) {
      own[axis] = from[lead + axis - columns];
    }
    positions[i] = Ravel(x, own);
  }
  return positions;
}

template <typename S>
inline constexpr auto kGatherNdSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status GatherNdKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& index, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      ChosenPositions(x.shape(), index, out->shape()));
  for (size_t i = 0; i < positions.size(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, positions[i]);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kScatterNdAddSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status ScatterNdAddKernel(const ReferenceContext&, const DenseTensor& x,
                                const DenseTensor& index,
                                const DenseTensor& updates, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      ChosenPositions(x.shape(), index, updates.shape()));
  std::vector<SumOf<T>> sums(x.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    sums[i] = static_cast<SumOf<T>>(At<T>(x, i));
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    sums[positions[i]] +=
        static_cast<SumOf<T>>(At<T>(updates, static_cast<int64_t>(i)));
  }
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kScatterNdUpdateSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndex, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status ScatterNdUpdateKernel(const ReferenceContext&,
                                   const DenseTensor& x,
                                   const DenseTensor& index,
                                   const DenseTensor& updates,
                                   DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      ChosenPositions(x.shape(), index, updates.shape()));
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, i);
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    out->mutable_data<T>()[positions[i]] =
        At<T>(updates, static_cast<int64_t>(i));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_ND_H_
