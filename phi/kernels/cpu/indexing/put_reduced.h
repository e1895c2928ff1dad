// SPDX-License-Identifier: Apache-2.0
// put_along_axis of old programs on the CPU, which reduces what goes to one
// element, and its gradient. All inputs are contiguous; every index is checked
// before anything is written.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_PUT_REDUCED_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_PUT_REDUCED_H_

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/legacy_put_along_axis_grad.args.gen.h"

namespace switchyard::phi::kernels::cpu {

// How the values that are put at one element are combined with it.
enum class PutReduction { kAssign, kAdd, kMultiply, kMean, kMin, kMax };

// Returns the reduction of a name that InferMeta has checked.
PutReduction PutReductionOf(std::string_view name);

// The position in arr that each index means. RangeError unless each is in
// [-extent, extent).
absl::StatusOr<std::vector<int64_t>> PutPositions(const DenseTensor& arr,
                                                  const DenseTensor& indices,
                                                  int axis);

// The type in which what goes to one element is reduced; integers wrap around.
template <typename T>
using PutType = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// The values that go to each element, reduced, and how many they are.
template <typename T>
class PutResults {
 public:
  using C = PutType<T>;

  PutResults(PutReduction reduction, const DenseTensor& arr, bool include_self)
      : reduction_(reduction),
        results_(static_cast<size_t>(arr.numel())),
        counts_(static_cast<size_t>(arr.numel()), 0) {
    if (!include_self || reduction == PutReduction::kAssign) return;
    for (int64_t i = 0; i < arr.numel(); ++i) Add(i, arr.data<T>()[i]);
  }

  void Add(int64_t position, T value) {
    const auto at = static_cast<size_t>(position);
    const C v = static_cast<C>(value);
    C& result = results_[at];
    result = counts_[at]++ == 0 ? v : Reduced(result, v);
  }
  int64_t count(int64_t position) const {
    return counts_[static_cast<size_t>(position)];
  }
  C Get(int64_t position) const {
    const C result = results_[static_cast<size_t>(position)];
    return reduction_ == PutReduction::kMean
               ? result / static_cast<C>(count(position))
               : result;
  }

 private:
  static C Wrapped(uint64_t v) { return static_cast<C>(v); }
  C Reduced(C a, C b) const {
    switch (reduction_) {
      case PutReduction::kAssign:
        return b;
      case PutReduction::kMultiply:
        if constexpr (std::is_integral_v<T>) {
          return Wrapped(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        } else {
          return a * b;
        }
      case PutReduction::kMin:
        return b < a || b != b ? b : a;
      case PutReduction::kMax:
        return b > a || b != b ? b : a;
      default:
        if constexpr (std::is_integral_v<T>) {
          return Wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        } else {
          return a + b;
        }
    }
  }

  PutReduction reduction_;
  std::vector<C> results_;
  std::vector<int64_t> counts_;
};

template <typename S>
inline constexpr auto kLegacyPutAlongAxisSpec =
    KernelSpec<S>().Input(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status LegacyPutAlongAxisKernel(const CpuContext&, const DenseTensor& arr,
                                      const DenseTensor& indices,
                                      const DenseTensor& values, int axis,
                                      std::string_view reduce,
                                      bool include_self, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      PutPositions(arr, indices, axis));
  PutResults<T> results(PutReductionOf(reduce), arr, include_self);
  const T* from = values.data<T>();
  for (size_t i = 0; i < positions.size(); ++i) {
    results.Add(positions[i], from[i]);
  }
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < arr.numel(); ++i) to[i] = arr.data<T>()[i];
  for (const int64_t position : positions) {
    to[position] = static_cast<T>(results.Get(position));
  }
  return absl::OkStatus();
}

// The product of the factors of each element without one of them: their own
// zeros are counted, not multiplied.
class OtherFactors {
 public:
  explicit OtherFactors(int64_t count)
      : products_(static_cast<size_t>(count), 1.0),
        zeros_(static_cast<size_t>(count), 0) {}
  void Add(int64_t position, double factor) {
    if (factor == 0) {
      ++zeros_[static_cast<size_t>(position)];
    } else {
      products_[static_cast<size_t>(position)] *= factor;
    }
  }
  double Without(int64_t position, double factor) const {
    const auto at = static_cast<size_t>(position);
    const int64_t other_zeros = zeros_[at] - (factor == 0 ? 1 : 0);
    if (other_zeros > 0) return 0;
    return factor == 0 ? products_[at] : products_[at] / factor;
  }

