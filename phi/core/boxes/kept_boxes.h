// SPDX-License-Identifier: Apache-2.0
// KeptBoxes: the boxes that non-maximum suppression has kept, laid out so that
// one more box is held against several of them at once.
#ifndef SWITCHYARD_PHI_CORE_BOXES_KEPT_BOXES_H_
#define SWITCHYARD_PHI_CORE_BOXES_KEPT_BOXES_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace switchyard::phi {

// Each box is four numbers: x_min, y_min, x_max, y_max. Borrows its memory.
template <typename T>
class KeptBoxes {
 public:
  // Returns how many numbers the memory for at most `count` boxes has.
  static constexpr int64_t Room(int64_t count) {
    return (count + kLanes - 1) / kLanes * kGroup;
  }
  explicit KeptBoxes(T* memory) : memory_(memory) {}

  bool empty() const { return size_ == 0; }

  void Add(const T* box) {
    const int64_t lane = size_ % kLanes;
    T* const group = memory_ + size_ / kLanes * kGroup;
    for (int side = 0; side < 4; ++side) {
      T* const lanes = group + side * kLanes;
      // Lanes after the last box are compared, too.
      if (lane == 0) std::fill_n(lanes, kLanes, box[side]);
      lanes[lane] = box[side];
    }
    ++size_;
  }

  // Returns true if holds(corners) for each box that is kept, except perhaps
  // those apart from `box`: where a side of one lies beyond the opposite side
  // of the other. No side lies beyond one that is no number.
  template <typename Holds>
  bool AllNear(const T* box, const Holds& holds) const {
    for (int64_t first = 0; first < size_; first += kLanes) {
      const T* const group = memory_ + first * 4;
      if (AllApart(group, box)) continue;
      const int64_t lanes = std::min(kLanes, size_ - first);
      for (int64_t i = 0; i < lanes; ++i) {
        const T corners[] = {group[i], group[kLanes + i], group[2 * kLanes + i],
                             group[3 * kLanes + i]};
        if (!holds(corners)) return false;
      }
    }
    return true;
  }

 private:
  typedef T Register __attribute__((vector_size(16)));
  static constexpr int64_t kInRegister = sizeof(Register) / sizeof(T);
  // Boxes that are compared at once.
  static constexpr int64_t kLanes = 4 * kInRegister;
  static constexpr int64_t kGroup = 4 * kLanes;

  static Register Load(const T* from) {
    Register lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
  }

  // All bits of the lanes at `at` whose boxes lie apart from `box`.
  static auto Apart(const T* at, const T* box) {
    return (Load(at) > box[2]) | (Load(at + kLanes) > box[3]) |
           (Load(at + 2 * kLanes) < box[0]) | (Load(at + 3 * kLanes) < box[1]);
  }
  static bool AllApart(const T* group, const T* box) {
    auto all = Apart(group, box);
    for (int64_t i = kInRegister; i < kLanes; i += kInRegister) {
      all &= Apart(group + i, box);
    }
    int64_t words[2];
    std::memcpy(words, &all, sizeof(words));
    return (words[0] & words[1]) == -1;
  }

  T* memory_;
  int64_t size_ = 0;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_BOXES_KEPT_BOXES_H_
