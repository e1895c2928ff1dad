// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/context.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "framework/base/hash_map.h"
#include "static_graph/ir/builtin_definitions.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

template <typename T>
T OneNan(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

template <typename T>
std::string BytesOf(T value) {
  if constexpr (std::is_floating_point_v<T>) value = OneNan(value);
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
std::string BytesOf(absl::Span<const T> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (T value : values) bytes += BytesOf(value);
  return bytes;
}

std::string BytesOf(const Scalar& scalar) {
  if (scalar.is_bool()) return "b" + BytesOf(scalar.to<bool>());
  if (scalar.is_int()) return "i" + BytesOf(scalar.to<int64_t>());
  if (scalar.is_complex()) {
    const std::complex<double> value = scalar.ToComplex();
    return "c" + BytesOf(value.real()) + BytesOf(value.imag());
  }
  return "f" + BytesOf(scalar.to<double>());
}

std::string BytesOf(std::string_view text) { return std::string(text); }

std::string BytesOf(absl::Span<const Scalar> values) {
  std::string bytes;
  for (const Scalar& value : values) bytes += BytesOf(value);
  return bytes;
}

std::string BytesOf(AttrRef value) {
  return VisitAttrType(value.type(), [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, absl::Span<const std::string>>) {
      return {};  // A StringsAttribute.
    } else {
      return BytesOf(value.Get<T>());
    }
  });
}

// "mesh.placed" of the dialect "mesh".
bool IsNameIn(const std::string& dialect, const std::string& name) {
  return IsOpName(name) && name.size() > dialect.size() &&
         name.compare(0, dialect.size(), dialect) == 0 &&
         name[dialect.size()] == '.';
}

template <typename Definition>
bool IsComplete(const Definition& definition) {
  return definition.id != nullptr && definition.print != nullptr &&
         definition.parse != nullptr && definition.encode != nullptr &&
         definition.decode != nullptr;
}

absl::Status CheckNew(const Dialect& dialect, const std::string& name) {
  if (IsNameIn(dialect.name, name)) return absl::OkStatus();
  return ArgumentError("name", "of the form " + dialect.name + ".name",
                       Quote(name));
}

absl::Status Incomplete(const std::string& name) {
  return ArgumentError(name,
                       "given with an id, print, parse, encode and decode",
                       "one of them missing");
}

absl::Status CheckName(const std::string& name) {
  if (IsOpName(name)) return absl::OkStatus();
  return ArgumentError("operation name", "of the form dialect.name",
                       Quote(name));
}

absl::Status Taken(const char* what, const std::string& name) {
  return absl::AlreadyExistsError(std::string(what) + " " + name +
                                  " must be registered once, got it twice");
}

}  // namespace

// Tables whose elements never move.
struct Context::Tables {
  // Some thousands, by their own names.
  HashMap<std::string_view, const OpDefinition*> ops;
  std::deque<OpDefinition> definitions;
  std::map<std::string, TypeDefinition, std::less<>> types;
  std::map<std::string, AttributeDefinition, std::less<>> attributes;
  std::map<TypeId, const TypeDefinition*> types_by_id;
  std::map<TypeId, const AttributeDefinition*> attributes_by_id;
  // The sources of locations, under themselves.
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>>
      sources;
  const std::shared_ptr<const std::string>* last_source = nullptr;
  // The builtin ones, which are looked up most.
  const TypeDefinition* tensor = nullptr;
  const AttributeDefinition* value = nullptr;
  const AttributeDefinition* strings = nullptr;
  const AttributeDefinition* symbol = nullptr;
  const AttributeDefinition* constant = nullptr;
  // Attributes that were asked for lately, by their hash: most operators have
  // those of the ones before them, and in the table of all attributes of a
  // large program a look-up waits for memory.
  std::array<ValueAttribute, 256> lately;

