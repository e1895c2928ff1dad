// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/reorder.h"

#include <array>
#include <complex>
#include <cstring>
#include <vector>

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

bool TwoBlocksOfOneAxis(LayoutDescriptor layout) {
  return layout.num_blocks() == 2 &&
         layout.block(0).axis == layout.block(1).axis;
}

// Elements that are a box in memory, of a tensor with blocks and of one without
// along the same axes.
struct Box {
  Shape extents;
  int64_t blocked_offset = 0;
  int64_t plain_offset = 0;
  bool padding = false;  // In the tensor with blocks alone.
};

// Some whole blocks of an axis, or a piece of its last block.
struct Piece {
  int64_t first_block;
  int64_t blocks;
  int64_t begin;  // In each block.
  int64_t count;
  bool padding;
};

// Cuts each box along one blocked axis of `extent` elements: whole blocks, what
// is left for the last one, and its padding. `outer` and `inner` are the places
// of the axis and of its block in memory.
std::vector<Box> Cut(const std::vector<Box>& boxes, int64_t extent,
                     int64_t block, int outer, int inner,
                     const Strides& blocked, const Strides& plain) {
  const int64_t whole = extent / block;
  const int64_t rest = extent % block;
  std::vector<Box> cut;
  for (const Piece& piece :
       {Piece{0, whole, 0, block, false}, Piece{whole, 1, 0, rest, false},
        Piece{whole, 1, rest, block - rest, true}}) {
    if (piece.blocks == 0 || (piece.first_block == whole && rest == 0)) {
      continue;
    }
    for (Box box : boxes) {
      box.extents[outer] = piece.blocks;
      box.extents[inner] = piece.count;
      box.blocked_offset +=
          piece.first_block * blocked[outer] + piece.begin * blocked[inner];
      box.plain_offset +=
          piece.first_block * plain[outer] + piece.begin * plain[inner];
      box.padding |= piece.padding;
      cut.push_back(box);
    }
  }
  return cut;
}

// One of the two has blocks, each of another axis. A padded extent makes a few
// boxes of one, each of which has strides in both tensors.
void MoveBoxes(const DenseTensor& x, DenseTensor* out, const Shape& in_memory) {
  const bool into_blocks = HasBlocks(*out);
  const LayoutDescriptor layout = into_blocks ? out->layout() : x.layout();
  const Strides blocked = ContiguousStrides(in_memory);
  const Strides plain = AlongBlocks(layout, StridesOf(into_blocks ? x : *out));
  std::vector<Box> boxes = {{in_memory}};
  for (int i = 0; i < layout.num_blocks(); ++i) {
    const LayoutDescriptor::Block block = layout.block(i);
    int outer = 0;
    while (layout.axis(outer) != block.axis) ++outer;
    boxes = Cut(boxes, x.extent(block.axis), block.extent, outer,
                layout.rank() + i, blocked, plain);
  }
  const size_t size = ElementSize(x.dtype());
  const char* const source = static_cast<const char*>(x.raw_data());
  char* const target = static_cast<char*>(out->mutable_data<void>());
  const std::complex<double> zero = 0;  // The largest element.
  for (const Box& box : boxes) {
    const int64_t from = into_blocks ? box.plain_offset : box.blocked_offset;
    const int64_t to = into_blocks ? box.blocked_offset : box.plain_offset;
    if (!box.padding) {
      CopyStrided(size, box.extents, source + from * size,
                  into_blocks ? plain : blocked, target + to * size,
                  into_blocks ? blocked : plain);
    } else if (into_blocks) {
      CopyStrided(size, box.extents, &zero, Strides(), target + to * size,
                  blocked);
    }
  }
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

// Any two layouts, one element after the other.
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
  SY_ASSIGN_OR_RETURN(const Shape from, ShapeInMemory(x.layout(), x.shape()));
  SY_ASSIGN_OR_RETURN(const Shape to, ShapeInMemory(out->layout(), x.shape()));
  const size_t size = ElementSize(x.dtype());
  if (!HasBlocks(x) && !HasBlocks(*out)) {
    CopyStrided(size, x.shape(), x.raw_data(), StridesOf(x),
                out->mutable_data<void>(), StridesOf(*out));
  } else if ((HasBlocks(x) && HasBlocks(*out)) ||
             TwoBlocksOfOneAxis((HasBlocks(x) ? x : *out).layout())) {
    std::memset(out->mutable_data<void>(), 0, to.numel() * size);
    MoveEach(x, from, out, to);
  } else {
    MoveBoxes(x, out, HasBlocks(x) ? from : to);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