 private:
  std::vector<double> products_;
  std::vector<int64_t> zeros_;
};

// The share of its gradient that the value at a position gets.
template <typename T>
class PutShares {
 public:
  PutShares(PutReduction reduction, const DenseTensor& arr,
            const std::vector<int64_t>& positions, const T* values,
            const T* out, bool include_self)
      : reduction_(reduction),
        out_(out),
        counts_(static_cast<size_t>(arr.numel()), 0),
        factors_(reduction == PutReduction::kMultiply ? arr.numel() : 0) {
    if (include_self && reduction != PutReduction::kAssign) {
      for (int64_t i = 0; i < arr.numel(); ++i) Count(i, arr.data<T>()[i]);
    }
    for (size_t i = 0; i < positions.size(); ++i) {
      Count(positions[i], values[i]);
    }
  }
  double Of(int64_t position, T value) const {
    const auto count =
        static_cast<double>(counts_[static_cast<size_t>(position)]);
    switch (reduction_) {
      case PutReduction::kMultiply:
        return factors_.Without(position, static_cast<double>(value));
      case PutReduction::kMean:
        return 1 / count;
      case PutReduction::kMin:
      case PutReduction::kMax:
        return value == out_[position] ? 1 / count : 0;
      default:
        return 1;
    }
  }

 private:
  void Count(int64_t position, T value) {
    const bool extreme =
        reduction_ == PutReduction::kMin || reduction_ == PutReduction::kMax;
    if (!extreme || value == out_[position]) {
      ++counts_[static_cast<size_t>(position)];
    }
    if (reduction_ == PutReduction::kMultiply) {
      factors_.Add(position, static_cast<double>(value));
    }
  }

  PutReduction reduction_;
  const T* out_;
  std::vector<int64_t> counts_;
  OtherFactors factors_;
};

template <typename S>
inline constexpr auto kLegacyPutAlongAxisGradSpec =
    KernelSpec<S>().Input(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status LegacyPutAlongAxisGradKernel(
    const CpuContext&, const LegacyPutAlongAxisGradArgs& args) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                      PutPositions(args.arr, args.indices, args.axis));
  const PutReduction reduction = PutReductionOf(args.reduce);
  const bool assigns = reduction == PutReduction::kAssign;
  const T* from = args.values.data<T>();
  const T* grad = args.out_grad.data<T>();
  const PutShares<T> shares(reduction, args.arr, positions, from,
                            args.out.data<T>(), args.include_self);
  if (args.arr_grad != nullptr) {
    T* to = args.arr_grad->mutable_data<T>();
    for (int64_t i = 0; i < args.arr.numel(); ++i) to[i] = grad[i];
    for (const int64_t position : positions) {
      const double share =
          args.include_self && !assigns
              ? shares.Of(position, args.arr.data<T>()[position])
              : 0;
      to[position] =
          static_cast<T>(static_cast<double>(grad[position]) * share);
    }
  }
  if (args.values_grad == nullptr) return absl::OkStatus();
  T* to = args.values_grad->mutable_data<T>();
  std::vector<int64_t> last(assigns ? static_cast<size_t>(args.arr.numel())
                                    : size_t{0});
  for (size_t i = 0; assigns && i < positions.size(); ++i) {
    last[static_cast<size_t>(positions[i])] = static_cast<int64_t>(i);
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    const int64_t position = positions[i];
    const bool lost = assigns && last[static_cast<size_t>(position)] !=
                                     static_cast<int64_t>(i);
    const double share = lost ? 0 : shares.Of(position, from[i]);
    to[i] = static_cast<T>(static_cast<double>(grad[position]) * share);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_PUT_REDUCED_H_
