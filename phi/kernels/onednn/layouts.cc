// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/layouts.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

namespace switchyard::phi::kernels::onednn {
namespace {

using Block = LayoutDescriptor::Block;

constexpr int kFirst[] = {0, 1, 2, 3, 4};
constexpr int kLast[] = {0, 3, 1, 2};

// A layout over oneDNN's axes.
struct Blocking {
  std::vector<int> order;
  std::vector<Block> blocks;
};

std::vector<int64_t> ExtentsOf(const Shape& shape, const OnednnAxes& axes) {
  std::vector<int64_t> extents;
  if (axes.groups > 1) {
    extents = {axes.groups, shape.extent(0) / axes.groups};
    for (int axis = 1; axis < shape.rank(); ++axis) {
      extents.push_back(shape.extent(axis));
    }
    return extents;
  }
  for (int axis : axes.order) extents.push_back(shape.extent(axis));
  return extents;
}

// oneDNN's axis of a tensor's axis that has blocks.
int BlockedAxis(int axis, int64_t group_channels, const OnednnAxes& axes) {
  if (axes.groups == 1) {
    const auto found = std::find(axes.order.begin(), axes.order.end(), axis);
    return static_cast<int>(found - axes.order.begin());
  }
  if (axis > 0) return axis + 1;
  return group_channels == 1 ? 0 : 1;
}

Blocking BlockingOf(const Shape& shape, LayoutDescriptor layout,
                    const OnednnAxes& axes) {
  const int64_t channels = axes.groups > 1 ? shape.extent(0) / axes.groups : 0;
  Blocking blocking;
  for (int i = 0; i < shape.rank(); ++i) {
    const int axis = layout.strided() ? i : layout.axis(i);
    if (axes.groups > 1 && axis == 0) {
      blocking.order.push_back(0);
      blocking.order.push_back(1);
      continue;
    }
    blocking.order.push_back(BlockedAxis(axis, channels, axes));
  }
  for (int i = 0; !layout.strided() && i < layout.num_blocks(); ++i) {
    const Block block = layout.block(i);
    blocking.blocks.push_back(
        {BlockedAxis(block.axis, channels, axes), block.extent});
  }
  return blocking;
}

// Says of each of oneDNN's axes how many of its elements lie in a block.
std::array<int64_t, DNNL_MAX_NDIMS> BlockExtents(
    const dnnl_memory_desc_t& desc) {
  const dnnl_blocking_desc_t& memory = desc.format_desc.blocking;
  std::array<int64_t, DNNL_MAX_NDIMS> extents;
  extents.fill(1);
  for (int i = 0; i < memory.inner_nblks; ++i) {
    extents[memory.inner_idxs[i]] *= memory.inner_blks[i];
  }
  return extents;
}

// oneDNN's axes, outermost first. Of equal strides at most one axis has more
// than one block, and is the outer one: whatever lay outside of it would have
// a larger stride.
std::vector<int> OrderOf(const dnnl_memory_desc_t& desc) {
  const dnnl_dims_t& strides = desc.format_desc.blocking.strides;
  const auto extents = BlockExtents(desc);
  std::vector<int> order;
  for (int axis = 0; axis < desc.ndims; ++axis) order.push_back(axis);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (strides[a] != strides[b]) return strides[a] > strides[b];
    return desc.padded_dims[a] / extents[a] > desc.padded_dims[b] / extents[b];
  });
  return order;
}

// The tensor's order of axes; false if the two axes of a grouped filter are
// apart.
bool MapOrder(const std::vector<int>& order, int64_t channels,
              const OnednnAxes& axes, std::vector<int>* mapped) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (axes.groups == 1) {
      mapped->push_back(axes.order[order[i]]);
    } else if (order[i] == 0) {
      mapped->push_back(0);
      const bool together = i + 1 < order.size() && order[i + 1] == 1;
      if (channels > 1 && !together) return false;
    } else if (order[i] > 1) {
      mapped->push_back(order[i] - 1);
    }
  }
  return true;
}

// The tensor's axis of oneDNN's axis that has blocks; -1 if the tensor's would
// have padding inside.
int MapBlocked(int axis, const dnnl_memory_desc_t& desc,
               const OnednnAxes& axes) {
  if (axes.groups == 1) return axes.order[axis];
  if (axis > 1) return axis - 1;
  const bool whole =
      axis == 0 ? desc.dims[1] == 1 : desc.dims[1] == desc.padded_dims[1];
  return whole ? 0 : -1;
}

// Whether oneDNN computes with vectors of 512 bits.
bool HasWideVectors() {
  constexpr auto kWanted = static_cast<int>(dnnl::cpu_isa::avx512_core);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & kWanted) == kWanted;
}

}  // namespace

OnednnAxes ImageAxes(std::string_view data_format) {
  if (data_format == "NHWC") return {kLast};
  return SameAxes(4);
}

OnednnAxes SameAxes(int rank) {
  return {absl::MakeConstSpan(kFirst).subspan(0, rank)};
}

