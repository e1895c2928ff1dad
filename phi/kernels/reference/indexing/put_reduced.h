// SPDX-License-Identifier: Apache-2.0
// Reference kernels of put_along_axis of old programs: for each element a loop
// over all values that go there.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_PUT_REDUCED_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_PUT_REDUCED_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/legacy_put_along_axis_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The numbers of the values that go to each element of arr, in their order.
inline absl::StatusOr<std::vector<std::vector<int64_t>>> ValuesByElement(
    const DenseTensor& arr, const DenseTensor& indices, int axis) {
  std::vector<std::vector<int64_t>> numbers(static_cast<size_t>(arr.numel()));
  const int rank = arr.rank();
  const int along = rank == 0 ? 0 : (axis + rank) % rank;
  const int64_t extent = rank == 0 ? 1 : arr.extent(along);
  for (int64_t i = 0; i < indices.numel(); ++i) {
    const int64_t given = IntegerAt(indices, i);
    if (given < -extent || given >= extent) {
      return RangeError("indices",
                        "in [" + std::to_string(-extent) + ", " +
                            std::to_string(extent) + ")",
                        std::to_string(given));
    }
    Index place = Unravel(indices.shape(), i);
    if (rank > 0) place[along] = (given + extent) % extent;
    numbers[static_cast<size_t>(Ravel(arr.shape(), place))].push_back(i);
  }
  return numbers;
}

// The elements that are reduced to one: its own first, where it counts.
template <typename T>
std::vector<SumOf<T>> Operands(const DenseTensor& arr,
                               const DenseTensor& values, int64_t element,
                               const std::vector<int64_t>& numbers, bool own) {
  std::vector<SumOf<T>> operands;
  if (own) operands.push_back(static_cast<SumOf<T>>(At<T>(arr, element)));
  for (const int64_t i : numbers) {
    operands.push_back(static_cast<SumOf<T>>(At<T>(values, i)));
  }
  return operands;
}

template <typename T>
SumOf<T> ReducedTo(std::string_view reduce,
                   const std::vector<SumOf<T>>& operands) {
  SumOf<T> result = operands[0];
  for (size_t k = 1; k < operands.size(); ++k) {
    const SumOf<T> v = operands[k];
    if (reduce == "assign") {
      result = v;
    } else if (reduce == "mul" || reduce == "multiply") {
      result *= v;
    } else if (reduce == "amin" || reduce == "amax") {
      const T a = static_cast<T>(result), b = static_cast<T>(v);
      if (b != b || (reduce == "amin" ? b < a : b > a)) result = v;
    } else {
      result += v;
    }
  }
  if (reduce != "mean") return result;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<SumOf<T>>(static_cast<int64_t>(result) /
                                 static_cast<int64_t>(operands.size()));
  } else {
    return result / static_cast<double>(operands.size());
  }
}

template <typename S>
inline constexpr auto kLegacyPutAlongAxisSpec =
    KernelSpec<S>().AllStrided().Input(S::kIndices,
                                       WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status LegacyPutAlongAxisKernel(const ReferenceContext&,
                                      const DenseTensor& arr,
                                      const DenseTensor& indices,
                                      const DenseTensor& values, int axis,
                                      std::string_view reduce,
                                      bool include_self, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const auto numbers, ValuesByElement(arr, indices, axis));
  for (int64_t i = 0; i < arr.numel(); ++i) {
    T& result = out->mutable_data<T>()[i];
    const std::vector<int64_t>& own = numbers[static_cast<size_t>(i)];
    result = At<T>(arr, i);
    if (own.empty()) continue;
    result = static_cast<T>(
        ReducedTo<T>(reduce, Operands<T>(arr, values, i, own, include_self)));
  }
  return absl::OkStatus();
}

// The slope of the reduction of `operands` to `result` in number k.
template <typename T>
double SlopeOf(std::string_view reduce, const std::vector<double>& operands,
               size_t k, double result) {
  const double count = static_cast<double>(operands.size());
  if (reduce == "add") return 1;
  if (reduce == "mean") return 1 / count;
  if (reduce == "assign") return k + 1 == operands.size() ? 1 : 0;
  if (reduce == "mul" || reduce == "multiply") {
    double others = 1;
    for (size_t j = 0; j < operands.size(); ++j) {
      if (j != k) others *= operands[j];
    }
    return others;
  }
  double equal = 0;
  for (const double v : operands) equal += v == result ? 1 : 0;
  return operands[k] == result ? 1 / equal : 0;
}

template <typename S>
inline constexpr auto kLegacyPutAlongAxisGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kIndices,
                                       WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status LegacyPutAlongAxisGradKernel(
    const ReferenceContext&, const LegacyPutAlongAxisGradArgs& args) {
  SY_ASSIGN_OR_RETURN(const auto numbers,
                      ValuesByElement(args.arr, args.indices, args.axis));
  const bool keeps = args.include_self && args.reduce != "assign";
  for (int64_t i = 0; i < args.arr.numel(); ++i) {
    const std::vector<int64_t>& own = numbers[static_cast<size_t>(i)];
    const std::vector<double> operands =
        Operands<T>(args.arr, args.values, i, own, keeps);
    const double g = At<T>(args.out_grad, i), result = At<T>(args.out, i);
    if (args.arr_grad != nullptr) {
      double slope = 1;
      if (!own.empty()) {
        slope = keeps ? SlopeOf<T>(args.reduce, operands, 0, result) : 0;
      }
      args.arr_grad->mutable_data<T>()[i] = static_cast<T>(g * slope);
    }
    if (args.values_grad == nullptr) continue;
    for (size_t k = 0; k < own.size(); ++k) {
      const double slope =
          SlopeOf<T>(args.reduce, operands, k + (keeps ? 1 : 0), result);
      args.values_grad->mutable_data<T>()[own[k]] = static_cast<T>(g * slope);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_PUT_REDUCED_H_
