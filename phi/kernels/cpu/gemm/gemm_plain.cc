// SPDX-License-Identifier: Apache-2.0
// Gemm of int32, int64 and complex numbers in plain loops: blocks of b, packed,
// times the rows of a. Integers wrap around; complex numbers are added in the
// order of k, whatever the blocks.
#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

#include "framework/device/cpu/parallel.h"
#include "framework/types/data_type.h"
#include "phi/kernels/cpu/gemm/gemm.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// A packed block of b stays in the first cache while a task's rows pass by.
constexpr int64_t kBlockDepth = 32;
constexpr int64_t kBlockColumns = 96;
// Rows of a task: each packs all of b for itself.
constexpr int64_t kTaskRows = 64;
// Multiply-adds that are worth a thread.
constexpr int64_t kThreadWork = 1 << 17;

// The type that is multiplied and added: signed overflow is undefined, unsigned
// wraps around.
template <typename T, bool kComplex>
struct FactorOf {
  using Type = std::make_unsigned_t<T>;
};
template <typename T>
struct FactorOf<T, true> {
  using Type = T;
};
template <typename T>
using Factor = typename FactorOf<T, kIsComplex<T>>::Type;

template <typename T>
using PackedBlock = std::array<Factor<T>, kBlockDepth * kBlockColumns>;

// sum + a * b.
template <typename T>
T MultiplyAdd(Factor<T> a, Factor<T> b, T sum) {
  if constexpr (kIsComplex<T>) {
    return T(sum.real() + a.real() * b.real() - a.imag() * b.imag(),
             sum.imag() + a.real() * b.imag() + a.imag() * b.real());
  } else {
    return static_cast<T>(static_cast<Factor<T>>(sum) + a * b);
  }
}

// The block [depth, columns] at `b`, by rows of kBlockColumns.
template <typename T>
void PackBlock(const GemmOperand<T>& b, int64_t depth, int64_t columns,
               PackedBlock<T>* packed) {
  for (int64_t p = 0; p < depth; ++p) {
    const T* from = b.data + p * b.row_stride;
    Factor<T>* to = packed->data() + p * kBlockColumns;
    for (int64_t j = 0; j < columns; ++j) {
      to[j] = static_cast<Factor<T>>(from[j * b.column_stride]);
    }
  }
}

// out[j] += the sum over p of a[p] * packed[p, j].
template <typename T>
void AddRow(const T* a, int64_t stride, const PackedBlock<T>& packed,
            int64_t depth, int64_t columns, T* out) {
  for (int64_t p = 0; p < depth; ++p) {
    const auto factor = static_cast<Factor<T>>(a[p * stride]);
    const Factor<T>* row = packed.data() + p * kBlockColumns;
    for (int64_t j = 0; j < columns; ++j) {
      out[j] = MultiplyAdd<T>(factor, row[j], out[j]);
    }
  }
}

// Rows [begin, end) of out.
template <typename T>
void MultiplyRows(const GemmProduct<T>& product, int64_t begin, int64_t end,
                  int64_t n, int64_t k) {
  const GemmOperand<T>& a = product.a;
  const GemmOperand<T>& b = product.b;
  std::fill(product.out + begin * n, product.out + end * n, T{0});
  PackedBlock<T> packed;
  for (int64_t j = 0; j < n; j += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, n - j);
    for (int64_t p = 0; p < k; p += kBlockDepth) {
      const int64_t depth = std::min(kBlockDepth, k - p);
      PackBlock<T>({b.data + p * b.row_stride + j * b.column_stride,
                    b.row_stride, b.column_stride},
                   depth, columns, &packed);
      for (int64_t i = begin; i < end; ++i) {
        AddRow(a.data + i * a.row_stride + p * a.column_stride, a.column_stride,
               packed, depth, columns, product.out + i * n + j);
      }
    }
  }
}

template <typename T>
absl::Status RunPlain(int64_t m, int64_t n, int64_t k,
                      absl::Span<const GemmProduct<T>> products) {
  if (m == 0 || n == 0 || products.empty()) return absl::OkStatus();
  const int64_t parts = (m + kTaskRows - 1) / kTaskRows;
  // As a float: n * k of expanded operands may be beyond int64.
  const double work = static_cast<double>(std::min(m, kTaskRows)) *
                      static_cast<double>(n) *
                      static_cast<double>(std::max<int64_t>(k, 1));
  const auto grain =
      static_cast<int64_t>(std::max(1.0, double{kThreadWork} / work));
  ParallelFor(0, static_cast<int64_t>(products.size()) * parts, grain,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  const int64_t row = t % parts * kTaskRows;
                  MultiplyRows(products[t / parts], row,
                               std::min(row + kTaskRows, m), n, k);
                }
              });
  return absl::OkStatus();
}

}  // namespace

absl::Status Gemm(Allocator&, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<int32_t>> products) {
  return RunPlain(m, n, k, products);
}

absl::Status Gemm(Allocator&, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<int64_t>> products) {
  return RunPlain(m, n, k, products);
}

absl::Status Gemm(Allocator&, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<std::complex<float>>> products) {
  return RunPlain(m, n, k, products);
}

absl::Status Gemm(
    Allocator&, int64_t m, int64_t n, int64_t k,
    absl::Span<const GemmProduct<std::complex<double>>> products) {
  return RunPlain(m, n, k, products);
}

}  // namespace switchyard::phi::kernels::cpu
