// SPDX-License-Identifier: Apache-2.0
// RecentSizes: tells sizes that come again from those that come once.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RECENT_SIZES_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RECENT_SIZES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::static_graph {

// The last sizes for which nothing was kept, each by a number that is equal for
// equal sizes. Two that share a number by chance cost time, no more: kept sizes
// are compared themselves. Used by one thread at a time.
class RecentSizes {
 public:
  // Returns true if `number` was among the last; it is afterwards.
  bool Add(uint64_t number) {
    if (std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end()) {
      return true;
    }
    if (numbers_.size() < kMax) {
      numbers_.push_back(number);
    } else {
      numbers_[next_] = number;
      next_ = (next_ + 1) % kMax;
    }
    return false;
  }

 private:
  static constexpr size_t kMax = 64;

  std::vector<uint64_t> numbers_;
  size_t next_ = 0;  // The oldest one, once there are kMax.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RECENT_SIZES_H_
