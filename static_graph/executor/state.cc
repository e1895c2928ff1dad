// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/state.h"

#include <atomic>
#include <utility>

namespace switchyard::static_graph {
namespace {

uint64_t NextLayout() {
  static std::atomic<uint64_t> next{2};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

absl::Status State::Set(const std::string& name, const DenseTensor& tensor) {
  if (!tensor.allocated()) {
    return ArgumentError(name, "a tensor with memory", "one without");
  }
  if (!tensor.contiguous()) {
    return ArgumentError(name, "contiguous", "a strided view");
  }
  const int index = FindIndex(name);
  if (index >= 0) {
    entries_[index].tensor = tensor;
    return absl::OkStatus();
  }
  Entry entry = {name, tensor};
  // Here memory may be refused; after it nothing fails.
  if (entries_.size() == entries_.capacity()) {
    entries_.reserve(2 * entries_.size() + 1);
  }
  indices_.emplace(name, static_cast<int>(entries_.size()));
  entries_.push_back(std::move(entry));
  layout_ = NextLayout();
  return absl::OkStatus();
}

const DenseTensor* State::Find(const std::string& name) const {
  const int index = FindIndex(name);
  return index < 0 ? nullptr : &entries_[index].tensor;
}

int State::FindIndex(const std::string& name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? -1 : found->second;
}

}  // namespace switchyard::static_graph
