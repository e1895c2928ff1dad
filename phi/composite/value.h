// SPDX-License-Identifier: Apache-2.0
// Value: a tensor as the body of a composite holds it.
#ifndef SWITCHYARD_PHI_COMPOSITE_VALUE_H_
#define SWITCHYARD_PHI_COMPOSITE_VALUE_H_

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace switchyard::phi::composite {

// A tensor as the body of a composite holds it: the handle of the executor that
// runs the body, an eager::Tensor or an ir::Value, in a word of its own. So a
// Value owns what that handle owns, copies are further handles, and memory is
// given back with the last of them. A default-made one is absent, as an
// optional argument that is not given.
//
// Only the executor (ops.h) knows the handle's type. Bodies copy Values, return
// them and ask ops for their shapes. Thread safety is the handle's.
class Value {
 public:
  Value() = default;
  // The value whose handle is `handle`, of one word: not an absent tensor's.
  template <typename T>
  static Value Of(T handle) {
    static_assert(sizeof(T) == sizeof(void*) && alignof(T) <= alignof(void*));
    static_assert(std::is_nothrow_move_constructible_v<T>);
    Value value;
    new (value.handle_) T(std::move(handle));
    value.type_ = &kTypeOf<T>;
    return value;
  }
  // The value of a handle that the caller keeps for longer: owns nothing. The
  // caller calls Forget() before it is destroyed.
  template <typename T>
  static Value Lent(const T& handle) {
    Value value;
    std::memcpy(value.handle_, &handle, sizeof(T));
    value.type_ = &kTypeOf<T>;
    return value;
  }
  // Makes the value absent, without its handle's destruction.
  void Forget() { type_ = nullptr; }

  Value(const Value& other) : type_(other.type_) {
    if (type_ != nullptr) type_->copy(other.handle_, handle_);
  }
  Value(Value&& other) noexcept { Take(&other); }
  Value& operator=(Value other) noexcept {
    Drop();
    Take(&other);
    return *this;
  }
  ~Value() { Drop(); }

  bool defined() const { return type_ != nullptr; }

  // Returns the handle, which is a T; null if the value is absent.
  template <typename T>
  const T* handle() const {
    return defined() ? std::launder(reinterpret_cast<const T*>(handle_))
                     : nullptr;
  }
  // Gives the handle to the caller: T() if the value is absent. It is absent
  // afterwards.
  template <typename T>
  T Release() {
    if (!defined()) return T();
    type_ = nullptr;
    T* const own = std::launder(reinterpret_cast<T*>(handle_));
    T handle = std::move(*own);
    own->~T();
    return handle;
  }

 private:
  // The operations of handles of one type.
  struct Type {
    void (*copy)(const void* from, void* to);
    void (*destroy)(void* handle);
  };
  template <typename T>
  static constexpr Type kTypeOf = {
      [](const void* from, void* to) {
        new (to) T(*static_cast<const T*>(from));
      },
      [](void* handle) { static_cast<T*>(handle)->~T(); }};

  void Take(Value* other) {
    type_ = std::exchange(other->type_, nullptr);
    std::memcpy(handle_, other->handle_, sizeof(handle_));
  }
  void Drop() {
    if (type_ != nullptr) std::exchange(type_, nullptr)->destroy(handle_);
  }

  const Type* type_ = nullptr;  // Null: absent.
  alignas(void*) unsigned char handle_[sizeof(void*)] = {};
};

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_VALUE_H_
