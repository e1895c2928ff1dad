// SPDX-License-Identifier: Apache-2.0
// Reductions of adjacent elements, the inner loops of
// phi/kernels/cpu/reduction/reduce.h: vectorised for float and double, plain
// loops for integers.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_SIMD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_SIMD_H_

#include <algorithm>
#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// The sum of x[0, n); in blocks whose sums are added in double.
double SumSpan(const float* x, int64_t n);
double SumSpan(const double* x, int64_t n);
// to[i] += x[i].
void AddSpan(const float* x, int64_t n, float* to);
void AddSpan(const double* x, int64_t n, double* to);
// The largest of x[0, n) and `largest`; NaN if there is one.
float MaxSpan(const float* x, int64_t n, float largest);
double MaxSpan(const double* x, int64_t n, double largest);
// to[i] = the larger of to[i] and x[i]; NaN if one of them is.
void MaxSpan(const float* x, int64_t n, float* to);
void MaxSpan(const double* x, int64_t n, double* to);

// Do what MaxSpan does, with the smallest.
float MinSpan(const float* x, int64_t n, float smallest);
double MinSpan(const double* x, int64_t n, double smallest);
void MinSpan(const float* x, int64_t n, float* to);
void MinSpan(const double* x, int64_t n, double* to);

// Integers wrap around.
template <typename T>
int64_t SumSpan(const T* x, int64_t n) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<uint64_t>(int64_t{x[i]});
  return static_cast<int64_t>(sum);
}
template <typename T>
void AddSpan(const T* x, int64_t n, int64_t* to) {
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<int64_t>(static_cast<uint64_t>(to[i]) +
                                 static_cast<uint64_t>(int64_t{x[i]}));
  }
}
template <typename T>
T MaxSpan(const T* x, int64_t n, T largest) {
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, x[i]);
  return largest;
}
template <typename T>
void MaxSpan(const T* x, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = std::max(to[i], x[i]);
}

template <typename T>
T MinSpan(const T* x, int64_t n, T smallest) {
  for (int64_t i = 0; i < n; ++i) smallest = std::min(smallest, x[i]);
  return smallest;
}
template <typename T>
void MinSpan(const T* x, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i) to[i] = std::min(to[i], x[i]);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_SIMD_H_
