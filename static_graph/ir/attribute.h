// SPDX-License-Identifier: Apache-2.0
// Attribute: an immutable value that is known when a program is built. Its name
// in an operation is in NamedAttribute (operation.h).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_H_
#define SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attribute.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

// The first thirteen kinds are those of operators, one for one with AttrType of
// framework/types/attribute.h, and keep their widths: an int32 5 and an int64 5
// are different attributes. The others belong to the IR.
enum class AttributeKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kString,
  kInt32s,
  kInt64s,
  kFloat32s,
  kBools,
  kScalar,
  kDataType,
  kPlace,
  // The kinds of the IR alone:
  kStrings,   // A list of strings: the names of fetched values.
  kSymbol,    // A name that refers to something: @main.
  kConstant,  // A dense tensor: its type and its bytes in row-major order.
};

// An immutable value that is known when a program is built: an operator's
// attribute, a constant tensor, a name. A pointer that is copied freely; its
// Context owns and uniques what it points to, so attributes are equal exactly
// if their pointers are.
class Attribute {
 public:
  constexpr Attribute() = default;  // Null.

  constexpr explicit operator bool() const { return storage_ != nullptr; }
  AttributeKind kind() const { return storage_->kind; }

  // Returns the value of an attribute of operators, for InferMeta and kernels;
  // nullopt for the kinds of the IR alone. Refers into the Context.
  std::optional<AttrRef> ref() const;

  // Returns the characters of a kString or kSymbol; empty for other kinds.
  std::string_view text() const;
  // Returns the list of a kStrings; empty for other kinds.
  absl::Span<const std::string> strings() const { return storage_->strings; }
  // Return type and bytes of a kConstant; null and the raw value for other
  // kinds.
  TensorType constant_type() const { return storage_->type; }
  std::string_view bytes() const { return storage_->bytes; }

  // Returns the value if the attribute is of the kind of T (bool, int, int64_t,
  // float, double, std::string_view, the spans, Scalar, DataType, Place);
  // nullopt otherwise, and for a null attribute.
  template <typename T>
  std::optional<T> As() const {
    if (storage_ == nullptr) return std::nullopt;
    const std::optional<AttrRef> value = ref();
    const T example = {};
    if (!value.has_value() || value->type() != AttrRef(example).type()) {
      return std::nullopt;
    }
    if constexpr (std::is_same_v<T, Scalar>) {
      return value->Get<const Scalar&>();
    } else {
      return value->Get<T>();
    }
  }

  friend bool operator==(Attribute a, Attribute b) {
    return a.storage_ == b.storage_;
  }
  friend bool operator!=(Attribute a, Attribute b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, Attribute attribute) {
    return H::combine(std::move(state), attribute.storage_);
  }

 private:
  friend class Context;
  // `bytes` holds every kind's value in its C++ representation (an array's
  // elements side by side). Uniquing compares it with kind and type.
  struct Storage {
    AttributeKind kind;
    TensorType type;
    std::string bytes;
    Scalar scalar;                     // kScalar: what ref() refers to.
    std::vector<std::string> strings;  // kStrings.
  };
  constexpr explicit Attribute(const Storage* storage) : storage_(storage) {}
  const Storage* storage_ = nullptr;
};

// Returns the attribute as the IR's text writes it: "5", "5 : int64", "int64[1,
// 2]", "\"nearest\"", "@main", ...; the parser reads it back. "null" for a null
// attribute.
std::string ToString(Attribute attribute);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_H_
