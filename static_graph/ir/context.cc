// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/context.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "absl/hash/hash.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

struct SpecHash {
  size_t operator()(const TensorSpec& spec) const {
    size_t hash = absl::HashOf(spec.dtype, spec.layout, spec.kind,
                               spec.lod_levels, spec.shape.rank());
    for (Dim dim : spec.shape.dims()) {
      hash = absl::HashOf(hash, dim.known(), dim.known() ? dim.value() : 0,
                          dim.symbolic() ? dim.symbol() + int64_t{1} : 0);
    }
    return hash;
  }
};

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
  return "f" + BytesOf(scalar.to<double>());
}

std::string BytesOf(AttrRef value) {
  switch (value.type()) {
    case AttrType::kBool:
      return BytesOf(value.Get<bool>());
    case AttrType::kInt:
      return BytesOf(value.Get<int>());
    case AttrType::kInt64:
      return BytesOf(value.Get<int64_t>());
    case AttrType::kFloat:
      return BytesOf(value.Get<float>());
    case AttrType::kDouble:
      return BytesOf(value.Get<double>());
    case AttrType::kString:
      return std::string(value.Get<std::string_view>());
    case AttrType::kInts:
      return BytesOf(value.Get<absl::Span<const int>>());
    case AttrType::kInt64s:
      return BytesOf(value.Get<absl::Span<const int64_t>>());
    case AttrType::kFloats:
      return BytesOf(value.Get<absl::Span<const float>>());
    case AttrType::kBools:
      return BytesOf(value.Get<absl::Span<const bool>>());
    case AttrType::kScalar:
      return BytesOf(value.Get<const Scalar&>());
    case AttrType::kDataType:
      return BytesOf(value.Get<DataType>());
    case AttrType::kPlace:
      return BytesOf(value.Get<Place>());
  }
  return {};
}

// AttributeKind begins with the values of AttrType, in their order.
constexpr AttributeKind KindOf(AttrType type) {
  return static_cast<AttributeKind>(type);
}
static_assert(KindOf(AttrType::kBool) == AttributeKind::kBool &&
              KindOf(AttrType::kString) == AttributeKind::kString &&
              KindOf(AttrType::kBools) == AttributeKind::kBools &&
              KindOf(AttrType::kPlace) == AttributeKind::kPlace);

}  // namespace

struct Context::Tables {
  using Storage = Attribute::Storage;
  struct StorageHash {
    size_t operator()(const Storage& storage) const {
      return absl::HashOf(storage.kind, storage.type, storage.bytes);
    }
  };
  struct StorageEqual {
    bool operator()(const Storage& a, const Storage& b) const {
      return a.kind == b.kind && a.type == b.type && a.bytes == b.bytes;
    }
  };

  // Node containers: what they hold never moves.
  std::unordered_set<TensorSpec, SpecHash> types;
  std::unordered_set<Storage, StorageHash, StorageEqual> attributes;
  std::map<std::string, OpDefinition, std::less<>> ops;
};

Context::Context(ContextOptions options)
    : options_(options), tables_(std::make_unique<Tables>()) {}

Context::~Context() = default;

TensorType Context::GetTensorType(const TensorSpec& spec) {
  return TensorType(&*tables_->types.insert(spec).first);
}

TensorType Context::GetTensorType(DataType dtype, const Shape& shape) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return GetTensorType(spec);
}

Attribute Context::Unique(AttributeKind kind, TensorType type,
                          std::string bytes) {
  Attribute::Storage storage;
  storage.kind = kind;
  storage.type = type;
  storage.bytes = std::move(bytes);
  return Attribute(&*tables_->attributes.insert(std::move(storage)).first);
}

Attribute Context::GetAttribute(AttrRef value) {
  if (value.type() != AttrType::kScalar) {
    return Unique(KindOf(value.type()), {}, BytesOf(value));
  }
  Attribute::Storage storage;
  storage.kind = AttributeKind::kScalar;
  storage.bytes = BytesOf(value);
  storage.scalar = value.Get<const Scalar&>();
  return Attribute(&*tables_->attributes.insert(std::move(storage)).first);
}

Attribute Context::GetStrings(absl::Span<const std::string> texts) {
  Attribute::Storage storage;
  storage.kind = AttributeKind::kStrings;
  for (const std::string& text : texts) {
    storage.bytes += BytesOf(static_cast<uint64_t>(text.size())) + text;
  }
  storage.strings.assign(texts.begin(), texts.end());
  return Attribute(&*tables_->attributes.insert(std::move(storage)).first);
}

Attribute Context::GetSymbol(std::string_view name) {
  return Unique(AttributeKind::kSymbol, {}, std::string(name));
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
  const size_t element = SizeOf(spec.dtype);
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
  return Unique(AttributeKind::kConstant, type, std::string(bytes));
}

absl::Status Context::RegisterOp(OpDefinition definition) {
  const std::string name = definition.name;
  if (!IsOpName(name)) {
    return ArgumentError("operation name", "of the form dialect.name",
                         Quote(name));
  }
  definition.registered = true;
  const auto [entry, inserted] =
      tables_->ops.try_emplace(name, std::move(definition));
  if (inserted) return absl::OkStatus();
  return absl::AlreadyExistsError("operation " + name +
                                  " must be registered once, got it twice");
}

const OpDefinition* Context::FindOp(std::string_view name) const {
  const auto found = tables_->ops.find(name);
  if (found == tables_->ops.end() || !found->second.registered) return nullptr;
  return &found->second;
}

absl::StatusOr<const OpDefinition*> Context::GetOp(std::string_view name) {
  if (const auto found = tables_->ops.find(name); found != tables_->ops.end()) {
    return &found->second;
  }
  if (!options_.allow_unknown_ops || !IsOpName(name)) {
    return absl::NotFoundError("unknown operation " + std::string(name));
  }
  OpDefinition unknown;
  unknown.name = std::string(name);
  unknown.registered = false;
  return &tables_->ops.try_emplace(unknown.name, unknown).first->second;
}

std::vector<const OpDefinition*> Context::RegisteredOps() const {
  std::vector<const OpDefinition*> ops;
  for (const auto& [name, definition] : tables_->ops) {
    if (definition.registered) ops.push_back(&definition);
  }
  return ops;
}

}  // namespace switchyard::static_graph::ir
