// SPDX-License-Identifier: Apache-2.0
// ReusedList: a list whose elements keep their memory when it is cleared.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_REUSED_LIST_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_REUSED_LIST_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace switchyard::static_graph {

// Empties a text of a list, which keeps its memory.
inline void Reset(std::string* text) { text->clear(); }

// A list that is filled again and again, as one operator of a program is read
// after the other: Clear() and Add() allocate nothing that was allocated
// before. Reset(T*) empties an element. A copy has the elements alone.
template <typename T>
class ReusedList {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  ReusedList() = default;
  ReusedList(const ReusedList& other) : items_(other.begin(), other.end()) {
    size_ = items_.size();
  }
  ReusedList(ReusedList&& other) noexcept { *this = std::move(other); }
  ReusedList& operator=(const ReusedList& other) {
    Clear();
    for (const T& item : other) Add() = item;
    return *this;
  }
  ReusedList& operator=(ReusedList&& other) noexcept {
    items_.swap(other.items_);
    std::swap(size_, other.size_);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return items_[i]; }
  T& operator[](size_t i) { return items_[i]; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  absl::Span<const T> span() const {
    return absl::Span<const T>(items_.data(), size_);
  }

  void Clear() { size_ = 0; }
  // Makes room for that many elements at once.
  void Reserve(size_t size) { items_.reserve(size); }
  // Returns an empty element at the end.
  T& Add() {
    if (size_ == items_.size()) {
      items_.emplace_back();
    } else {
      Reset(&items_[size_]);
    }
    return items_[size_++];
  }
  // Removes the element at `i`, which keeps its memory for later.
  void Remove(size_t i) {
    std::rotate(begin() + i, begin() + i + 1, end());
    --size_;
  }

  friend bool operator==(const ReusedList& a, const ReusedList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<T> items_;
  size_t size_ = 0;  // Those after it are empty, whatever they hold.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_REUSED_LIST_H_
