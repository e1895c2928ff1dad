// SPDX-License-Identifier: Apache-2.0
// UnsetArray: an array whose elements the caller sets.
#ifndef SWITCHYARD_EAGER_CALL_UNSET_ARRAY_H_
#define SWITCHYARD_EAGER_CALL_UNSET_ARRAY_H_

#include <cstddef>
#include <new>
#include <type_traits>

#include "absl/base/optimization.h"

namespace switchyard::eager {

// A SmallArray (framework/base/small_array.h) whose elements have no value
// until they are set: for those that are all set at once, where zeros before
// would be a call of memset.
//   UnsetArray<const Tensor*, 8> pointers(tensors.size());
//   for (size_t i = 0; i < tensors.size(); ++i) pointers[i] = &tensors[i];
// It points into itself, so it is neither copied nor moved. Only a size over
// kInline can throw std::bad_alloc. For one thread.
template <typename T, size_t kInline>
class UnsetArray {
 public:
  static_assert(std::is_trivial_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t));

  explicit UnsetArray(size_t size) : size_(size) {
    if (ABSL_PREDICT_FALSE(size > kInline)) {
      data_ = static_cast<T*>(::operator new(size * sizeof(T)));
    }
  }
  UnsetArray(const UnsetArray&) = delete;
  UnsetArray& operator=(const UnsetArray&) = delete;
  ~UnsetArray() {
    if (ABSL_PREDICT_FALSE(data_ != inline_)) ::operator delete(data_);
  }

  // No access checks its index.
  T* data() { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }

 private:
  T* data_ = inline_;
  size_t size_;
  T inline_[kInline];
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_UNSET_ARRAY_H_