dnnl::memory::desc MakeDesc(const Shape& shape, LayoutDescriptor layout,
                            const OnednnAxes& axes) {
  const std::vector<int64_t> extents = ExtentsOf(shape, axes);
  const Blocking blocking = BlockingOf(shape, layout, axes);
  dnnl_memory_desc_t desc = {};
  desc.ndims = static_cast<int>(extents.size());
  desc.data_type = dnnl_f32;
  desc.format_kind = dnnl_blocked;
  dnnl_blocking_desc_t& memory = desc.format_desc.blocking;
  memory.inner_nblks = static_cast<int>(blocking.blocks.size());
  std::array<int64_t, LayoutDescriptor::kMaxRank + 1> blocked;
  blocked.fill(1);
  int64_t stride = 1;
  for (size_t i = 0; i < blocking.blocks.size(); ++i) {
    memory.inner_blks[i] = blocking.blocks[i].extent;
    memory.inner_idxs[i] = blocking.blocks[i].axis;
    blocked[blocking.blocks[i].axis] *= blocking.blocks[i].extent;
    stride *= blocking.blocks[i].extent;
  }
  for (int i = desc.ndims - 1; i >= 0; --i) {
    const int axis = blocking.order[i];
    const int64_t blocks = (extents[axis] + blocked[axis] - 1) / blocked[axis];
    desc.dims[axis] = extents[axis];
    desc.padded_dims[axis] = blocks * blocked[axis];
    memory.strides[axis] = stride;
    stride *= blocks;
  }
  return dnnl::memory::desc(desc);
}

int64_t OnednnChannelBlock() {
  // Zen 4 computes 512 bits in two halves: blocks of 16 win little, and pad
  // more channels.
  return HasWideVectors() && !__builtin_cpu_is("amdfam19h") ? 16 : 8;
}

int64_t OnednnConvBlock(int64_t from, int64_t to) {
  // From here on they win some percent there too, where none is padded.
  constexpr int64_t kWide = 16, kMany = 64;
  const bool wide = HasWideVectors() && std::min(from, to) >= kMany &&
                    from % kWide == 0 && to % kWide == 0;
  return wide ? kWide : OnednnChannelBlock();
}

dnnl::memory::desc MakeAnyDesc(const Shape& shape, const OnednnAxes& axes) {
  return dnnl::memory::desc(ExtentsOf(shape, axes),
                            dnnl::memory::data_type::f32,
                            dnnl::memory::format_tag::any);
}

absl::StatusOr<LayoutDescriptor> GetLayout(const dnnl::memory::desc& chosen,
                                           const OnednnAxes& axes) {
  const dnnl_memory_desc_t& desc = chosen.data;
  const dnnl_blocking_desc_t& memory = desc.format_desc.blocking;
  const absl::Status unknown =
      absl::UnavailableError("a layout of oneDNN that has no descriptor here");
  if (desc.format_kind != dnnl_blocked || desc.offset0 != 0 ||
      desc.extra.flags != dnnl_memory_extra_flag_none) {
    return unknown;
  }
  std::vector<int> order;
  if (!MapOrder(OrderOf(desc), desc.dims[1], axes, &order)) return unknown;
  std::vector<Block> blocks;
  for (int i = 0; i < memory.inner_nblks; ++i) {
    const int axis =
        MapBlocked(static_cast<int>(memory.inner_idxs[i]), desc, axes);
    if (axis < 0) return unknown;
    blocks.push_back({axis, memory.inner_blks[i]});
  }
  const auto layout = LayoutDescriptor::Make(order, blocks);
  if (!layout.has_value()) return unknown;
  return *layout;
}

std::optional<OnednnBlocks> FindBlocks(const dnnl::memory::desc& desc, int axis,
                                       int first) {
  const dnnl_memory_desc_t& data = desc.data;
  const dnnl_blocking_desc_t& memory = data.format_desc.blocking;
  for (int i = 0; i < memory.inner_nblks; ++i) {
    if (memory.inner_idxs[i] < first) return std::nullopt;
  }
  const auto inner = BlockExtents(data);
  for (int other = 0; other < data.ndims; ++other) {
    if (other == axis || data.padded_dims[other] == inner[other]) continue;
    const bool outside = memory.strides[other] > memory.strides[axis];
    if (outside != (other < first)) return std::nullopt;
  }
  return OnednnBlocks{inner[axis],
                      memory.strides[axis] * int64_t{sizeof(float)}};
}

absl::Status AskOnednn(
    absl::FunctionRef<absl::Status(const dnnl::engine&)> ask) {
  try {
    // Never destroyed: calls may come from any thread until the end.
    static const auto& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
    return ask(engine);
  } catch (const dnnl::error& error) {
    return absl::UnavailableError(std::string("oneDNN: ") + error.what());
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory for a primitive of oneDNN");
  } catch (const std::exception& error) {
    return absl::InternalError(std::string("oneDNN: ") + error.what());
  }
}

}  // namespace switchyard::phi::kernels::onednn
