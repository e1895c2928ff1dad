// SPDX-License-Identifier: Apache-2.0
// PostOps: what an operator does to each element of its sums before it stores
// them, as the value of an attribute: a list of functions with their numbers,
// applied in order. post_ops.def has a row for each function.
//
// The operands that such operators have besides (a bias, a residual, a factor
// and an addend of the result) are inputs, whose places before and after the
// list the operator says: a list names functions of one element alone.
//
//   ParsePostOps("post_ops", "[leaky_relu(0.1), clip(0, 6)]");
//   ParsePostOps("post_ops", "relu");     // [relu]
//   ParsePostOps("post_ops", "softmax");  // an error, which lists the known
#ifndef SWITCHYARD_FRAMEWORK_TYPES_POST_OPS_H_
#define SWITCHYARD_FRAMEWORK_TYPES_POST_OPS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard {

// A function of one element.
enum class PostOpKind : uint8_t {
#define SY_POST_OP(enumerator, ...) k##enumerator,
#include "framework/types/post_ops.def"
#undef SY_POST_OP
};

// Returns the name that programs have for it; "" for kNone.
std::string_view Name(PostOpKind kind);
// Returns nullopt for a name that none has. "" is kNone.
std::optional<PostOpKind> FindPostOpKind(std::string_view name);

// A set of functions.
class PostOpKinds {
 public:
  constexpr PostOpKinds(std::initializer_list<PostOpKind> kinds) {
    for (PostOpKind kind : kinds)
      bits_ |= uint32_t{1} << static_cast<int>(kind);
  }
  static constexpr PostOpKinds OfBits(uint32_t bits) {
    PostOpKinds kinds = {};
    kinds.bits_ = bits;
    return kinds;
  }
  // All that there are.
  static constexpr PostOpKinds All() {
    return {
#define SY_POST_OP(enumerator, ...) PostOpKind::k##enumerator,
#include "framework/types/post_ops.def"
#undef SY_POST_OP
    };
  }
  constexpr bool contains(PostOpKind kind) const {
    return (bits_ >> static_cast<int>(kind) & 1) != 0;
  }
  constexpr uint32_t bits() const { return bits_; }

 private:
  uint32_t bits_ = 0;
};

// Returns "relu, relu6 or tanh"; kNone has no word.
std::string ToString(PostOpKinds kinds);

// A function with its numbers, those that it does not read 0.
struct PostOp {
  PostOpKind kind = PostOpKind::kNone;
  float alpha = 0;
  float beta = 0;
};

// A list of them. One word, copied freely: lists that are alike are one object,
// so that two are equal exactly if they are the same, which keys of caches
// compare. A list that was once made lives as long as the process; any threads
// make and read them together.
class PostOps {
 public:
  // A longer list is refused.
  static constexpr size_t kMaxSize = 8;

  constexpr PostOps() = default;  // Empty.

  // Returns the list of these. Numbers that a function does not read are left
  // out, and kNone too. `attribute` is named in errors.
  static absl::StatusOr<PostOps> Make(std::string_view attribute,
                                      absl::Span<const PostOp> steps);

  constexpr bool empty() const { return list_ == nullptr; }
  absl::Span<const PostOp> steps() const;
  // The only function; kNone of an empty list. Requires at most one.
  PostOp only() const;
  // "[leaky_relu(0.1), relu]", "[]": ParsePostOps() reads it back. Valid as
  // long as the process.
  std::string_view text() const;

  // The word, and the list that has it.
  constexpr const void* word() const { return list_; }
  static constexpr PostOps OfWord(const void* word) {
    PostOps ops;
    ops.list_ = word;
    return ops;
  }

  // The word as an integer, for a condition on the attribute.
  int64_t number() const { return reinterpret_cast<intptr_t>(list_); }
  static PostOps OfNumber(int64_t number) {
    return OfWord(reinterpret_cast<const void*>(number));
  }

  friend constexpr bool operator==(PostOps a, PostOps b) {
    return a.list_ == b.list_;
  }
  friend constexpr bool operator!=(PostOps a, PostOps b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, PostOps ops) {
    return H::combine(std::move(state), ops.list_);
  }

 private:
  const void* list_ = nullptr;
};

// Reads a list in brackets, one function without them, or "", an empty list.
// `attribute` is named in errors.
absl::StatusOr<PostOps> ParsePostOps(std::string_view attribute,
                                     std::string_view text);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_POST_OPS_H_
