// SPDX-License-Identifier: Apache-2.0
// Where the elements of a sparse tensor go in a sum of it, and when it is
// transposed: what the kernels of sparse_reduction.h do without values.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SUMMATION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SUMMATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/sparse.h"
#include "framework/types/shape.h"

namespace switchyard::phi::kernels::cpu {

// A sum over all axes or one: what it looks like, and by element of the values
// of x the element of the sum's values that it belongs to.
struct Summation {
  Shape shape;
  int sparse_dim = 1;
  std::vector<int64_t> offsets;  // Of the sum's values, in row-major order.
  std::vector<int64_t> targets;
  // The shape of the sum's values.
  Shape ValuesShape() const;
};
// `axis`: none for all of them, else one that InferMeta has checked. The sum of
// all is there even if x has no values.
absl::StatusOr<Summation> Summarize(const SparseCooTensor& x,
                                    absl::Span<const int64_t> axis,
                                    bool keepdim);
absl::StatusOr<Summation> Summarize(const SparseCsrTensor& x,
                                    absl::Span<const int64_t> axis,
                                    bool keepdim);

// Makes x with axis perm[i] as axis i; the values stay in their order.
// ArgumentError if a dense axis would move.
absl::Status TransposePattern(const CpuContext& context,
                              const SparseCooTensor& x,
                              absl::Span<const int> perm, SparseCooTensor* out);
// Returns, by value of the transposed matrix in row-major order, the number of
// the value of x that it is; values of one position stay in their order.
absl::StatusOr<std::vector<int64_t>> ByColumn(const SparseCsrTensor& x);
// Returns true if `perm` exchanges the two axes of a matrix.
bool Exchanges(absl::Span<const int> perm);
// Makes x, transposed, with `values`, which are in the order of ByColumn.
absl::Status TransposedCsr(const CpuContext& context, const SparseCsrTensor& x,
                           absl::Span<const int64_t> by_column,
                           DenseTensor values, SparseCsrTensor* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SUMMATION_H_
