// SPDX-License-Identifier: Apache-2.0
// Context: the owner of uniqued types, attributes and locations, and of what
// dialects registered.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_
#define SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "static_graph/ir/attribute.h"
#include "static_graph/ir/dialect.h"
#include "static_graph/ir/location.h"
#include "static_graph/ir/op_definition.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

namespace detail {

// Return the bytes that a type's or an attribute's parameters hold beside
// themselves, where these may be many.
template <typename T>
size_t HeldBy(const T&) {
  return 0;
}
inline size_t HeldBy(const std::string& text) { return text.size(); }
template <typename T>
size_t HeldBy(const std::vector<T>& list) {
  size_t held = list.size() * sizeof(T);
  for (const T& item : list) held += HeldBy(item);
  return held;
}
template <typename A, typename B>
size_t HeldBy(const std::pair<A, B>& pair) {
  return HeldBy(pair.first) + HeldBy(pair.second);
}

}  // namespace detail

// The options of a Context.
struct ContextOptions {
  // Names that no dialect registered get a definition without traits instead
  // of an error: for tools that read any program.
  bool allow_unknown_ops = false;
};

// Owns the uniqued types, attributes and locations of any number of programs
// and the definitions of the dialects that they use. It is no singleton: a
// program's builder makes one, registers dialects with it, and keeps it alive
// longer than every program, type and attribute made from it. What it hands out
// never moves.
//
// Thread safety: as a standard container. Many threads may read programs of one
// Context at once, but only one may build or change them.
class Context {
 public:
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Returns the type or attribute of the class T with these parameters, made if
  // it is new. FailedPreconditionError if no dialect registered T; what its
  // definition's verify() refuses, else.
  template <typename T>
  absl::StatusOr<T> Get(typename T::Key key);

  TensorType GetTensorType(const TensorSpec& spec);
  // Returns the type of a dense, strided tensor.
  TensorType GetTensorType(DataType dtype, const Shape& shape);

  // Returns an attribute of operators; copies what `value` refers to. All NaNs
  // of one width are one attribute; 0.0 and -0.0 are two.
  Attribute GetAttribute(AttrRef value);
  Attribute GetString(std::string_view text) { return GetAttribute(text); }
  Attribute GetStrings(absl::Span<const std::string> texts);
  Attribute GetSymbol(std::string_view name);
  // Returns a constant with the given bytes, row-major. ArgumentError unless
  // `type` is dense and strided, of known shape, and `bytes` as long as it says
  // (bools: 0 or 1).
  absl::StatusOr<Attribute> GetConstant(TensorType type,
                                        std::string_view bytes);

  // Returns line `line` of `file`; an operation of an imported program by its
  // index in a block.
  Location GetLocation(std::string_view file, int line) {
    return GetLocation(file, line, -1);
  }
  Location GetLocation(std::string_view program, int block, int operation);

  // Adds what the dialect has. AlreadyExistsError if a name is taken,
  // InvalidArgumentError unless each name reads "<dialect>.<name>" and has the
  // hooks that it needs; the context is then as before.
  absl::Status Register(const Dialect& dialect);
  // Adds one operation; errors as above.
  absl::Status RegisterOp(OpDefinition definition);

  // Returns null if nobody registered the name.
  const OpDefinition* FindOp(std::string_view name) const;
  const TypeDefinition* FindType(std::string_view name) const;
  const AttributeDefinition* FindAttribute(std::string_view name) const;
  // Returns what FindOp() finds, or a stand-in where unknown operations are
  // allowed; NotFoundError otherwise.
  absl::StatusOr<const OpDefinition*> GetOp(std::string_view name);
  // Returns all registered definitions, sorted by name.
  std::vector<const OpDefinition*> RegisteredOps() const;

  // Counts what was made so far, whether it is still there or not, for callers
  // that bound the memory of a program that they do not trust.
  struct Made {
    size_t bytes = 0;  // Of types, attributes and operations.
    size_t operations = 0;
  };
  const Made& made() const { return made_; }
  // Counts an operation of that many bytes: Builder's business.
  void CountOperation(size_t bytes) {
    made_.bytes += bytes;
    ++made_.operations;
  }

 private:
  struct Tables;
  template <typename Base>
  using Storages = std::unordered_multimap<size_t, std::unique_ptr<Base>>;

  template <typename T, typename Base, typename Definition>
  T Unique(Storages<Base>& storages, const Definition* definition,
           typename T::Key key);
  absl::Status NotRegistered() const;
  const TypeDefinition* FindTypeDefinition(TypeId id) const;
  const AttributeDefinition* FindAttributeDefinition(TypeId id) const;

  ContextOptions options_;
  Storages<TypeStorage> types_;
  Storages<AttributeStorage> attributes_;
  std::unique_ptr<Tables> tables_;
  Made made_;
};

template <typename T, typename Base, typename Definition>
T Context::Unique(Storages<Base>& storages, const Definition* definition,
                  typename T::Key key) {
  const size_t hash = absl::HashOf(definition, key);
  const auto [begin, end] = storages.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    const Base* found = entry->second.get();
    if (found->definition == definition &&
        static_cast<const typename T::Storage*>(found)->key == key) {
      return T(found);
    }
  }
  // An entry of the table, and what the allocator adds to three requests.
  constexpr size_t kEntry = 64;
  made_.bytes += kEntry + sizeof(typename T::Storage) + detail::HeldBy(key);
  auto made = std::make_unique<typename T::Storage>(std::move(key));
  made->definition = definition;
  return T(storages.emplace(hash, std::move(made))->second.get());
}

template <typename T>
absl::StatusOr<T> Context::Get(typename T::Key key) {
  constexpr bool kIsType = std::is_base_of_v<Type, T>;
  T made;
  if constexpr (kIsType) {
    const TypeDefinition* definition = FindTypeDefinition(TypeIdOf<T>());
    if (definition == nullptr) return NotRegistered();
    made = Unique<T>(types_, definition, std::move(key));
  } else {
    const AttributeDefinition* definition =
        FindAttributeDefinition(TypeIdOf<T>());
    if (definition == nullptr) return NotRegistered();
    made = Unique<T>(attributes_, definition, std::move(key));
  }
  // A refused one stays in the table, where nobody gets it.
  if (made.definition().verify == nullptr) return made;
  SY_RETURN_IF_ERROR(made.definition().verify(made));
  return made;
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_CONTEXT_H_
