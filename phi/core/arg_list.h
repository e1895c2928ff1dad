// SPDX-License-Identifier: Apache-2.0
// The arguments of one call of an operator. The tensors of a call lie flat in
// one array: those of argument 0, then those of argument 1, and so on. An
// argument that is no list has one element, which is null if it is absent.
//   ArgSegments   says where each argument begins in that array
//   ArgList<T>    a span of elements with their segments
//   OpArgs        the inputs, attributes and outputs of a call
// All three are views; an ArgBuffer (phi/core/arg_buffer.h) owns elements and
// segments. T is what a layer knows of a tensor: TensorBase* at a kernel,
// TensorSpec* at InferMeta, eager::Tensor, ir::Value. What an operator's entry
// says about its arguments is in phi/core/op_info.h.
//
// A call with a tensor x, a list of a, b and c, and no bias has the elements
// {x, a, b, c, null}, and its segments begin at {0, 1, 4, 5}:
//   args.inputs.one(0)       // x
//   args.inputs.list(1)      // a, b, c
//   args.inputs.optional(2)  // null
// No function here fails or checks a position: dispatch holds the arguments of
// a call to its OpInfo first (phi/dispatch/call.h). Views are plain values, and
// threads may read the same elements together.
#ifndef SWITCHYARD_PHI_CORE_ARG_LIST_H_
#define SWITCHYARD_PHI_CORE_ARG_LIST_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "framework/types/attribute.h"

namespace switchyard::phi {

// The most elements that a call can have: segments count in 16 bits.
inline constexpr int kMaxArgElements = std::numeric_limits<uint16_t>::max();

// Says which elements of a flat array belong to which argument: argument i has
// the elements [begin(i), end(i)). Borrows the table of begins.
class ArgSegments {
 public:
  // Gives each argument one element, which needs no table.
  constexpr explicit ArgSegments(int arguments = 0) : arguments_(arguments) {}
  // `begins` has arguments + 1 entries and outlives this object.
  constexpr ArgSegments(const uint16_t* begins, int arguments)
      : begins_(begins), arguments_(arguments) {}

  constexpr int arguments() const { return arguments_; }
  // Returns true if there is no table.
  constexpr bool one_each() const { return begins_ == nullptr; }
  constexpr int begin(int argument) const {
    return begins_ == nullptr ? argument : begins_[argument];
  }
  constexpr int end(int argument) const { return begin(argument + 1); }
  // Returns the number of elements of one argument, or of all of them.
  constexpr int size(int argument) const {
    return end(argument) - begin(argument);
  }
  constexpr int size() const { return begin(arguments_); }
  // Returns the argument that element `slot` belongs to. Takes linear time
  // where there is a table.
  constexpr int argument_of(int slot) const {
    if (begins_ == nullptr) return slot;
    int argument = 0;
    while (end(argument) <= slot) ++argument;
    return argument;
  }

 private:
  const uint16_t* begins_ = nullptr;
  int arguments_;
};

// Gives access to the elements of a call by argument. Borrows them; a copy is
// 32 bytes.
template <typename T>
class ArgList {
  using Value = std::remove_const_t<T>;
  template <typename Elements>
  using EnableIfSpan =
      std::enable_if_t<std::is_convertible_v<Elements, absl::Span<T>>>;

 public:
  // An element that an iterator points to: number `slot`, which belongs to
  // `argument`.
  struct Entry {
    int argument;
    int slot;
    T& element;
  };
  class Iterator;

  constexpr ArgList() = default;
  constexpr ArgList(absl::Span<T> elements, ArgSegments segments)
      : elements_(elements), segments_(segments) {}
  // These give each argument one element.
  template <typename Elements, typename = EnableIfSpan<Elements>>
  constexpr ArgList(Elements&& elements)  // NOLINT: implicit
      : ArgList(absl::Span<T>(std::forward<Elements>(elements))) {}
  constexpr ArgList(absl::Span<T> elements)  // NOLINT: implicit
      : elements_(elements), segments_(static_cast<int>(elements.size())) {}
  template <typename U = T,
            typename = std::enable_if_t<std::is_const_v<U>>>
  constexpr ArgList(std::initializer_list<Value> elements)  // NOLINT: implicit
      : ArgList(absl::Span<T>(elements.begin(), elements.size())) {}
  // Converts elements that may be changed to ones that may not.
  template <typename U, typename = EnableIfSpan<absl::Span<U>>>
  constexpr ArgList(const ArgList<U>& other)  // NOLINT: implicit
      : elements_(other.elements()), segments_(other.segments()) {}

