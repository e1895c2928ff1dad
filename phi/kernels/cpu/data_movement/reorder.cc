// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/reorder.h"

#include <array>
#include <cstring>

#include "framework/device/cpu/strided_copy.h"
#include "framework/types/layout_descriptor.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The strides of a tensor without blocks, by axis.
Strides StridesOf(const DenseTensor& x) {
  const LayoutDescriptor layout = x.layout();
  if (layout.strided()) return x.strides();
  Strides strides = {};
  int64_t next = 1;
  for (int i = layout.rank() - 1; i >= 0; --i) {
    strides[layout.axis(i)] = next;
    next *= x.extent(layout.axis(i));
  }
  return strides;
}

bool HasBlocks(const DenseTensor& x) {
  return !x.layout().strided() && x.layout().num_blocks() > 0;
}

// The strides of a tensor without blocks along the axes that a blocked tensor
// of the same shape has in memory.
Strides AlongBlocks(LayoutDescriptor blocked, Strides plain) {
  Strides strides = {};
  for (int i = blocked.num_blocks() - 1; i >= 0; --i) {
    const LayoutDescriptor::Block block = blocked.block(i);
    strides[blocked.rank() + i] = plain[block.axis];
    plain[block.axis] *= block.extent;
  }
  for (int i = 0; i < blocked.rank(); ++i) strides[i] = plain[blocked.axis(i)];
  return strides;
}

// The elements of one axis before each of its indices, in memory.
struct AxisOffsets {
  Strides outer = {};  // Of a whole block, by axis.
  std::array<int64_t, LayoutDescriptor::kMaxBlocks> inner = {};  // By block.
};

AxisOffsets OffsetsOf(const DenseTensor& x, const Shape& in_memory) {
  AxisOffsets offsets;
  if (!HasBlocks(x)) {
    offsets.outer = StridesOf(x);
    return offsets;
  }
  const LayoutDescriptor layout = x.layout();
  const Strides strides = ContiguousStrides(in_memory);
  for (int i = 0; i < layout.rank(); ++i) {
    offsets.outer[layout.axis(i)] = strides[i];
  }
  for (int i = 0; i < layout.num_blocks(); ++i) {
    offsets.inner[i] = strides[layout.rank() + i];
  }
  return offsets;
}

int64_t OffsetOf(const DenseTensor& x, const AxisOffsets& offsets,
                 std::array<int64_t, kMaxRank> index) {
  int64_t offset = 0;
  for (int i = HasBlocks(x) ? x.layout().num_blocks() - 1 : -1; i >= 0; --i) {
    const LayoutDescriptor::Block block = x.layout().block(i);
    offset += index[block.axis] % block.extent * offsets.inner[i];
    index[block.axis] /= block.extent;
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    offset += index[axis] * offsets.outer[axis];
  }
  return offset;
}

// Any two layouts, one element after the other: where both have blocks, or
// extents are padded.
void MoveEach(const DenseTensor& x, const Shape& from, DenseTensor* out,
              const Shape& to) {
  const size_t size = ElementSize(x.dtype());
  const char* const source = static_cast<const char*>(x.raw_data());
  char* const target = static_cast<char*>(out->mutable_data<void>());
  const AxisOffsets from_offsets = OffsetsOf(x, from);
  const AxisOffsets to_offsets = OffsetsOf(*out, to);
  std::array<int64_t, kMaxRank> index = {};
  for (int64_t i = 0; i < x.numel(); ++i) {
    std::memcpy(target + OffsetOf(*out, to_offsets, index) * size,
                source + OffsetOf(x, from_offsets, index) * size, size);
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      if (++index[axis] < x.extent(axis)) break;
      index[axis] = 0;
    }
  }
}

}  // namespace

absl::Status MoveReordered(const DenseTensor& x, DenseTensor* out) {
  const size_t size = ElementSize(x.dtype());
  SY_ASSIGN_OR_RETURN(const Shape from, ShapeInMemory(x.layout(), x.shape()));
  SY_ASSIGN_OR_RETURN(const Shape to, ShapeInMemory(out->layout(), x.shape()));
  const bool padded = !IsUnpadded(x.layout(), x.shape()) ||
                      !IsUnpadded(out->layout(), x.shape());
  if (padded || (HasBlocks(x) && HasBlocks(*out))) {
    std::memset(out->mutable_data<void>(), 0, to.numel() * size);
    MoveEach(x, from, out, to);
  } else if (HasBlocks(x)) {
    CopyStrided(size, from, x.raw_data(), ContiguousStrides(from),
                out->mutable_data<void>(),
                AlongBlocks(x.layout(), StridesOf(*out)));
  } else if (HasBlocks(*out)) {
    CopyStrided(size, to, x.raw_data(),
                AlongBlocks(out->layout(), StridesOf(x)),
                out->mutable_data<void>(), ContiguousStrides(to));
  } else {
    CopyStrided(size, x.shape(), x.raw_data(), StridesOf(x),
                out->mutable_data<void>(), StridesOf(*out));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
