// SPDX-License-Identifier: Apache-2.0
// MergedRows: the rows of a gradient, each once. Steps with them:
// phi/kernels/cpu/optimizer/adam.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MERGED_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MERGED_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "framework/tensor/selected_rows.h"

namespace switchyard::phi::kernels::cpu {

// The rows of SelectedRows in ascending order. Values of a row that is there
// more than once are added up in the order in which they came. Borrows the
// gradient.
template <typename T>
class MergedRows {
 public:
  // `width`: how many elements a row has; numbers and sizes have been checked.
  MergedRows(const SelectedRows& grad, int64_t width) {
    const std::vector<int64_t>& rows = grad.rows();
    const T* const values = grad.values().data<T>();
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&rows](size_t a, size_t b) { return rows[a] < rows[b]; });
    rows_.reserve(rows.size());
    for (const size_t i : order) {
      if (!rows_.empty() && rows_.back() == rows[i]) continue;
      rows_.push_back(rows[i]);
    }
    const bool once = rows_.size() == rows.size();
    if (!once) sums_.resize(rows_.size() * static_cast<size_t>(width));
    size_t at = 0;
    for (const size_t i : order) {
      while (rows_[at] != rows[i]) ++at;
      const T* const from = values + static_cast<int64_t>(i) * width;
      if (once) {
        places_.push_back(from);
        continue;
      }
      T* const to = sums_.data() + at * static_cast<size_t>(width);
      std::transform(from, from + width, to, to,
                     [](T value, T sum) { return sum + value; });
      if (places_.size() == at) places_.push_back(to);
    }
  }

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  int64_t row(int64_t i) const { return rows_[i]; }
  // Returns the elements of row(i).
  const T* values(int64_t i) const { return places_[i]; }
  // Returns the elements of the row of this number; null if it is not there.
  const T* Find(int64_t row) const {
    const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
    return found == rows_.end() || *found != row
               ? nullptr
               : places_[found - rows_.begin()];
  }

 private:
  std::vector<int64_t> rows_;
  std::vector<const T*> places_;
  std::vector<T> sums_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MERGED_ROWS_H_
