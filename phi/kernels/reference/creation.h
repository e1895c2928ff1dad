// SPDX-License-Identifier: Apache-2.0
// Reference kernels that make tensors of numbers of their own: arange, one_hot,
// shape. full is in move.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_H_

#include <string>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename T, typename Context>
absl::Status ArangeKernel(const Context&, const Scalar& start, const Scalar&,
                          const Scalar& step, DataType, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      __extension__ using Wide = __int128;
      out->mutable_data<T>()[i] =
          static_cast<T>(Wide{start.to<T>()} + Wide{step.to<T>()} * Wide{i});
    } else {
      const double value = static_cast<double>(start.to<T>()) +
                           static_cast<double>(step.to<T>()) * i;
      out->mutable_data<T>()[i] = static_cast<T>(value);
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status OneHotKernel(const Context&, const DenseTensor& x, int num_classes,
                          bool allow_out_of_range, DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t index = IntegerAt(x, i);
    if (!allow_out_of_range && (index < 0 || index >= num_classes)) {
      return RangeError("x", "in [0, " + std::to_string(num_classes) + ")",
                        std::to_string(index));
    }
  }
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<float>()[i] =
        IntegerAt(x, i / num_classes) == i % num_classes ? 1.0f : 0.0f;
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status ShapeKernel(const Context&, const DenseTensor& input,
                         DenseTensor* out) {
  for (int axis = 0; axis < input.rank(); ++axis) {
    out->mutable_data<T>()[axis] = input.shape()[axis].value();
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CREATION_H_
