// SPDX-License-Identifier: Apache-2.0
// The owners of what ArgList (phi/core/arg_list.h) shows: ArgLayout owns
// segments, ArgBuffer<T> elements and segments.
//
//   auto inputs = ArgBuffer<const TensorBase*>::Of(x, absl::MakeSpan(more));
//   kernel(inputs.view());
#ifndef SWITCHYARD_PHI_CORE_ARG_BUFFER_H_
#define SWITCHYARD_PHI_CORE_ARG_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/arg_list.h"

namespace switchyard::phi {

// Owns the segments of a call; arguments are added one after another. Takes no
// memory from the heap for fewer than eight arguments.
class ArgLayout {
 public:
  ArgLayout() = default;

  void Add(size_t elements);

  // Valid while this object is neither changed nor moved.
  ArgSegments segments() const {
    return begins_.empty() ? ArgSegments(arguments_)
                           : ArgSegments(begins_.data(), arguments_);
  }
  // Returns the number of elements, which may exceed kMaxArgElements.
  size_t size() const { return size_; }

  // Returns an ArgumentError if there are more elements than segments can
  // count.
  absl::Status Check() const;

 private:
  int arguments_ = 0;
  size_t size_ = 0;
  absl::InlinedVector<uint16_t, 8> begins_;  // Empty: one element each.
};

// Owns the elements of a call. Takes no memory from the heap for fewer than
// eight elements.
//
// Generated code makes one for every operator. So copies and destruction are
// functions, and headers declare `extern template class` for its element types.
template <typename T>
class ArgBuffer {
 public:
  ArgBuffer() = default;
  ArgBuffer(const ArgBuffer&);
  ArgBuffer(ArgBuffer&&) noexcept;
  ArgBuffer& operator=(const ArgBuffer&);
  ArgBuffer& operator=(ArgBuffer&&) noexcept;
  ~ArgBuffer();
  // Makes value-initialised elements.
  explicit ArgBuffer(ArgLayout layout)
      : elements_(layout.size()), layout_(std::move(layout)) {}

  // Makes an argument of each parameter: an element, what an element points to,
  // a std::optional of that (null if absent), or a span of either. Borrows what
  // elements point to.
  template <typename... A>
  static ArgBuffer Of(const A&... arguments) {
    ArgBuffer buffer;
    (buffer.AddArgument(arguments), ...);
    return buffer;
  }

  // Adds an element to the argument that EndArgument() ends.
  void push_back(T element) { elements_.push_back(std::move(element)); }
  void EndArgument() { layout_.Add(elements_.size() - layout_.size()); }
  // Adds an argument that is no list.
  void AddOne(T element) {
    push_back(std::move(element));
    EndArgument();
  }
  void AddList(absl::Span<const T> elements) {
    elements_.insert(elements_.end(), elements.begin(), elements.end());
    EndArgument();
  }

  // Returns an ArgumentError if there are more elements than segments can
  // count.
  absl::Status Check() const { return layout_.Check(); }

  // Valid while this object is neither changed nor moved.
  ArgSegments segments() const { return layout_.segments(); }
  const ArgLayout& layout() const { return layout_; }
  ArgList<const T> view() const { return {elements_, segments()}; }
  ArgList<T> mutable_view() { return {absl::MakeSpan(elements_), segments()}; }

  // Do what the functions of ArgList do.
  const auto& one(int i) const { return view().one(i); }
  const T& optional(int i) const { return view().optional(i); }
  absl::Span<const T> list(int i) const { return view().list(i); }
  // Copies the elements of argument `i`.
  std::vector<T> vector(int i) const {
    const absl::Span<const T> elements = list(i);
    return std::vector<T>(elements.begin(), elements.end());
  }

  size_t size() const { return elements_.size(); }
  T& operator[](size_t slot) { return elements_[slot]; }
  const T& operator[](size_t slot) const { return elements_[slot]; }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  template <typename U>
  void AddArgument(const U& argument) {
    if constexpr (std::is_convertible_v<const U&, T>) {
      AddOne(argument);
    } else {
      static_assert(std::is_pointer_v<T>, "an element or a span of them");
      AddOne(&argument);
    }
  }
  template <typename U>
  void AddArgument(const std::optional<U>& argument) {
    AddOne(argument.has_value() ? &*argument : nullptr);
  }
  template <typename U>
  void AddArgument(const absl::Span<const U>& argument) {
    for (const U& element : argument) {
      if constexpr (std::is_convertible_v<const U&, T>) {
        push_back(element);
      } else {
        push_back(&element);
      }
    }
    EndArgument();
  }
  template <typename U, typename Base>
  void AddArgument(const InputList<U, Base>& argument) {
    AddList(argument.pointers());
  }

  absl::InlinedVector<T, 8> elements_;
  ArgLayout layout_;
};

template <typename T>
ArgBuffer<T>::ArgBuffer(const ArgBuffer&) = default;
template <typename T>
ArgBuffer<T>::ArgBuffer(ArgBuffer&&) noexcept = default;
template <typename T>
ArgBuffer<T>& ArgBuffer<T>::operator=(const ArgBuffer&) = default;
template <typename T>
ArgBuffer<T>& ArgBuffer<T>::operator=(ArgBuffer&&) noexcept = default;
template <typename T>
ArgBuffer<T>::~ArgBuffer() = default;

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ARG_BUFFER_H_
