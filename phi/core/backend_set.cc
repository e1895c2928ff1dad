// SPDX-License-Identifier: Apache-2.0
#include "phi/core/backend_set.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>
#include <vector>

namespace switchyard::phi {
namespace {

// Append-only: [0, count) never changes. Constant-initialised.
std::atomic<const BackendInfo*> numbered[kMaxBackends];
std::atomic<int> count{0};
std::mutex append_mutex;

int Find(const BackendInfo& backend) {
  const int end = count.load(std::memory_order_acquire);
  for (int i = 0; i < end; ++i) {
    if (numbered[i].load(std::memory_order_relaxed) == &backend) return i;
  }
  return -1;
}

}  // namespace

int BackendNumber(const BackendInfo& backend) {
  if (const int number = Find(backend); number >= 0) return number;
  const std::lock_guard<std::mutex> lock(append_mutex);
  if (const int number = Find(backend); number >= 0) return number;
  const int number = count.load(std::memory_order_relaxed);
  if (number == kMaxBackends) return -1;
  numbered[number].store(&backend, std::memory_order_relaxed);
  count.store(number + 1, std::memory_order_release);
  return number;
}

bool RanksBelow(const BackendInfo& a, const BackendInfo& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  return std::string_view(a.name) < b.name;
}

void BackendSet::Add(const BackendInfo& backend) {
  const int number = BackendNumber(backend);
  if (number >= 0) named_ |= uint64_t{1} << number;
}

bool BackendSet::IsNamed(const BackendInfo& backend) const {
  const int number = Find(backend);
  return number >= 0 && (named_ >> number & 1) != 0;
}

BackendSet BackendSet::Intersection(BackendSet other) const {
  BackendSet both;
  both.defaults_ = defaults_ && other.defaults_;
  // A default of one set may be named by the other.
  for (int i = 0; i < kMaxBackends; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if (((named_ | other.named_) & bit) == 0) continue;
    const BackendInfo& backend = *numbered[i].load(std::memory_order_relaxed);
    if (contains(backend) && other.contains(backend)) both.named_ |= bit;
  }
  return both;
}

BackendSet BackendSet::Union(BackendSet other) const {
  BackendSet either;
  either.named_ = named_ | other.named_;
  either.defaults_ = defaults_ || other.defaults_;
  return either;
}

std::string BackendSet::ToString(const char* separator) const {
  std::vector<const BackendInfo*> named;
  for (int i = 0; i < kMaxBackends; ++i) {
    if ((named_ >> i & 1) != 0) named.push_back(numbered[i].load());
  }
  std::sort(named.begin(), named.end(),
            [](const BackendInfo* a, const BackendInfo* b) {
              return RanksBelow(*a, *b);
            });
  std::string text = defaults_ ? "default" : "";
  for (const BackendInfo* backend : named) {
    if (!text.empty()) text += separator;
    text += backend->name;
  }
  return text.empty() ? "none" : text;
}

}  // namespace switchyard::phi
