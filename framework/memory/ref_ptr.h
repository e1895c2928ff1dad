// SPDX-License-Identifier: Apache-2.0
// RefPtr: a shared owner of an object that counts its own references.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_REF_PTR_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_REF_PTR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace switchyard {

// A shared owner of an object that counts its own references, one word wide. T
// has Ref() and Unref(); Unref() destroys at zero. Choose it over
// std::shared_ptr where an object is allocated in one piece with its payload.
// As with std::shared_ptr, threads may own one object together, and each uses a
// RefPtr of its own. No function of it fails or takes memory:
//   const auto node = RefPtr<Node>::Adopt(new Node());  // Born with one.
template <typename T>
class RefPtr {
 public:
  constexpr RefPtr() = default;
  constexpr RefPtr(std::nullptr_t) {}  // NOLINT: implicit
  // Returns an owner that takes a reference of its own.
  static RefPtr Share(T* object) {
    if (object != nullptr) object->Ref();
    return Adopt(object);
  }
  // Returns an owner that takes over the caller's reference.
  static RefPtr Adopt(T* object) {
    RefPtr ptr;
    ptr.object_ = object;
    return ptr;
  }
  RefPtr(const RefPtr& other) : object_(other.object_) {
    if (object_ != nullptr) object_->Ref();
  }
  RefPtr(RefPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)) {}
  RefPtr& operator=(RefPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~RefPtr() {
    if (object_ != nullptr) object_->Unref();
  }

  // The object, still owned: null if there is none, in which case the two
  // operators must not be used.
  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Gives the reference to the caller.
  T* release() { return std::exchange(object_, nullptr); }
  friend bool operator==(const RefPtr& a, const RefPtr& b) {
    return a.object_ == b.object_;
  }
  friend bool operator!=(const RefPtr& a, const RefPtr& b) { return !(a == b); }

 private:
  T* object_ = nullptr;
};

// Counts references for objects that are deleted at zero: class Node : public
// RefCounted<Node>. Node needs no virtual destructor. The count begins at one,
// which belongs to the code that made the object. Threads may count at the same
// time; the destructor sees what they wrote before their Unref(). A copy of an
// object has a count of its own.
template <typename T>
class RefCounted {
 public:
  void Ref() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    // The only owner is alone with it: no locked instruction is needed.
    if (count_.load(std::memory_order_acquire) == 1 ||
        count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete static_cast<const T*>(this);
    }
  }
  // Returns true if the caller's is the only reference.
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;
  RefCounted(const RefCounted&) {}
  RefCounted& operator=(const RefCounted&) { return *this; }

 private:
  mutable std::atomic<int32_t> count_{1};
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_REF_PTR_H_
