// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/state.h"

#include <atomic>

namespace switchyard::static_graph {
namespace {

uint64_t NextLayout() {
  static std::atomic<uint64_t> next{2};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

absl::Status State::Set(std::string_view name, const DenseTensor& tensor) {
  if (!tensor.allocated()) {
    return ArgumentError(name, "a tensor with memory", "one without");
  }
  if (!tensor.contiguous()) {
    return ArgumentError(name, "contiguous", "a strided view");
  }
  const int index = IndexOf(name);
  if (index >= 0) {
    entries_[index].tensor = tensor;
    return absl::OkStatus();
  }
  entries_.push_back({std::string(name), tensor});
  layout_ = NextLayout();
  return absl::OkStatus();
}

const DenseTensor* State::Find(std::string_view name) const {
  const int index = IndexOf(name);
  return index < 0 ? nullptr : &entries_[index].tensor;
}

int State::IndexOf(std::string_view name) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace switchyard::static_graph
