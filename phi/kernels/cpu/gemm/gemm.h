// SPDX-License-Identifier: Apache-2.0
// Gemm: stacks of matrix products on the CPU, the one engine under matmul and
// mul. It takes any strides, so a transposed operand costs nothing extra.
//
// Bits: each element of out is summed over k in order, in blocks of at most
// kGemmDepth (cut by k alone) whose sums are added in order. Neither threads
// nor strides nor what is packed change that, so the result depends on the
// values and k alone (and on the instruction set).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_H_

#include <complex>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/buffer.h"
#include "framework/types/float16.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr int64_t kGemmDepth = 320;

// One operand: elements from one row, or column, to the next.
template <typename T>
struct GemmOperand {
  const T* data;
  int64_t row_stride;
  int64_t column_stride;
};

// One product: out [m, n], row-major without gaps, = a [m, k] times b [k, n].
template <typename T>
struct GemmProduct {
  GemmOperand<T> a;
  GemmOperand<T> b;
  T* out;
  // Whether b is packed, as strips of GemmStripColumns() columns that follow
  // each other, each a row of the strip after the other; its strides count for
  // nothing. The last strip has lanes beside b, of any finite values.
  bool packed_b = false;
};

// Returns how many columns of a packed right operand lie together: a power of
// two, of which the instruction set decides.
int64_t GemmStripColumns(float);
int64_t GemmStripColumns(double);

// Computes every product; all have the same m, n and k, and their outputs are
// apart. ResourceExhausted, and nothing is written, if there is no memory to
// pack into.
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<float>> products);
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<double>> products);

// Works on the results of a product as soon as their sums are complete, while
// they are in a near cache: those of rows [row, row + rows) and columns
// [column, column + columns). Called by any thread of the product, for each
// element once.
using GemmFinish = absl::FunctionRef<void(int64_t row, int64_t column,
                                          int64_t rows, int64_t columns)>;
// Computes one product, and finishes its results.
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  const GemmProduct<float>& product, GemmFinish finish);
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  const GemmProduct<double>& product, GemmFinish finish);

// Multiplied and summed as float, each element of out rounded once:
// gemm_half.cc.
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<float16>> products);
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<bfloat16>> products);
// Modulo 2^32 and 2^64; no memory is taken: gemm_plain.cc.
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<int32_t>> products);
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<int64_t>> products);
// Summed over k in order; no memory is taken: gemm_plain.cc.
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<std::complex<float>>> products);
absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<std::complex<double>>> products);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_H_
