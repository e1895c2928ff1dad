// SPDX-License-Identifier: Apache-2.0
// Where the values of sparse tensors stand, and what the kernels of sparse
// tensors do without looking at values.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_PATTERN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_PATTERN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"

namespace switchyard::phi::kernels::cpu {

// The positions of a sparse tensor's values in the dense tensor, row-major: by
// value, the first of the `block` elements that it covers.
struct Pattern {
  std::vector<int64_t> offsets;
  int64_t block = 1;
};
absl::StatusOr<Pattern> MakePattern(const SparseCooTensor& x);
absl::StatusOr<Pattern> MakePattern(const SparseCsrTensor& x);

// The row and the column of each value of a matrix.
struct Places {
  std::vector<int64_t> rows;
  std::vector<int64_t> columns;
};
absl::StatusOr<Places> FindPlaces(const SparseCooTensor& x);
absl::StatusOr<Places> FindPlaces(const SparseCsrTensor& x);

inline int SparseAxes(const SparseCooTensor& x) {
  return static_cast<int>(x.indices().extent(0));
}
inline int SparseAxes(const SparseCsrTensor&) { return 2; }

// Which values share a position: by value, the number of its position in
// row-major order; by position, the first value that has it.
struct Merged {
  std::vector<int64_t> target;
  std::vector<int64_t> first;
};
Merged Merge(const Pattern& pattern);
// Returns `shape` with the number of positions for the number of values.
Shape MergedShape(const Merged& merged, const Shape& shape);

// Returns a tensor with memory whose contents are unspecified.
absl::StatusOr<DenseTensor> NewTensor(const CpuContext& context, DataType dtype,
                                      const Shape& shape);
// Copies a contiguous tensor to `out`, which may lack dtype and memory.
absl::Status CopyInto(const CpuContext& context, const DenseTensor& x,
                      DenseTensor* out);
// Copies `from` to `out`, the gradient of `like`.
absl::Status CopyValues(const CpuContext& context, const DenseTensor& from,
                        const DenseTensor& like, DenseTensor* out);
// ArgumentError unless `values` are of `shape`.
absl::Status CheckValues(std::string_view argument, const DenseTensor& values,
                         const Shape& shape);

// Makes a tensor of copies. RangeError, naming the argument, for a position
// that is none of the tensor's.
absl::Status MakeCoo(const CpuContext& context, const DenseTensor& values,
                     const DenseTensor& indices,
                     absl::Span<const int64_t> shape, SparseCooTensor* out);
absl::Status MakeCsr(const CpuContext& context, const DenseTensor& values,
                     const DenseTensor& crows, const DenseTensor& cols,
                     absl::Span<const int64_t> shape, SparseCsrTensor* out);
// Makes a tensor of the pattern of `x` with a copy of `values`.
absl::Status WithValues(const CpuContext& context, const SparseCooTensor& x,
                        std::string_view argument, const DenseTensor& values,
                        SparseCooTensor* out);
absl::Status WithValues(const CpuContext& context, const SparseCsrTensor& x,
                        std::string_view argument, const DenseTensor& values,
                        SparseCsrTensor* out);

// Takes the blocks of a dense tensor that begin at `offsets`, in this order.
absl::Status TakeCoo(const CpuContext& context, const DenseTensor& x,
                     absl::Span<const int64_t> offsets, int sparse_dim,
                     SparseCooTensor* out);
// Returns the coordinates, on the first `sparse_dim` axes of `shape`, of blocks
// that begin at `offsets`: int64[sparse_dim, n].
absl::StatusOr<DenseTensor> IndicesOf(const CpuContext& context,
                                      const Shape& shape, int sparse_dim,
                                      absl::Span<const int64_t> offsets);
// Makes a tensor of `values` that begin at `offsets`, which ascend; a CSR one
// of two sparse axes.
absl::Status MakeSorted(const CpuContext& context, const Shape& shape,
                        int sparse_dim, absl::Span<const int64_t> offsets,
                        DenseTensor values, SparseCooTensor* out);
absl::Status MakeSorted(const CpuContext& context, const Shape& shape,
                        int sparse_dim, absl::Span<const int64_t> offsets,
                        DenseTensor values, SparseCsrTensor* out);
// Makes a COO tensor of the positions of `merged` and their `values`.
absl::Status MergedCoo(const CpuContext& context, const SparseCooTensor& x,
                       const Merged& merged, DenseTensor values,
                       SparseCooTensor* out);
// Convert a matrix whose values are in row-major order, one a position.
absl::Status ConvertToCsr(const CpuContext& context, const SparseCooTensor& x,
                          SparseCsrTensor* out);
absl::Status ConvertToCoo(const CpuContext& context, const SparseCsrTensor& x,
                          SparseCooTensor* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_PATTERN_H_
