// SPDX-License-Identifier: Apache-2.0
// ElementList: the elements of a tensor array, as a value that costs little to
// change.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_ELEMENT_LIST_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_ELEMENT_LIST_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard {

// Lists dense tensors by position. A position may be empty.
//
// It is a tree of nodes that are never written once they are made. A change
// makes new nodes from the root to one leaf and shares all others with the list
// before, which stays as it is for all that still refer to it. So a list that n
// writes fill costs some n * log(n) pointers, where copies of whole lists would
// cost n * n / 2. What is empty takes no nodes.
//
// Any number of threads may read a list and its copies.
class ElementList {
 public:
  // Null where the position is empty.
  using Element = std::shared_ptr<const DenseTensor>;
  // Makes the element at a position of two that are written there.
  using Combine = std::function<absl::StatusOr<Element>(
      size_t position, const Element& x, const Element& y)>;

  // How many positions a node has.
  static constexpr size_t kFanout = 16;

  ElementList() = default;
  // `size` empty positions.
  explicit ElementList(size_t size) { Resize(size); }
  explicit ElementList(std::vector<Element> elements);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // `position` is below size().
  const Element& operator[](size_t position) const;
  // Copies all pointers.
  std::vector<Element> ToVector() const;

  // Replaces the element at `position`, which is below size().
  void Set(size_t position, Element element);
  // Drops positions at the end, or adds empty ones.
  void Resize(size_t size);

  // Returns a list as long as the longer of two: what one of them alone has is
  // shared, and `combine` is asked in ascending order where both are written.
  // Its first error ends the work.
  static absl::StatusOr<ElementList> Merge(const ElementList& x,
                                           const ElementList& y,
                                           const Combine& combine);

 private:
  struct Leaf;
  struct Branch;
  // To a Leaf on level 0, to a Branch above; null: nothing is written there.
  using Node = std::shared_ptr<const void>;

  static Node NodeWith(const Node& node, int level, size_t position,
                       Element element);
  static Node FirstOf(const Node& node, int level, size_t size);
  static absl::StatusOr<Node> MergeNodes(const Node& x, const Node& y,
                                         int level, size_t begin,
                                         const Combine& combine);

  size_t size_ = 0;
  int top_ = 0;  // The level of root_.
  Node root_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_ELEMENT_LIST_H_
