// SPDX-License-Identifier: Apache-2.0
// FlatResults: the outputs of a call with lists, flat by slot, and how to take
// one output's part of them.
#ifndef SWITCHYARD_PHI_API_FLAT_RESULTS_H_
#define SWITCHYARD_PHI_API_FLAT_RESULTS_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace switchyard::phi::api {

template <typename T>
class FlatResults {
 public:
  // `begins` (outputs + 1 entries) as phi::OutputSlots fills them.
  FlatResults(std::vector<T> tensors, std::vector<uint16_t> begins)
      : tensors_(std::move(tensors)), begins_(std::move(begins)) {}

  // Output `i`, which is no list.
  const T& one(int i) const { return tensors_[begins_[i]]; }
  // Output `i`, a list.
  std::vector<T> list(int i) const {
    return {tensors_.begin() + begins_[i], tensors_.begin() + begins_[i + 1]};
  }

 private:
  std::vector<T> tensors_;
  std::vector<uint16_t> begins_;
};

}  // namespace switchyard::phi::api

#endif  // SWITCHYARD_PHI_API_FLAT_RESULTS_H_
