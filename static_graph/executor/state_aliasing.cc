// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/state_aliasing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// Past the last byte of a tensor whose strides are not negative.
const char* EndOf(const DenseTensor& tensor) {
  const auto size = static_cast<int64_t>(ElementSize(tensor.dtype()));
  const char* begin = static_cast<const char*>(tensor.raw_data());
  if (tensor.numel() == 0) return begin;
  int64_t last = 0;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    last += (tensor.extent(axis) - 1) * tensor.strides()[axis];
  }
  return begin + (last + 1) * size;
}

}  // namespace

absl::Status StateAliasing::Bind(const ProgramPlan& plan,
                                 absl::Span<const DenseTensor> states) {
  if (plan.updates.empty()) return absl::OkStatus();
  bool moved = ranges_.size() != states.size();
  ranges_.resize(states.size());
  for (size_t i = 0; i < states.size(); ++i) {
    const char* begin = static_cast<const char*>(states[i].raw_data());
    const char* end = EndOf(states[i]);
    moved |= ranges_[i].begin != begin || ranges_[i].end != end;
    ranges_[i].begin = begin;
    ranges_[i].end = end;
  }
  if (!moved) return absl::OkStatus();
  absl::Status status = Check(plan);
  if (!status.ok()) ranges_.clear();
  return status;
}

absl::Status StateAliasing::Check(const ProgramPlan& plan) {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i].state = static_cast<int>(i);
    ranges_[i].updated = false;
  }
  for (const ProgramPlan::Update& update : plan.updates) {
    ranges_[update.state].updated = true;
  }
  std::vector<Range> sorted = ranges_;
  sorted.erase(std::remove_if(sorted.begin(), sorted.end(),
                              [](const Range& r) { return r.begin == r.end; }),
               sorted.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  updated_.clear();
  // The range so far that ends last, of all and of the updated ones.
  const Range* last = nullptr;
  const Range* last_updated = nullptr;
  for (const Range& range : sorted) {
    const Range* other = range.updated ? last : last_updated;
    if (other != nullptr && range.begin < other->end) {
      return absl::InvalidArgumentError(absl::StrCat(
          "states ", plan.states[other->state].name, " and ",
          plan.states[range.state].name,
          " overlap in memory; a program that updates one of them needs them "
          "disjoint"));
    }
    if (last == nullptr || range.end > last->end) last = &range;
    if (!range.updated) continue;
    updated_.push_back(range);
    if (last_updated == nullptr || range.end > last_updated->end) {
      last_updated = &range;
    }
  }
  return absl::OkStatus();
}

bool StateAliasing::LiesIn(const DenseTensor& tensor) const {
  const char* begin = static_cast<const char*>(tensor.raw_data());
  // They don't overlap each other: the first that ends after `begin`.
  const auto found = std::upper_bound(
      updated_.begin(), updated_.end(), begin,
      [](const char* at, const Range& range) { return at < range.end; });
  return found != updated_.end() && found->begin < EndOf(tensor);
}

bool StateAliasing::OverlapsPart(const TensorBase& tensor) const {
  if (updated_.empty()) return false;
  for (const DenseTensor& part : PartsOf(tensor)) {
    if (Overlaps(part)) return true;
  }
  return false;
}

}  // namespace switchyard::static_graph
