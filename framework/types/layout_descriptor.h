// SPDX-License-Identifier: Apache-2.0
// LayoutDescriptor: how the elements of one tensor lie in memory. Its class is
// a DataLayout (framework/types/data_layout.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_LAYOUT_DESCRIPTOR_H_
#define SWITCHYARD_FRAMEWORK_TYPES_LAYOUT_DESCRIPTOR_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_layout.h"
#include "framework/types/shape.h"

namespace switchyard {

// Describes how the elements of a tensor lie in memory. The default is strided:
// the tensor's strides say it. Any other layout is an order of the axes, the
// outermost first, and up to two inner blocks, the outer one first; the extent
// of a blocked axis is padded with zeros to a multiple of its block. Strides of
// such a tensor mean nothing.
//
// Its text is oneDNN's tag: the axes as letters in their order, large where
// they are blocked, then each block's extent and axis. Of a tensor [batch,
// channels, height, width], "aBcd8b" has eight channels together at each pixel,
// and "acdb" has the channels last. A plain value of 32 bits.
class LayoutDescriptor {
 public:
  // One inner block: `extent` successive elements along `axis`.
  struct Block {
    int axis;
    int64_t extent;
  };
  static constexpr int kMaxRank = 5;
  static constexpr int kMaxBlocks = 2;

  constexpr LayoutDescriptor() = default;
  // Returns nullopt for what is no order of at most kMaxRank axes, for more
  // than kMaxBlocks blocks, and for one whose axis is none of these or whose
  // extent is not a power of two from 2 to 128. Row-major order without blocks
  // is the default descriptor.
  static std::optional<LayoutDescriptor> Make(absl::Span<const int> order,
                                              absl::Span<const Block> blocks);

  constexpr bool strided() const { return bits_ == 0; }
  DataLayout layout_class() const;
  // The following require that it is not strided().
  int rank() const { return static_cast<int>(bits_ & 7); }
  // Returns the axis at a position of the order.
  int axis(int position) const {
    return static_cast<int>(bits_ >> (3 + 3 * position) & 7);
  }
  int num_blocks() const;
  Block block(int i) const;

  // Returns a number that no other descriptor has, for keys of this process.
  constexpr uint32_t number() const { return bits_; }

  friend constexpr bool operator==(LayoutDescriptor a, LayoutDescriptor b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(LayoutDescriptor a, LayoutDescriptor b) {
    return a.bits_ != b.bits_;
  }
  template <typename H>
  friend H AbslHashValue(H state, LayoutDescriptor layout) {
    return H::combine(std::move(state), layout.bits_);
  }

 private:
  // The rank; the order, three bits an axis; from kBlockBits on the blocks,
  // three bits for the axis and three for the logarithm of the extent (0: no
  // block). All 0: strided.
  static constexpr int kBlockBits = 3 + 3 * kMaxRank;
  uint32_t bits_ = 0;
};

// Returns "strided", or the tag. The text lives as long as the process.
std::string_view Name(LayoutDescriptor layout);
// Returns nullopt for a text that Name() returns of no descriptor.
std::optional<LayoutDescriptor> ParseLayoutDescriptor(std::string_view text);

// Returns true if `layout` describes tensors of this shape: strided, or of the
// rank.
bool Describes(LayoutDescriptor layout, const Shape& shape);

// Returns the extents in memory: the outer ones in their order, then the
// blocks. Requires a known shape that `layout` describes; SizeError if a padded
// extent leaves int64. Of a strided one it is the shape itself.
absl::StatusOr<Shape> ShapeInMemory(LayoutDescriptor layout,
                                    const Shape& shape);

// Returns true if no extent is padded. Requires that `layout` describes the
// shape; false if an extent that is blocked is unknown.
bool IsUnpadded(LayoutDescriptor layout, const Shape& shape);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_LAYOUT_DESCRIPTOR_H_
