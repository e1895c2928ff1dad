// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/linalg.h"

#include <algorithm>

#include "phi/core/signatures/matmul.gen.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {
namespace {

using dnnl::memory;

// A contiguous operand as a stack of matrices of `rank` axes, transposed by
// its strides. `vector_is_row` says what a 1-d operand is.
memory::desc StackOf(const DenseTensor& x, int rank, bool transpose,
                     bool vector_is_row) {
  memory::dims dims(rank, 1), strides(rank, 1);
  if (x.rank() == 1) {
    dims[vector_is_row ? rank - 1 : rank - 2] = x.extent(0);
    const int64_t outer = vector_is_row ? x.extent(0) : 1;
    std::fill(strides.begin(), strides.end() - (vector_is_row ? 1 : 2), outer);
    if (!vector_is_row) {
      std::fill(strides.begin(), strides.end() - 2, x.extent(0));
    }
    return memory::desc(dims, memory::data_type::f32, strides);
  }
  const int lead = rank - x.rank();
  int64_t next = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    if (axis >= lead) dims[axis] = x.extent(axis - lead);
    strides[axis] = next;
    next *= dims[axis];
  }
  if (transpose) {
    std::swap(dims[rank - 1], dims[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  return memory::desc(dims, memory::data_type::f32, strides);
}

OnednnPrimitive MakeMatmul(const dnnl::engine& engine, const memory::desc& a,
                           const memory::desc& b, const memory::desc& c) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::primitive_desc primitive(dnnl::matmul::desc(a, b, c),
                                               attr, engine);
  return {dnnl::matmul(primitive),
          {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}},
          static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
}

// Returns a part with `extent` matrices or rows; what there is one of stays.
memory::desc WithFirst(const memory::desc& whole, int64_t extent) {
  if (whole.dims()[0] == 1) return whole;
  memory::desc part = whole;
  part.data.dims[0] = part.data.padded_dims[0] = extent;
  return part;
}

// Cuts stacks into matrices, and one matrix into ranges of rows. Which of
// oneDNN's products is taken, and so the bits, depends on the extents: the cut
// is the same for one thread.
OnednnSplit SplitProduct(int64_t extent, bool in_rows, double microseconds) {
  constexpr int64_t kRows = 8;    // In a block.
  constexpr int64_t kLeast = 16;  // Each part packs all of the other matrix.
  OnednnSplit split;
  split.extent = extent;
  split.block = in_rows ? kRows : 1;
  split.parts = OnednnParts((extent + split.block - 1) / split.block,
                            microseconds, in_rows ? kLeast : 1);
  split.always = true;
  return split;
}

constexpr int64_t kFloat = sizeof(float);

}  // namespace

template <>
absl::Status MatmulKernel<float>(const OnednnContext& context,
                                 const DenseTensor& x, const DenseTensor& y,
                                 bool transpose_x, bool transpose_y,
                                 DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const int rank = std::max({x.rank(), y.rank(), 2});
  const memory::desc a = StackOf(x, rank, transpose_x, /*vector_is_row=*/true);
  const memory::desc b = StackOf(y, rank, transpose_y, /*vector_is_row=*/false);
  memory::dims dims(rank), strides(rank);
  const memory::dims a_dims = a.dims(), b_dims = b.dims();
  int64_t next = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    dims[axis] = axis == rank - 1   ? b_dims[axis]
                 : axis == rank - 2 ? a_dims[axis]
                                    : std::max(a_dims[axis], b_dims[axis]);
    strides[axis] = next;
    next *= dims[axis];
  }
  const bool in_rows = rank == 2;
  const OnednnSplit split =
      SplitProduct(dims[0], in_rows,
                   static_cast<double>(out->numel() * a_dims[rank - 1]) / 40e3);
  const auto step = [&](const memory::desc& desc) {
    const int64_t stride = desc.data.format_desc.blocking.strides[0];
    return desc.dims()[0] == 1 ? 0 : split.block * stride * kFloat;
  };
  const memory::desc c(dims, memory::data_type::f32, strides);
  OnednnKey key{MatmulSignature::kOp, {transpose_x, transpose_y, x.rank()}};
  key.numbers.insert(key.numbers.end(), a_dims.begin(), a_dims.end());
  key.numbers.insert(key.numbers.end(), b_dims.begin(), b_dims.end());
  const OnednnBuffer buffers[] = {
      {const_cast<float*>(x.data<float>()), 0, step(a)},
      {const_cast<float*>(y.data<float>()), 0, in_rows ? 0 : step(b)},
      {out->mutable_data<float>(), 0, step(c)}};
  return context.ExecuteSplit(
      std::move(key), split,
      [&](const dnnl::engine& engine, const OnednnPart& part) {
        return MakeMatmul(engine, WithFirst(a, part.extent),
                          in_rows ? b : WithFirst(b, part.extent),
                          WithFirst(c, part.extent));
      },
      buffers);
}

}  // namespace switchyard::phi::kernels::onednn
