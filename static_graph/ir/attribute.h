// SPDX-License-Identifier: Apache-2.0
// Attribute: an immutable value that is known when a program is built, of any
// dialect; and the builtin ones. Its name in an operation is in NamedAttribute
// (operation.h).
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

class Attribute;

// The name and functions of one of a dialect's attributes. Registered with a
// Context (dialect.h).
struct AttributeDefinition {
  TypeId id = nullptr;  // Of the C++ class, TypeIdOf<AxisAttribute>().
  std::string name;     // The word that begins its text: "mesh.axis".
  // A builtin one, whose text is a literal without its name: 5, "text", @main.
  bool literal = false;
  // Returns what follows the name: "<...>", or nothing; a literal's whole text.
  std::string (*print)(Attribute attribute) = nullptr;
  // Reads what print() wrote; the lexer is after the name.
  absl::StatusOr<Attribute> (*parse)(Lexer& lexer, Context* context) = nullptr;
  // Checks the parameters, whenever one is made. Null: any are right.
  absl::Status (*verify)(Attribute attribute) = nullptr;
  // Write and read the parameters in a saved program.
  void (*encode)(Attribute attribute, Encoder* encoder) = nullptr;
  absl::StatusOr<Attribute> (*decode)(Decoder* decoder) = nullptr;
};

// The memory of an attribute: its definition, and in a derived class its
// parameters, by which Context uniques it (Context::Get in context.h).
struct AttributeStorage {
  AttributeStorage() = default;
  AttributeStorage(const AttributeStorage&) = delete;
  AttributeStorage& operator=(const AttributeStorage&) = delete;
  virtual ~AttributeStorage() = default;

  const AttributeDefinition* definition = nullptr;
  // The value for InferMeta and kernels; nothing where operators take none.
  std::optional<AttrRef> value;
  // The characters of a string or a symbol.
  std::string_view text;
};

// An immutable value that is known when a program is built: an operator's
// attribute, a constant tensor, a name. A pointer that is copied freely; its
// Context owns and uniques what it points to, so attributes are equal exactly
// if their pointers are. A dialect's attributes are classes that derive from it
// and add no member, as types do (type.h).
class Attribute {
 public:
  constexpr Attribute() = default;  // Null.
  constexpr explicit Attribute(const AttributeStorage* storage)
      : storage_(storage) {}

  constexpr explicit operator bool() const { return storage_ != nullptr; }
  const AttributeDefinition& definition() const {
    return *storage_->definition;
  }
  // Returns true if it is of the class T; a null attribute is of none.
  template <typename T>
  bool Is() const {
    return storage_ != nullptr && storage_->definition->id == TypeIdOf<T>();
  }

  // Returns the value of an attribute of operators, for InferMeta and kernels;
  // nullopt for others. Refers into the Context.
  const std::optional<AttrRef>& ref() const { return storage_->value; }
  // Returns the characters of a string or symbol; empty for others.
  std::string_view text() const { return storage_->text; }
  // Returns the list of a StringsAttribute; empty for others.
  absl::Span<const std::string> strings() const;
  // Return type and bytes of a ConstantAttribute; null and empty for others.
  TensorType constant_type() const;
  std::string_view bytes() const;

  // For an attribute class T of the IR, returns it as a T, which is null if it
  // is of another class. For a value type (bool, int, int64_t, float, double,
  // std::string_view, the spans, Scalar, DataType, Place), returns the value if
  // the attribute is of this type; nullopt otherwise, and for a null attribute.
  template <typename T>
  auto As() const {
    if constexpr (std::is_base_of_v<Attribute, T>) {
      return Is<T>() ? T(storage_) : T();
    } else {
      return ValueAs<T>();
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

 protected:
  // Returns the parameters of a T that is not null.
  template <typename T>
  const typename T::Key& key() const {
    return static_cast<const typename T::Storage*>(storage_)->key;
  }

 private:
  template <typename T>
  std::optional<T> ValueAs() const {
    if (storage_ == nullptr || !storage_->value.has_value()) {
      return std::nullopt;
    }
    const AttrRef& value = *storage_->value;
    if (value.type() != kAttrTypeOf<T>) return std::nullopt;
    if constexpr (std::is_same_v<T, Scalar>) {
      return value.Get<const Scalar&>();
    } else {
      return value.Get<T>();
    }
  }

  const AttributeStorage* storage_ = nullptr;
};

// Storage whose parameters are a hashable value, such as a std::tuple.
template <typename K>
struct KeyedAttributeStorage : AttributeStorage {
  explicit KeyedAttributeStorage(K k) : key(std::move(k)) {}
  const K key;
};

// An attribute of operators, of one of the types of AttrType
// (framework/types/attr_type.h) but kStrings. They keep their widths: an int32
// 5 and an int64 5 are different attributes. Made by Context::GetAttribute.
class ValueAttribute : public Attribute {
 public:
  // The text holds the value in its C++ representation, a list's elements side
  // by side; those of each Scalar are after a letter that tells its kind.
  using Key = std::pair<AttrType, std::string>;
  struct Storage : KeyedAttributeStorage<Key> {
    explicit Storage(Key k);
    std::vector<Scalar> scalars;  // Those that `value` refers to.
  };
  using Attribute::Attribute;
  std::string_view raw() const { return key<ValueAttribute>().second; }
};

// A list of strings: an operator's attribute, the names of fetched values.
// Context::GetStrings.
class StringsAttribute : public Attribute {
 public:
  using Key = std::vector<std::string>;
  struct Storage : KeyedAttributeStorage<Key> {
    explicit Storage(Key k);
  };
  using Attribute::Attribute;
  const Key& list() const { return key<StringsAttribute>(); }
};

// A name that refers to something: @main. Context::GetSymbol.
class SymbolAttribute : public Attribute {
 public:
  using Key = std::string;
  struct Storage : KeyedAttributeStorage<Key> {
    explicit Storage(Key k);
  };
  using Attribute::Attribute;
};

// A dense tensor: its type and its bytes in row-major order.
// Context::GetConstant.
class ConstantAttribute : public Attribute {
 public:
  using Key = std::pair<TensorType, std::string>;
  using Storage = KeyedAttributeStorage<Key>;
  using Attribute::Attribute;
  const Key& tensor() const { return key<ConstantAttribute>(); }
};

// Returns the attribute as the IR's text writes it: "5", "5 : int64", "int64[1,
// 2]", "\"nearest\"", "@main", "mesh.axis<...>"; the parser reads it back.
// "null" for a null attribute.
std::string ToString(Attribute attribute);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_H_
