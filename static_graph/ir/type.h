// SPDX-License-Identifier: Apache-2.0
// Type: the type of a value, of any dialect; and TensorType, the builtin one.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_
#define SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_

#include <string>
#include <utility>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/ir/type_id.h"

namespace switchyard::static_graph::ir {

// The greatest depth of types and attributes inside each other that text and
// saved programs may have.
inline constexpr int kMaxNesting = 32;

class Context;
class Decoder;  // static_graph/ir/encoding.h
class Encoder;
class Lexer;  // static_graph/ir/lexer.h
class Type;

// The name and functions of one of a dialect's types. Registered with a Context
// (dialect.h); the IR core knows a type by this alone.
struct TypeDefinition {
  TypeId id = nullptr;  // Of the C++ class, TypeIdOf<PlacedType>().
  std::string name;     // The word that begins its text: "mesh.placed".
  // Returns what follows the name: "<...>", or nothing.
  std::string (*print)(Type type) = nullptr;
  // Reads what print() wrote; the lexer is after the name.
  absl::StatusOr<Type> (*parse)(Lexer& lexer, Context* context) = nullptr;
  // Checks the parameters, whenever one is made. Null: any are right.
  absl::Status (*verify)(Type type) = nullptr;
  // Write and read the parameters in a saved program.
  void (*encode)(Type type, Encoder* encoder) = nullptr;
  absl::StatusOr<Type> (*decode)(Decoder* decoder) = nullptr;
};

// The memory of a type: its definition, and in a derived class its parameters,
// by which Context uniques it (Context::Get in context.h).
struct TypeStorage {
  TypeStorage() = default;
  TypeStorage(const TypeStorage&) = delete;
  TypeStorage& operator=(const TypeStorage&) = delete;
  virtual ~TypeStorage() = default;

  const TypeDefinition* definition = nullptr;
};

// The type of a value: a pointer to storage that its Context owns; cheap to
// copy. Types are uniqued, so two types are equal exactly if their pointers
// are. A default constructed one is null. A dialect's types are classes that
// derive from it and add no member:
//
//   class PlacedType : public ir::Type {
//    public:
//     using Key = std::pair<ir::TensorType, ir::Attribute>;
//     using Storage = ir::KeyedTypeStorage<Key>;
//     using ir::Type::Type;
//     ir::TensorType tensor() const { return key<PlacedType>().first; }
//   };
class Type {
 public:
  constexpr Type() = default;
  constexpr explicit Type(const TypeStorage* storage) : storage_(storage) {}

  constexpr explicit operator bool() const { return storage_ != nullptr; }
  const TypeDefinition& definition() const { return *storage_->definition; }
  // Returns true if it is of the class T; a null type is of none.
  template <typename T>
  bool Is() const {
    return storage_ != nullptr && storage_->definition->id == TypeIdOf<T>();
  }
  // Returns it as a T, which is null if it is of another class.
  template <typename T>
  T As() const {
    return Is<T>() ? T(storage_) : T();
  }

  friend bool operator==(Type a, Type b) { return a.storage_ == b.storage_; }
  friend bool operator!=(Type a, Type b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, Type type) {
    return H::combine(std::move(state), type.storage_);
  }

 protected:
  const TypeStorage* storage() const { return storage_; }
  // Returns the parameters of a T that is not null.
  template <typename T>
  const typename T::Key& key() const {
    return static_cast<const typename T::Storage*>(storage_)->key;
  }

 private:
  const TypeStorage* storage_ = nullptr;
};

// Storage whose parameters are a hashable value, such as a std::tuple.
template <typename K>
struct KeyedTypeStorage : TypeStorage {
  explicit KeyedTypeStorage(K k) : key(std::move(k)) {}
  const K key;
};

// The type of a tensor: dtype, shape as far as it is known, layout, kind and
// LoD levels. There is no list type: a Tensor[] argument is several operands
// (static_graph/ir/segments.h). A null one has an undefined dtype and no axes,
// so that what reads a value of another type as a tensor refuses its dtype.
// Made by Context::GetTensorType.
class TensorType : public Type {
 public:
  using Key = TensorSpec;
  using Storage = KeyedTypeStorage<Key>;
  using Type::Type;

  const TensorSpec& spec() const {
    return storage() == nullptr ? None() : key<TensorType>();
  }
  DataType dtype() const { return spec().dtype; }
  const Shape& shape() const { return spec().shape; }
  LayoutDescriptor layout() const { return spec().layout; }
  TensorKind kind() const { return spec().kind; }
  int lod_levels() const { return spec().lod_levels; }

 private:
  static const TensorSpec& None() {
    static const TensorSpec* const none = new TensorSpec();
    return *none;
  }
};

// Returns "tensor<float32[?, 784]>"; what differs from strided, dense and LoD 0
// follows the shape: "tensor<float32[8, 2], layout Ab8a, kind selected_rows,
// lod 1>". Types of other dialects begin with their name: "mesh.placed<...>".
// The parser reads it back; "null" for a null type.
std::string ToString(Type type);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_
