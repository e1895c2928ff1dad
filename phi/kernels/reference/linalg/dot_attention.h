// SPDX-License-Identifier: Apache-2.0
// The reference kernel of dot_attention, in double, by its definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_DOT_ATTENTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_DOT_ATTENTION_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The element of x for the row and column of the matrix that `batch` numbers in
// the leading axes of `out`. Axes of extent 1 are broadcast.
template <typename T>
double BroadcastElement(const DenseTensor& x, const DenseTensor& out,
                        int64_t batch, int64_t row, int64_t column) {
  std::vector<int64_t> index(out.rank());
  index[out.rank() - 1] = column;
  index[out.rank() - 2] = row;
  for (int axis = out.rank() - 3; axis >= 0; --axis) {
    index[axis] = batch % out.extent(axis);
    batch /= out.extent(axis);
  }
  const int lead = out.rank() - x.rank();
  int64_t element = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t at = x.extent(axis) == 1 ? 0 : index[lead + axis];
    element = element * x.extent(axis) + at;
  }
  return At<T>(x, element);
}

template <typename S>
inline constexpr auto kDotAttentionSpec =
    SpecByDtype{DataTypeSet(DataType::kFloat16, DataType::kBFloat16),
                KernelSpec<S>().AllStrided().Input(S::kMask, AnyDtype()),
                KernelSpec<S>().AllStrided()};
template <typename T>
absl::Status DotAttentionKernel(const ReferenceContext&, const DenseTensor& q,
                                const DenseTensor& k, const DenseTensor& v,
                                const DenseTensor* mask, float scale,
                                DenseTensor* out) {
  const int rank = out->rank();
  const int64_t columns = out->extent(rank - 1), rows = out->extent(rank - 2);
  const int64_t keys = v.extent(rank - 2), depth = q.extent(rank - 1);
  for (int64_t line = 0; columns > 0 && line < out->numel() / columns; ++line) {
    const int64_t batch = line / rows, row = line % rows;
    std::vector<double> weights(keys);
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      for (int64_t d = 0; d < depth; ++d) {
        weights[j] += BroadcastElement<T>(q, *out, batch, row, d) *
                      BroadcastElement<T>(k, *out, batch, j, d);
      }
      weights[j] *= double{scale};
      if (mask != nullptr) {
        // A call of halves may have it in float32.
        weights[j] += mask->dtype() == DataTypeOf<T>::value
                          ? BroadcastElement<T>(*mask, *out, batch, row, j)
                          : BroadcastElement<float>(*mask, *out, batch, row, j);
      }
      largest = std::max(largest, weights[j]);
    }
    for (double& weight : weights) {
      weight = std::exp(weight - largest);
      sum += weight;
    }
    for (int64_t e = 0; e < columns; ++e) {
      double result = 0;
      for (int64_t j = 0; j < keys; ++j) {
        result += weights[j] / sum * BroadcastElement<T>(v, *out, batch, j, e);
      }
      out->mutable_data<T>()[line * columns + e] = static_cast<T>(result);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_DOT_ATTENTION_H_
