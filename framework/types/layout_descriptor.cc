// SPDX-License-Identifier: Apache-2.0
#include "framework/types/layout_descriptor.h"

#include <array>
#include <mutex>
#include <string>

#include "framework/base/checked_math.h"
#include "framework/base/hash_map.h"

namespace switchyard {
namespace {

// The logarithm of a block's extent; 0 if there is no such block.
int BlockLog(int64_t extent) {
  for (int log = 1; log < 8; ++log) {
    if (int64_t{1} << log == extent) return log;
  }
  return 0;
}

std::string TagOf(LayoutDescriptor layout) {
  std::array<bool, LayoutDescriptor::kMaxRank> blocked = {};
  std::string blocks;
  for (int i = 0; i < layout.num_blocks(); ++i) {
    const LayoutDescriptor::Block block = layout.block(i);
    blocked[block.axis] = true;
    blocks += std::to_string(block.extent);
    blocks += static_cast<char>('a' + block.axis);
  }
  std::string tag;
  for (int position = 0; position < layout.rank(); ++position) {
    const int axis = layout.axis(position);
    tag += static_cast<char>((blocked[axis] ? 'A' : 'a') + axis);
  }
  return tag + blocks;
}

// Takes an axis' letter off the front of `text`; -1 if there is none.
int TakeAxis(std::string_view* text) {
  if (text->empty()) return -1;
  const char letter = static_cast<char>((*text)[0] | 0x20);
  const int axis = letter - 'a';
  if (axis < 0 || axis >= LayoutDescriptor::kMaxRank) return -1;
  text->remove_prefix(1);
  return axis;
}

// Takes the digits off the front of `text`, at most three of them.
int64_t TakeNumber(std::string_view* text) {
  int64_t number = 0;
  for (int i = 0; i < 3 && !text->empty(); ++i) {
    const char digit = (*text)[0];
    if (digit < '0' || digit > '9') break;
    number = number * 10 + (digit - '0');
    text->remove_prefix(1);
  }
  return number;
}

}  // namespace

std::optional<LayoutDescriptor> LayoutDescriptor::Make(
    absl::Span<const int> order, absl::Span<const Block> blocks) {
  if (order.empty() || order.size() > kMaxRank || blocks.size() > kMaxBlocks) {
    return std::nullopt;
  }
  const int rank = static_cast<int>(order.size());
  LayoutDescriptor layout;
  layout.bits_ = static_cast<uint32_t>(rank);
  uint32_t seen = 0;
  bool row_major = blocks.empty();
  for (int position = 0; position < rank; ++position) {
    const int axis = order[position];
    if (axis < 0 || axis >= rank || (seen >> axis & 1) != 0) {
      return std::nullopt;
    }
    seen |= 1u << axis;
    row_major = row_major && axis == position;
    layout.bits_ |= static_cast<uint32_t>(axis) << (3 + 3 * position);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int log = BlockLog(blocks[i].extent);
    if (blocks[i].axis < 0 || blocks[i].axis >= rank || log == 0) {
      return std::nullopt;
    }
    layout.bits_ |= static_cast<uint32_t>(blocks[i].axis | log << 3)
                    << (kBlockBits + 6 * i);
  }
  return row_major ? LayoutDescriptor() : layout;
}

DataLayout LayoutDescriptor::layout_class() const {
  if (strided()) return DataLayout::kStrided;
  return num_blocks() > 0 ? DataLayout::kBlocked : DataLayout::kPermuted;
}

int LayoutDescriptor::num_blocks() const {
  int count = 0;
  while (count < kMaxBlocks && bits_ >> (kBlockBits + 6 * count) != 0) ++count;
  return count;
}

LayoutDescriptor::Block LayoutDescriptor::block(int i) const {
  const uint32_t bits = bits_ >> (kBlockBits + 6 * i);
  return {static_cast<int>(bits & 7), int64_t{1} << (bits >> 3 & 7)};
}

std::string_view Name(LayoutDescriptor layout) {
  if (layout.strided()) return Name(DataLayout::kStrided);
  // Texts of a node-based map stay where they are.
  static std::mutex mutex;
  static auto& names = *new HashMap<LayoutDescriptor, std::string>();
  const std::lock_guard<std::mutex> lock(mutex);
  std::string& name = names[layout];
  if (name.empty()) name = TagOf(layout);
  return name;
}

std::optional<LayoutDescriptor> ParseLayoutDescriptor(std::string_view text) {
  if (text == Name(DataLayout::kStrided)) return LayoutDescriptor();
  const std::string_view whole = text;
  int order[LayoutDescriptor::kMaxRank];
  size_t rank = 0;
  for (int axis; (axis = TakeAxis(&text)) >= 0;) {
    if (rank == LayoutDescriptor::kMaxRank) return std::nullopt;
    order[rank++] = axis;
  }
  LayoutDescriptor::Block blocks[LayoutDescriptor::kMaxBlocks];
  size_t count = 0;
  while (!text.empty()) {
    if (count == LayoutDescriptor::kMaxBlocks) return std::nullopt;
    const int64_t extent = TakeNumber(&text);
    blocks[count++] = {TakeAxis(&text), extent};
  }
  const std::optional<LayoutDescriptor> layout =
      LayoutDescriptor::Make({order, rank}, {blocks, count});
  // Its letters may be of the wrong size, or its blocks have leading zeros.
  if (!layout.has_value() || layout->strided() || TagOf(*layout) != whole) {
    return std::nullopt;
  }
  return layout;
}

bool Describes(LayoutDescriptor layout, const Shape& shape) {
  return layout.strided() || layout.rank() == shape.rank();
}

absl::StatusOr<Shape> ShapeInMemory(LayoutDescriptor layout,
                                    const Shape& shape) {
  if (layout.strided()) return shape;
  std::array<int64_t, LayoutDescriptor::kMaxRank> blocked;
  blocked.fill(1);
  for (int i = 0; i < layout.num_blocks(); ++i) {
    blocked[layout.block(i).axis] *= layout.block(i).extent;
  }
  Shape outer;
  for (int position = 0; position < layout.rank(); ++position) {
    const int axis = layout.axis(position);
    const int64_t extent = shape.extent(axis);
    outer.push_back(extent / blocked[axis] +
                    (extent % blocked[axis] == 0 ? 0 : 1));
    if (!CheckedMultiply(outer.extent(position), blocked[axis])) {
      return SizeError("shape", "of fewer than 2^63 elements", ToString(shape));
    }
  }
  for (int i = 0; i < layout.num_blocks(); ++i) {
    outer.push_back(layout.block(i).extent);
  }
  return outer;
}

bool IsUnpadded(LayoutDescriptor layout, const Shape& shape) {
  if (layout.strided()) return true;
  std::array<int64_t, LayoutDescriptor::kMaxRank> blocked;
  blocked.fill(1);
  for (int i = 0; i < layout.num_blocks(); ++i) {
    blocked[layout.block(i).axis] *= layout.block(i).extent;
  }
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (blocked[axis] == 1) continue;
    if (!shape[axis].known() || shape.extent(axis) % blocked[axis] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace switchyard
