// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/rearrange.h"

#include <algorithm>
#include <cstring>

#include "framework/device/cpu/parallel.h"
#include "framework/device/cpu/strided_copy.h"

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr int64_t kBytesAThread = 1 << 17;

// Rows of `bytes` bytes that are worth a thread.
int64_t RowGrain(int64_t bytes) {
  return std::max<int64_t>(1, kBytesAThread / std::max<int64_t>(1, bytes));
}

// Bytes from a padded tensor's first element to the first one inside.
int64_t BytesBefore(const DenseTensor& padded,
                    absl::Span<const int64_t> paddings) {
  int64_t offset = 0;
  for (int axis = 0; axis < padded.rank(); ++axis) {
    offset += paddings[2 * axis] * padded.strides()[axis];
  }
  return offset * static_cast<int64_t>(ElementSize(padded.dtype()));
}

}  // namespace

absl::Status MoveStack(DenseList x, int axis, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, out->rank()));
  if (out->numel() == 0) return absl::OkStatus();
  const size_t size = ElementSize(out->dtype());
  // The new axis aside, out's geometry is that of one of the tensors.
  Strides strides = {};
  for (int i = 0; i + 1 < out->rank(); ++i) {
    strides[i] = out->strides()[i < axis ? i : i + 1];
  }
  char* to = out->mutable_data<char>();
  for (size_t i = 0; i < x.size(); ++i) {
    CopyStrided(size, x[i].shape(), x[i].raw_data(), x[i].strides(), to,
                strides);
    to += out->strides()[axis] * static_cast<int64_t>(size);
  }
  return absl::OkStatus();
}

void MoveTile(const DenseTensor& x, IntArray repeat_times, DenseTensor* out) {
  if (out->numel() == 0) return;
  const int rank = out->rank();
  const int lead = rank - x.rank();
  const int silent = rank - static_cast<int>(repeat_times.size());
  const auto extent = [&](int axis) {
    return axis < lead ? int64_t{1} : x.extent(axis - lead);
  };
  // The last axis that is repeated, and the contiguous block that it repeats.
  int last = rank - 1;
  int64_t block = static_cast<int64_t>(ElementSize(x.dtype()));
  for (; last >= 0; --last) {
    block *= extent(last);
    if (last >= silent && repeat_times[last - silent] != 1) break;
  }
  const int64_t repeats = last < 0 ? 1 : repeat_times[last - silent];
  int64_t rows = 1;
  for (int axis = 0; axis < last; ++axis) rows *= out->extent(axis);
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = out->mutable_data<char>();
  ParallelFor(0, rows, RowGrain(block * repeats),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  int64_t rest = row, offset = 0, stride = 1;
                  for (int axis = last - 1; axis >= 0; --axis) {
                    offset += rest % out->extent(axis) % extent(axis) * stride;
                    rest /= out->extent(axis);
                    stride *= extent(axis);
                  }
                  for (int64_t r = 0; r < repeats; ++r) {
                    std::memcpy(to + (row * repeats + r) * block,
                                from + offset * block, block);
                  }
                }
              });
}

void MovePad(const DenseTensor& x, absl::Span<const int64_t> paddings,
             DenseTensor* out) {
  if (x.numel() == 0) return;
  CopyStrided(ElementSize(x.dtype()), x.shape(), x.raw_data(), x.strides(),
              out->mutable_data<char>() + BytesBefore(*out, paddings),
              out->strides());
}

void MovePadGrad(const DenseTensor& out_grad,
                 absl::Span<const int64_t> paddings, DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return;
  CopyStrided(ElementSize(x_grad->dtype()), x_grad->shape(),
              static_cast<const char*>(out_grad.raw_data()) +
                  BytesBefore(out_grad, paddings),
              out_grad.strides(), x_grad->mutable_data<char>(),
              x_grad->strides());
}

absl::Status MoveFlip(const DenseTensor& x, absl::Span<const int> axis,
                      DenseTensor* out) {
  if (x.numel() == 0) return absl::OkStatus();
  const size_t size = ElementSize(x.dtype());
  Strides strides = x.strides();
  int64_t offset = 0;
  for (const int a : axis) {
    SY_ASSIGN_OR_RETURN(const int i, NormalizeAxis("axis", a, x.rank()));
    offset += (x.extent(i) - 1) * strides[i];
    strides[i] = -strides[i];
  }
  const char* from = static_cast<const char*>(x.raw_data());
  CopyStrided(size, x.shape(), from + offset * static_cast<int64_t>(size),
              strides, out->mutable_data<char>(), out->strides());
  return absl::OkStatus();
}

void MoveTriangle(const DenseTensor& x, int diagonal, bool lower,
                  DenseTensor* out) {
  if (x.numel() == 0) return;
  const int64_t size = static_cast<int64_t>(ElementSize(x.dtype()));
  const int64_t rows = x.extent(x.rank() - 2);
  const int64_t columns = x.extent(x.rank() - 1);
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = out->mutable_data<char>();
  ParallelFor(0, x.numel() / columns, RowGrain(columns * size),
              [=](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  // The first column right of the diagonal, or on it.
                  const int64_t edge = std::clamp<int64_t>(
                      row % rows + diagonal + (lower ? 1 : 0), 0, columns);
                  const int64_t kept = lower ? 0 : edge;
                  const int64_t count = lower ? edge : columns - edge;
                  char* line = to + row * columns * size;
                  std::memset(line, 0, columns * size);
                  std::memcpy(line + kept * size,
                              from + (row * columns + kept) * size,
                              count * size);
                }
              });
}

}  // namespace switchyard::phi::kernels::cpu