  constexpr const ArgSegments& segments() const { return segments_; }
  constexpr int arguments() const { return segments_.arguments(); }

  // Returns argument `i`, which is no list and is not absent. Where elements
  // are pointers, returns what the pointer points to.
  constexpr auto& one(int i) const {
    if constexpr (std::is_pointer_v<Value>) {
      return *elements_[segments_.begin(i)];
    } else {
      return elements_[segments_.begin(i)];
    }
  }
  // Returns the element of argument `i`, which is no list; null if absent.
  constexpr T& optional(int i) const { return elements_[segments_.begin(i)]; }
  // Returns the elements of argument `i`.
  constexpr absl::Span<T> list(int i) const {
    return absl::Span<T>(elements_.data() + segments_.begin(i),
                         segments_.size(i));
  }

  // Returns all elements, by slot.
  constexpr absl::Span<T> elements() const { return elements_; }
  constexpr size_t size() const { return elements_.size(); }
  constexpr T& operator[](size_t slot) const { return elements_[slot]; }

  // Iterate over all elements with their arguments:
  //   for (const auto [argument, slot, element] : list)
  constexpr Iterator begin() const;
  constexpr Iterator end() const;

 private:
  absl::Span<T> elements_;
  ArgSegments segments_;
};

template <typename T>
class ArgList<T>::Iterator {
 public:
  constexpr Iterator(const ArgList& list, int argument, int slot)
      : list_(&list), argument_(argument), slot_(slot) {
    SkipEmpty();
  }
  constexpr Entry operator*() const {
    return {argument_, slot_, list_->elements_[slot_]};
  }
  constexpr Iterator& operator++() {
    ++slot_;
    SkipEmpty();
    return *this;
  }
  constexpr bool operator!=(const Iterator& other) const {
    return slot_ != other.slot_;
  }

 private:
  // Moves on to the argument of slot_.
  constexpr void SkipEmpty() {
    if (list_->segments_.one_each()) {
      argument_ = slot_;
      return;
    }
    while (argument_ < list_->arguments() &&
           list_->segments_.end(argument_) <= slot_) {
      ++argument_;
    }
  }

  const ArgList* list_;
  int argument_;
  int slot_;
};

template <typename T>
constexpr typename ArgList<T>::Iterator ArgList<T>::begin() const {
  return Iterator(*this, 0, 0);
}

template <typename T>
constexpr typename ArgList<T>::Iterator ArgList<T>::end() const {
  const int arguments = segments_.arguments();
  return Iterator(*this, arguments, static_cast<int>(elements_.size()));
}

// Reads a Tensor[] argument: pointers that are never null, as references to T.
// `Base` is what the pointers of the call point to. Borrows the pointers and
// the tensors.
template <typename T, typename Base = T>
class InputList {
 public:
  InputList() = default;
  // Takes a span, an array or a vector of pointers.
  template <typename Pointers,
            typename = std::enable_if_t<std::is_convertible_v<
                const Pointers&, absl::Span<const Base* const>>>>
  InputList(const Pointers& tensors)  // NOLINT: implicit
      : tensors_(tensors) {}
  size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }
  const T& operator[](size_t i) const {
    return *static_cast<const T*>(tensors_[i]);
  }
  absl::Span<const Base* const> pointers() const { return tensors_; }

 private:
  absl::Span<const Base* const> tensors_;
};

// Reads a Tensor[] result: pointers that are null where a tensor is not wanted.
// Borrows them; a kernel writes the tensors that are there and leaves the rest.
template <typename T, typename Base = T>
class OutputList {
 public:
  OutputList() = default;
  // Takes a span, an array or a vector of pointers.
  template <typename Pointers,
            typename = std::enable_if_t<std::is_convertible_v<
                const Pointers&, absl::Span<Base* const>>>>
  OutputList(const Pointers& tensors)  // NOLINT: implicit
      : tensors_(tensors) {}
  size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }
  T* operator[](size_t i) const { return static_cast<T*>(tensors_[i]); }
  // Returns true if some tensor is wanted.
  bool any() const {
    for (const Base* tensor : tensors_) {
      if (tensor != nullptr) return true;
    }
    return false;
  }

 private:
  absl::Span<Base* const> tensors_;
};

// Holds the arguments of one call. Borrows all of them.
template <typename Input, typename Output>
struct OpArgs {
  ArgList<const Input> inputs;
  absl::Span<const AttrRef> attrs;  // All, in the order of OpInfo.
  ArgList<Output> outputs;          // Null where not wanted.

  template <typename T>
  T attr(int i) const {
    return attrs[i].template Get<T>();
  }
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ARG_LIST_H_