  // Takes the definition, unless its name is taken: returns null then.
  const OpDefinition* Add(OpDefinition* definition) {
    if (Contains(ops, definition->name)) return nullptr;
    const OpDefinition& added =
        definitions.emplace_back(std::move(*definition));
    return ops.emplace(added.name, &added).first->second;
  }
  const TypeDefinition* Add(const TypeDefinition& definition) {
    const auto added = types.emplace(definition.name, definition).first;
    return types_by_id[definition.id] = &added->second;
  }
  const AttributeDefinition* Add(const AttributeDefinition& definition) {
    const auto added = attributes.emplace(definition.name, definition).first;
    return attributes_by_id[definition.id] = &added->second;
  }
};

Context::Context(ContextOptions options)
    : options_(options), tables_(std::make_unique<Tables>()) {
  tables_->ops.reserve(4096);
  tables_->tensor = tables_->Add(TensorDefinition());
  tables_->value = tables_->Add(ValueDefinition());
  tables_->strings = tables_->Add(StringsDefinition());
  tables_->symbol = tables_->Add(SymbolDefinition());
  tables_->constant = tables_->Add(ConstantDefinition());
}

Context::~Context() = default;

TensorType Context::GetTensorType(const TensorSpec& spec) {
  return Unique<TensorType>(types_, tables_->tensor, spec);
}

TensorType Context::GetTensorType(DataType dtype, const Shape& shape) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return GetTensorType(spec);
}

Attribute Context::GetAttribute(AttrRef value) {
  if (value.type() == AttrType::kStrings) {
    return GetStrings(value.Get<absl::Span<const std::string>>());
  }
  ValueAttribute::Key key = {value.type(), BytesOf(value)};
  ValueAttribute& lately =
      tables_->lately[absl::HashOf(key) % tables_->lately.size()];
  if (!lately || lately.ref()->type() != key.first ||
      lately.raw() != key.second) {
    lately =
        Unique<ValueAttribute>(attributes_, tables_->value, std::move(key));
  }
  return lately;
}

Attribute Context::GetStrings(absl::Span<const std::string> texts) {
  return Unique<StringsAttribute>(attributes_, tables_->strings,
                                  {texts.begin(), texts.end()});
}

Attribute Context::GetSymbol(std::string_view name) {
  return Unique<SymbolAttribute>(attributes_, tables_->symbol,
                                 std::string(name));
}

absl::StatusOr<Attribute> Context::GetConstant(TensorType type,
                                               std::string_view bytes) {
  const TensorSpec& spec = type.spec();
  if (spec.dtype == DataType::kUndefined || spec.kind != TensorKind::kDense ||
      !spec.layout.strided() || spec.lod_levels != 0 || !spec.shape.known()) {
    return ArgumentError("constant", "a dense, strided tensor of known shape",
                         ToString(type));
  }
  SY_ASSIGN_OR_RETURN(const int64_t count, spec.shape.NumElements());
  const size_t element = ElementSize(spec.dtype);
  if (bytes.size() % element != 0 ||
      bytes.size() / element != static_cast<uint64_t>(count)) {
    return ArgumentError("constant",
                         std::to_string(count) + " elements of " +
                             std::to_string(element) + " bytes",
                         std::to_string(bytes.size()) + " bytes");
  }
  if (spec.dtype == DataType::kBool) {
    for (char byte : bytes) {
      if (byte != 0 && byte != 1) {
        return ArgumentError("constant", "of bools 0 or 1",
                             std::to_string(static_cast<int>(byte)));
      }
    }
  }
  return Attribute(Unique<ConstantAttribute>(attributes_, tables_->constant,
                                             {type, std::string(bytes)}));
}

Location Context::GetLocation(std::string_view program, int block,
                              int operation) {
  // Operations of one source come in a row.
  if (tables_->last_source == nullptr || **tables_->last_source != program) {
    auto found = tables_->sources.find(program);
    if (found == tables_->sources.end()) {
      auto source = std::make_shared<const std::string>(program);
      found = tables_->sources.emplace(program, std::move(source)).first;
    }
    tables_->last_source = &found->second;
  }
  return Location(tables_->last_source, block, operation);
}

