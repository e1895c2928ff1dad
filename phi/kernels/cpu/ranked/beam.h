// SPDX-License-Identifier: Apache-2.0
// The best continuations of prefixes, as a beam search keeps them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace switchyard::phi::kernels::cpu {

// A prefix of a translation and the word that would continue it.
template <typename T>
struct BeamCandidate {
  int64_t prefix;  // The row of the prefix that it continues.
  int64_t id;
  T score;
};

// The beam of one source sentence: its best candidates, the best first.
template <typename T>
class Beam {
 public:
  explicit Beam(size_t size) : size_(size) {}

  // Takes a candidate if it is among the best. Of those of equal score one of a
  // later prefix is better. Of equals the first stays before the others, but
  // the last place goes to the last that comes, as old runs had it.
  void Add(const BeamCandidate<T>& candidate) {
    if (best_.size() == size_) {
      if (IsWorse(candidate, best_.back())) return;
      best_.pop_back();
    }
    const auto at = std::find_if(best_.begin(), best_.end(),
                                 [&](const BeamCandidate<T>& other) {
                                   return IsWorse(other, candidate);
                                 });
    best_.insert(at, candidate);
  }

  const std::vector<BeamCandidate<T>>& best() const { return best_; }

 private:
  static bool IsWorse(const BeamCandidate<T>& a, const BeamCandidate<T>& b) {
    return a.score < b.score || (a.score == b.score && a.prefix < b.prefix);
  }

  size_t size_;
  std::vector<BeamCandidate<T>> best_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_H_
