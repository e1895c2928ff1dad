// SPDX-License-Identifier: Apache-2.0
// dot_attention on the CPU: blocks of rows, of which the scores stay in a near
// cache between the two products. Operands may have any strides, so heads that
// a transposition moved are not copied.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_DOT_ATTENTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_DOT_ATTENTION_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/linalg/attention_scores.h"
#include "phi/kernels/cpu/simd/workspace.h"
#include "phi/kernels/cpu/softmax/softmax.h"

namespace switchyard::phi::kernels::cpu {

// An operand along the axes of the result: 0 where it is broadcast.
template <typename T>
struct AttentionOperand {
  const T* data = nullptr;
  Strides strides = {};
  int row = 0, column = 0;  // The last two axes.

  AttentionOperand(const DenseTensor& x, int rank)
      : data(x.data<T>()), row(rank - 2), column(rank - 1) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      strides[rank - x.rank() + axis] =
          x.extent(axis) == 1 ? 0 : x.strides()[axis];
    }
  }
  int64_t row_stride() const { return strides[row]; }
  int64_t column_stride() const { return strides[column]; }
  // Returns the matrix that `head` numbers in the leading axes of `shape`.
  const T* Head(const Shape& shape, int64_t head) const {
    const T* at = data;
    for (int axis = row - 1; axis >= 0; --axis) {
      at += head % shape.extent(axis) * strides[axis];
      head /= shape.extent(axis);
    }
    return at;
  }
};

// How the work is cut, by extents alone: `rows` rows of each of `heads` heads
// have their scores at once.
struct AttentionBlocks {
  // Half of a second cache in float32. With fewer rows packing the keys for
  // each block would count.
  static constexpr int64_t kScores = 1 << 17, kLeastRows = 32;
  int64_t rows, heads;

  AttentionBlocks(int64_t all_rows, int64_t keys, int64_t all_heads)
      : rows(std::min(all_rows, std::max(kLeastRows, kScores / keys))),
        heads(1) {
    if (rows == all_rows && keys <= kScores / rows) {
      heads = std::clamp<int64_t>(kScores / (rows * keys), 1, all_heads);
    }
  }
};

// The scores of `rows` rows, from `row` on, of `heads` heads, from `first` on.
template <typename T>
struct ScoreBlock {
  T* scores;  // [heads, rows, keys]
  int64_t first, heads, row, rows, keys;
};

// Scales the scores, and adds the mask, unless it is null, to them. `shape` is
// the output's.
template <typename T>
void FinishScoreBlock(const ScoreBlock<T>& block, float scale,
                      const AttentionOperand<T>* mask, const Shape& shape) {
  if (scale == 1 && mask == nullptr) return;
  const auto finish = [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const T* added = nullptr;
      if (mask != nullptr) {
        added = mask->Head(shape, block.first + line / block.rows) +
                (block.row + line % block.rows) * mask->row_stride();
      }
      FinishScores(ScoreLine<T>{block.scores + line * block.keys, block.keys,
                                static_cast<T>(scale), added,
                                mask == nullptr ? 0 : mask->column_stride()});
    }
  };
  ParallelFor(0, block.heads * block.rows,
              std::max<int64_t>(1, (1 << 14) / block.keys), finish);
}

// Tensors of halves are read from widened copies, which are contiguous.
template <typename S>
inline constexpr auto kDotAttentionSpec = SpecByDtype{
    DataTypeSet(DataType::kFloat16, DataType::kBFloat16),
    KernelSpec<S>().Input(S::kMask, AnyDtype()), KernelSpec<S>().AllStrided()};
template <typename T>
absl::Status DotAttentionOf(const CpuContext& context, const DenseTensor& q,
                            const DenseTensor& k, const DenseTensor& v,
                            const DenseTensor* mask, float scale,
                            DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const int rank = out->rank();
  const int64_t m = out->extent(rank - 2), e = out->extent(rank - 1);
  const int64_t n = v.extent(rank - 2), d = q.extent(rank - 1);
  T* const to = out->mutable_data<T>();
  if (n == 0) {
    std::fill(to, to + out->numel(), T{0});
    return absl::OkStatus();
  }
  const AttentionOperand<T> queries(q, rank), keys(k, rank), values(v, rank);
  const AttentionOperand<T> masks(mask == nullptr ? q : *mask, rank);
  const int64_t count = out->numel() / (m * e);
  const AttentionBlocks blocks(m, n, count);
  const std::optional<int64_t> elements =
      CheckedMultiply(blocks.rows * blocks.heads, n);
  if (!elements.has_value()) {
    return absl::ResourceExhaustedError(
        "memory: workspace must have fewer than 2^63 elements");
  }
  Allocator& allocator = context.allocator();
  SY_ASSIGN_OR_RETURN(const Workspace<T> workspace,
                      Workspace<T>::Make(allocator, *elements));
  SY_ASSIGN_OR_RETURN(const Workspace<GemmProduct<T>> products,
                      Workspace<GemmProduct<T>>::Make(allocator, blocks.heads));
  T* const scores = workspace.data();
  for (int64_t first = 0; first < count; first += blocks.heads) {
    const int64_t heads = std::min(blocks.heads, count - first);
    const absl::Span<GemmProduct<T>> some = products.span().subspan(0, heads);
    for (int64_t row = 0; row < m; row += blocks.rows) {
      const int64_t rows = std::min(blocks.rows, m - row);
      for (int64_t i = 0; i < heads; ++i) {
        some[i] = {
            {queries.Head(out->shape(), first + i) + row * queries.row_stride(),
             queries.row_stride(), queries.column_stride()},
            {keys.Head(out->shape(), first + i), keys.column_stride(),
             keys.row_stride()},
            scores + i * rows * n};
      }
      SY_RETURN_IF_ERROR(
          Gemm(allocator, rows, n, d, absl::MakeConstSpan(some)));
      FinishScoreBlock(ScoreBlock<T>{scores, first, heads, row, rows, n}, scale,
                       mask == nullptr ? nullptr : &masks, out->shape());
      SoftmaxForward(AxisSlices{heads * rows, n, 1}, SoftmaxScale::kLinear,
                     scores, scores);
      for (int64_t i = 0; i < heads; ++i) {
        some[i] = {{scores + i * rows * n, n, 1},
                   {values.Head(out->shape(), first + i), values.row_stride(),
                    values.column_stride()},
                   to + ((first + i) * m + row) * e};
      }
      SY_RETURN_IF_ERROR(
          Gemm(allocator, rows, e, n, absl::MakeConstSpan(some)));
    }
  }
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto DotAttentionKernel =
    KernelInFloat<T, &DotAttentionOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_DOT_ATTENTION_H_
