// SPDX-License-Identifier: Apache-2.0
// FlatResults: the outputs of a call with lists, flat by slot, and how to take
// one output's part of them.
#ifndef SWITCHYARD_PHI_API_FLAT_RESULTS_H_
#define SWITCHYARD_PHI_API_FLAT_RESULTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace switchyard::phi::api {

template <typename T>
class FlatResults {
 public:
  // Most calls have few: no memory from the heap.
  using Tensors = absl::InlinedVector<T, 2>;
  using Begins = absl::InlinedVector<uint16_t, 8>;

  // `begins` (outputs + 1 entries) as phi::OutputSlots fills them.
  FlatResults(Tensors tensors, Begins begins)
      : tensors_(std::move(tensors)), begins_(std::move(begins)) {}

  // Output `i`, which is no list.
  const T& one(int i) const { return tensors_[begins_[i]]; }
  // Output `i`, a list.
  std::vector<T> list(int i) const {
    return std::vector<T>(tensors_.begin() + begins_[i],
                          tensors_.begin() + begins_[i + 1]);
  }

 private:
  Tensors tensors_;
  Begins begins_;
};

}  // namespace switchyard::phi::api

#endif  // SWITCHYARD_PHI_API_FLAT_RESULTS_H_
