// SPDX-License-Identifier: Apache-2.0
// SmallArray: an array for the arguments of a call.
#ifndef SWITCHYARD_FRAMEWORK_BASE_SMALL_ARRAY_H_
#define SWITCHYARD_FRAMEWORK_BASE_SMALL_ARRAY_H_

#include <cstddef>
#include <new>
#include <type_traits>

#include "absl/base/optimization.h"

namespace switchyard {

// An array for the arguments of a call. Its size is set once, up to kInline
// elements take no memory from the heap, and an access is one load
// (absl::InlinedVector, which can grow, branches at each access):
//   SmallArray<const TensorBase*, 8> inputs(count);  // Null pointers.
//   for (size_t i = 0; i < count; ++i) inputs[i] = &tensors[i];
// Owns its elements. It points into itself, so it is neither copied nor moved,
// and pointers to elements are valid until Reset(). T() must not throw. Only a
// size over kInline can throw std::bad_alloc, which leaves the array empty. One
// thread at a time may change it.
template <typename T, size_t kInline>
class SmallArray {
 public:
  static_assert(alignof(T) <= alignof(std::max_align_t));

  SmallArray() = default;
  // Makes `size` value-initialised elements.
  explicit SmallArray(size_t size) { Make(size); }
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;
  ~SmallArray() { Clear(); }

  // Drops what is there and makes `size` value-initialised elements.
  void Reset(size_t size) {
    Clear();
    Make(size);
  }

  // No access checks its index.
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* inline_data() { return reinterpret_cast<T*>(inline_); }

  void Make(size_t size) {
    if (ABSL_PREDICT_FALSE(size > kInline)) {
      data_ = static_cast<T*>(::operator new(size * sizeof(T)));
    }
    for (size_t i = 0; i < size; ++i) new (data_ + i) T();
    size_ = size;
  }

  void Clear() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (size_t i = 0; i < size_; ++i) data_[i].~T();
    }
    if (ABSL_PREDICT_FALSE(data_ != inline_data())) {
      ::operator delete(data_);
      data_ = inline_data();
    }
    size_ = 0;
  }

  T* data_ = inline_data();
  size_t size_ = 0;
  alignas(T) unsigned char inline_[kInline * sizeof(T)];
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_SMALL_ARRAY_H_
