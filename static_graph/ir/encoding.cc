// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/encoding.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph::ir {
namespace {

// The kinds of entries.
constexpr char kType = 't';
constexpr char kAttribute = 'a';
constexpr char kLocation = 'l';
constexpr char kName = 'n';

}  // namespace

uint32_t Encoder::Add(char kind, std::string_view name, std::string payload) {
  entries_.U32(static_cast<uint32_t>(kind));
  entries_.Counted(name);
  entries_.Counted(payload);
  return ++count_;
}

// The hook may write further entries first, which then have smaller numbers.
template <typename T>
uint32_t Encoder::Hook(char kind, T item) {
  ByteWriter outer = std::exchange(body_, ByteWriter());
  item.definition().encode(item, this);
  const ByteWriter payload = std::exchange(body_, std::move(outer));
  return Add(kind, item.definition().name, payload.bytes());
}

void Encoder::Write(Type type) {
  if (!type) return U32(0);
  auto found = types_.find(type);
  if (found == types_.end()) {
    found = types_.emplace(type, Hook(kType, type)).first;
  }
  U32(found->second);
}

void Encoder::Write(Attribute attribute) {
  if (!attribute) return U32(0);
  auto found = attributes_.find(attribute);
  if (found == attributes_.end()) {
    const uint32_t number = Hook(kAttribute, attribute);
    found = attributes_.emplace(attribute, number).first;
  }
  U32(found->second);
}

void Encoder::Write(Location location) {
  if (!location) return U32(0);
  auto found = locations_.find(location);
  if (found == locations_.end()) {
    ByteWriter payload;
    payload.U32(static_cast<uint32_t>(location.first()));
    payload.U32(static_cast<uint32_t>(location.second()));
    const uint32_t number = Add(kLocation, location.source(), payload.bytes());
    found = locations_.emplace(location, number).first;
  }
  U32(found->second);
}

void Encoder::Name(std::string_view name) {
  auto found = names_.find(std::string(name));
  if (found == names_.end()) {
    found = names_.emplace(std::string(name), Add(kName, name, "")).first;
  }
  U32(found->second);
}

std::string Encoder::Finish() const {
  ByteWriter whole;
  whole.U32(count_);
  whole.Bytes(entries_.bytes());
  whole.Bytes(body_.bytes());
  return whole.bytes();
}

absl::Status Decoder::Malformed(std::string_view what) const {
  return absl::DataLossError(
      absl::StrCat("encoded program: ", std::string(what), " is malformed"));
}

absl::Status Decoder::ReadTable() {
  const uint32_t count = U32();
  for (uint32_t i = 0; i < count && ok(); ++i) {
    SY_RETURN_IF_ERROR(ReadEntry());
  }
  return ok() ? absl::OkStatus() : Malformed("the table");
}

absl::Status Decoder::ReadEntry() {
  Entry entry;
  entry.kind = static_cast<char>(U32());
  entry.name = reader_.Counted();
  const std::string_view payload = reader_.Counted();
  if (!ok()) return Malformed("the table");
  const ByteReader rest = std::exchange(reader_, ByteReader(payload));
  nesting_ = 0;
  if (entry.kind == kLocation) {
    const int first = static_cast<int>(U32());
    const int second = static_cast<int>(U32());
    entry.location = context_->GetLocation(entry.name, first, second);
  } else if (entry.kind != kName) {
    SY_RETURN_IF_ERROR(ReadHooked(entry.name, &entry));
  }
  entry.nesting = nesting_ + 1;
  if (!ok() || !reader_.at_end() || entry.nesting > kMaxNesting) {
    return Malformed(entry.name);
  }
  reader_ = rest;
  entries_.push_back(entry);
  return absl::OkStatus();
}

absl::Status Decoder::ReadHooked(std::string_view name, Entry* entry) {
  const TypeDefinition* type = context_->FindType(name);
  const AttributeDefinition* attribute = context_->FindAttribute(name);
  if (entry->kind == kType && type != nullptr) {
    SY_ASSIGN_OR_RETURN(entry->type, type->decode(this));
    return absl::OkStatus();
  }
  if (entry->kind == kAttribute && attribute != nullptr) {
    SY_ASSIGN_OR_RETURN(entry->attribute, attribute->decode(this));
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat(
      "encoded program: no dialect registered the ",
      entry->kind == kType ? "type " : "attribute ", std::string(name)));
}

const Decoder::Entry* Decoder::Next(char kind) {
  const uint32_t number = U32();
  if (number == 0 || !ok()) return nullptr;
  if (number > entries_.size() || entries_[number - 1].kind != kind) {
    ok_ = false;
    return nullptr;
  }
  const Entry* const entry = &entries_[number - 1];
  nesting_ = std::max(nesting_, entry->nesting);
  return entry;
}

Type Decoder::ReadType() {
  const Entry* entry = Next(kType);
  return entry == nullptr ? Type() : entry->type;
}

Attribute Decoder::ReadAttribute() {
  const Entry* entry = Next(kAttribute);
  return entry == nullptr ? Attribute() : entry->attribute;
}

Location Decoder::ReadLocation() {
  const Entry* entry = Next(kLocation);
  return entry == nullptr ? Location() : entry->location;
}

std::string_view Decoder::ReadName() {
  const Entry* entry = Next(kName);
  return entry == nullptr ? std::string_view() : entry->name;
}

}  // namespace switchyard::static_graph::ir