absl::Status Context::Register(const Dialect& dialect) {
  HashSet<std::string> names;
  for (const OpDefinition& op : dialect.operations) {
    SY_RETURN_IF_ERROR(CheckNew(dialect, op.name));
    if (Contains(tables_->ops, op.name) || !names.insert(op.name).second) {
      return Taken("operation", op.name);
    }
  }
  for (const TypeDefinition& type : dialect.types) {
    SY_RETURN_IF_ERROR(CheckNew(dialect, type.name));
    if (!IsComplete(type)) return Incomplete(type.name);
    if (!names.insert("type " + type.name).second ||
        Contains(tables_->types, type.name) ||
        Contains(tables_->types_by_id, type.id)) {
      return Taken("type", type.name);
    }
  }
  for (const AttributeDefinition& attribute : dialect.attributes) {
    SY_RETURN_IF_ERROR(CheckNew(dialect, attribute.name));
    if (!IsComplete(attribute)) return Incomplete(attribute.name);
    if (!names.insert("attribute " + attribute.name).second ||
        Contains(tables_->attributes, attribute.name) ||
        Contains(tables_->attributes_by_id, attribute.id)) {
      return Taken("attribute", attribute.name);
    }
  }
  for (const TypeDefinition& type : dialect.types) tables_->Add(type);
  for (const AttributeDefinition& attribute : dialect.attributes) {
    tables_->Add(attribute);
  }
  for (const OpDefinition& op : dialect.operations) {
    SY_RETURN_IF_ERROR(RegisterOp(op));
  }
  return absl::OkStatus();
}

absl::Status Context::RegisterOp(OpDefinition definition) {
  SY_RETURN_IF_ERROR(CheckName(definition.name));
  definition.registered = true;
  if (tables_->Add(&definition) != nullptr) return absl::OkStatus();
  return Taken("operation", definition.name);
}

absl::Status Context::NotRegistered() const {
  return absl::FailedPreconditionError(
      "the dialect of the type or attribute must be registered with the "
      "context, got none of its class");
}

const TypeDefinition* Context::FindTypeDefinition(TypeId id) const {
  const auto found = tables_->types_by_id.find(id);
  return found == tables_->types_by_id.end() ? nullptr : found->second;
}

const AttributeDefinition* Context::FindAttributeDefinition(TypeId id) const {
  const auto found = tables_->attributes_by_id.find(id);
  return found == tables_->attributes_by_id.end() ? nullptr : found->second;
}

const TypeDefinition* Context::FindType(std::string_view name) const {
  const auto found = tables_->types.find(name);
  return found == tables_->types.end() ? nullptr : &found->second;
}

const AttributeDefinition* Context::FindAttribute(std::string_view name) const {
  const auto found = tables_->attributes.find(name);
  return found == tables_->attributes.end() ? nullptr : &found->second;
}

const OpDefinition* Context::FindOp(std::string_view name) const {
  const auto found = tables_->ops.find(name);
  if (found == tables_->ops.end() || !found->second->registered) return nullptr;
  return found->second;
}

absl::StatusOr<const OpDefinition*> Context::GetOp(std::string_view name) {
  if (const auto found = tables_->ops.find(name); found != tables_->ops.end()) {
    return found->second;
  }
  if (!options_.allow_unknown_ops || !IsOpName(name)) {
    return absl::NotFoundError("unknown operation " + std::string(name));
  }
  OpDefinition unknown;
  unknown.name = std::string(name);
  unknown.registered = false;
  return tables_->Add(&unknown);
}

std::vector<const OpDefinition*> Context::RegisteredOps() const {
  std::vector<const OpDefinition*> ops;
  for (const auto& [name, definition] : tables_->ops) {
    if (definition->registered) ops.push_back(definition);
  }
  std::sort(ops.begin(), ops.end(),
            [](const OpDefinition* a, const OpDefinition* b) {
              return a->name < b->name;
            });
  return ops;
}

}  // namespace switchyard::static_graph::ir
