// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/memory_planner.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "framework/base/checked_math.h"

namespace switchyard::static_graph {
namespace {

constexpr int64_t kAlignment = 64;

// Free ranges of the block, by offset and by size; never two that touch.
class FreeRanges {
 public:
  // Takes `bytes` from the smallest range that has them, of equal ones the
  // first; nullopt if none has.
  std::optional<int64_t> Take(int64_t bytes) {
    const auto best = by_size_.lower_bound({bytes, 0});
    if (best == by_size_.end()) return std::nullopt;
    const auto [size, offset] = *best;
    Remove(by_offset_.find(offset));
    if (size > bytes) Add(offset + bytes, size - bytes);
    return offset;
  }

  void Give(int64_t offset, int64_t bytes) {
    if (bytes == 0) return;
    const auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        Remove(before);
      }
    }
    if (next != by_offset_.end() && offset + bytes == next->first) {
      bytes += next->second;
      Remove(next);
    }
    Add(offset, bytes);
  }

  // Removes the range that ends at `end`, to be grown; its size, 0 if none.
  int64_t TakeLast(int64_t end) {
    if (by_offset_.empty()) return 0;
    const auto last = std::prev(by_offset_.end());
    const auto [offset, size] = *last;
    if (offset + size != end) return 0;
    Remove(last);
    return size;
  }

 private:
  using ByOffset = std::map<int64_t, int64_t>;

  void Add(int64_t offset, int64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void Remove(ByOffset::iterator range) {
    by_size_.erase({range->second, range->first});
    by_offset_.erase(range);
  }

  ByOffset by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;  // Size, offset.
};

absl::StatusOr<int64_t> Aligned(int64_t bytes) {
  const std::optional<int64_t> sum = CheckedAdd(bytes, kAlignment - 1);
  if (!sum.has_value()) {
    return SizeError("memory", "of fewer than 2^63 bytes",
                     std::to_string(bytes));
  }
  return *sum / kAlignment * kAlignment;
}

}  // namespace

absl::StatusOr<MemoryLayout> PlanMemory(
    absl::Span<const MemoryRequest> requests) {
  MemoryLayout layout;
  layout.offsets.resize(requests.size());
  std::vector<int64_t> sizes(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    SY_ASSIGN_OR_RETURN(sizes[i], Aligned(requests[i].bytes));
  }
  std::vector<int> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return requests[a].first < requests[b].first;
  });
  FreeRanges free;
  std::multimap<int, int> live;  // By the last step that reads it.
  for (int request : order) {
    while (!live.empty() && live.begin()->first < requests[request].first) {
      const int ended = live.begin()->second;
      free.Give(layout.offsets[ended], sizes[ended]);
      live.erase(live.begin());
    }
    std::optional<int64_t> offset = free.Take(sizes[request]);
    if (!offset.has_value()) {
      offset = layout.bytes - free.TakeLast(layout.bytes);
      const std::optional<int64_t> end = CheckedAdd(*offset, sizes[request]);
      if (!end.has_value()) {
        return SizeError("memory", "of fewer than 2^63 bytes in all",
                         "more than that");
      }
      layout.bytes = *end;
    }
    layout.offsets[request] = *offset;
    live.emplace(requests[request].last, request);
  }
  return layout;
}

}  // namespace switchyard::static_graph
