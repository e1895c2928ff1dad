// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/element_list.h"

#include <algorithm>
#include <utility>

namespace switchyard {
namespace {

using Element = ElementList::Element;

// How many positions are below a node of `level`. The levels of a list that
// fits in memory are few, so this does not overflow.
size_t CapacityOf(int level) {
  size_t capacity = ElementList::kFanout;
  for (int i = 0; i < level; ++i) capacity *= ElementList::kFanout;
  return capacity;
}

// The child of a node of `level` that has `position`, counted from the node's
// first, and its first position.
struct Child {
  Child(int level, size_t position)
      : number(position / CapacityOf(level - 1)),
        begin(number * CapacityOf(level - 1)) {}
  size_t number;
  size_t begin;
};

}  // namespace

struct ElementList::Leaf {
  Element elements[kFanout];
};

struct ElementList::Branch {
  Node children[kFanout];
};

namespace {

// The contents of a node, or of one that has nothing written.
template <typename Contents>
std::shared_ptr<Contents> CopyOf(const std::shared_ptr<const void>& node) {
  return node == nullptr ? std::make_shared<Contents>()
                         : std::make_shared<Contents>(
                               *static_cast<const Contents*>(node.get()));
}

}  // namespace

ElementList::ElementList(std::vector<Element> elements)
    : size_(elements.size()) {
  std::vector<Node> nodes((size_ + kFanout - 1) / kFanout);
  for (size_t k = 0; k < size_; ++k) {
    if (elements[k] == nullptr) continue;
    Node& node = nodes[k / kFanout];
    if (node == nullptr) node = std::make_shared<Leaf>();
    // Nobody else knows the node yet.
    auto* leaf = const_cast<Leaf*>(static_cast<const Leaf*>(node.get()));
    leaf->elements[k % kFanout] = std::move(elements[k]);
  }
  while (nodes.size() > 1) {
    std::vector<Node> above;
    for (size_t begin = 0; begin < nodes.size(); begin += kFanout) {
      const size_t count = std::min(kFanout, nodes.size() - begin);
      const auto branch = std::make_shared<Branch>();
      std::move(nodes.begin() + begin, nodes.begin() + begin + count,
                branch->children);
      above.push_back(branch);
    }
    nodes = std::move(above);
    ++top_;
  }
  if (!nodes.empty()) root_ = std::move(nodes[0]);
}

const Element& ElementList::operator[](size_t position) const {
  static const Element kNone;  // Owns nothing.
  const void* node = root_.get();
  for (int level = top_; level > 0 && node != nullptr; --level) {
    const Child child(level, position);
    position -= child.begin;
    node = static_cast<const Branch*>(node)->children[child.number].get();
  }
  if (node == nullptr) return kNone;
  return static_cast<const Leaf*>(node)->elements[position];
}

std::vector<Element> ElementList::ToVector() const {
  std::vector<Element> elements(size_);
  for (size_t k = 0; k < size_; ++k) elements[k] = (*this)[k];
  return elements;
}

ElementList::Node ElementList::NodeWith(const Node& node, int level,
                                        size_t position, Element element) {
  if (node == nullptr && element == nullptr) return nullptr;
  if (level == 0) {
    const auto leaf = CopyOf<Leaf>(node);
    leaf->elements[position] = std::move(element);
    return leaf;
  }
  const auto branch = CopyOf<Branch>(node);
  const Child child(level, position);
  Node& changed = branch->children[child.number];
  changed =
      NodeWith(changed, level - 1, position - child.begin, std::move(element));
  return branch;
}

void ElementList::Set(size_t position, Element element) {
  root_ = NodeWith(root_, top_, position, std::move(element));
}

// The node with the first `size` positions alone; the others are empty, so that
// they are when the list grows again.
ElementList::Node ElementList::FirstOf(const Node& node, int level,
                                       size_t size) {
  if (node == nullptr || size == 0) return nullptr;
  if (size == CapacityOf(level)) return node;
  if (level == 0) {
    const auto leaf = CopyOf<Leaf>(node);
    std::fill(leaf->elements + size, leaf->elements + kFanout, nullptr);
    return leaf;
  }
  const auto branch = CopyOf<Branch>(node);
  const Child last(level, size - 1);
  Node& shortened = branch->children[last.number];
  shortened = FirstOf(shortened, level - 1, size - last.begin);
  std::fill(branch->children + last.number + 1, branch->children + kFanout,
            nullptr);
  return branch;
}

void ElementList::Resize(size_t size) {
  if (size < size_) {
    while (top_ > 0 && CapacityOf(top_ - 1) >= size) {
      if (root_ != nullptr) {
        root_ = static_cast<const Branch*>(root_.get())->children[0];
      }
      --top_;
    }
    root_ = FirstOf(root_, top_, std::min(size, CapacityOf(top_)));
  }
  while (CapacityOf(top_) < size) {
    if (root_ != nullptr) {
      const auto branch = std::make_shared<Branch>();
      branch->children[0] = std::move(root_);
      root_ = branch;
    }
    ++top_;
  }
  size_ = size;
}

absl::StatusOr<ElementList::Node> ElementList::MergeNodes(
    const Node& x, const Node& y, int level, size_t begin,
    const Combine& combine) {
  if (x == nullptr || y == nullptr) return x == nullptr ? y : x;
  if (level == 0) {
    const auto leaf = CopyOf<Leaf>(x);
    for (size_t k = 0; k < kFanout; ++k) {
      Element& element = leaf->elements[k];
      const Element& other = static_cast<const Leaf*>(y.get())->elements[k];
      if (element == nullptr) {
        element = other;
      } else if (other != nullptr) {
        SY_ASSIGN_OR_RETURN(element, combine(begin + k, element, other));
      }
    }
    return Node(leaf);
  }
  const auto branch = CopyOf<Branch>(x);
  const size_t width = CapacityOf(level - 1);
  for (size_t k = 0; k < kFanout; ++k) {
    Node& child = branch->children[k];
    const Node& other = static_cast<const Branch*>(y.get())->children[k];
    SY_ASSIGN_OR_RETURN(
        child, MergeNodes(child, other, level - 1, begin + k * width, combine));
  }
  return Node(branch);
}

absl::StatusOr<ElementList> ElementList::Merge(const ElementList& x,
                                               const ElementList& y,
                                               const Combine& combine) {
  ElementList merged = x;
  ElementList other = y;
  // Growing brings both trees to one height.
  const size_t size = std::max(x.size(), y.size());
  merged.Resize(size);
  other.Resize(size);
  SY_ASSIGN_OR_RETURN(merged.root_, MergeNodes(merged.root_, other.root_,
                                               merged.top_, 0, combine));
  return merged;
}

}  // namespace switchyard
