// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/packed_operators.h"

#include <cstring>

namespace switchyard::static_graph {
namespace {

// Numbers are written seven bits a byte, low ones first.
constexpr unsigned kBits = 7;
constexpr unsigned kMore = 1u << kBits;

bool IsWhole(ForeignKind kind) {
  return kind == ForeignKind::kBool || kind == ForeignKind::kInt ||
         kind == ForeignKind::kLong || kind == ForeignKind::kBlock;
}

bool IsFloating(ForeignKind kind) {
  return kind == ForeignKind::kFloat || kind == ForeignKind::kDouble;
}

// Reads what PackedOperators has put.
class Unpacker {
 public:
  Unpacker(std::string_view bytes, const std::deque<std::string>& names)
      : at_(bytes.data()), names_(names) {}

  size_t Number() {
    size_t number = 0;
    for (unsigned shift = 0;; shift += kBits) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<size_t>(byte & (kMore - 1)) << shift;
      if ((byte & kMore) == 0) return number;
    }
  }
  std::string_view Text() {
    const size_t size = Number();
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }
  const std::string& Name() { return names_[Number()]; }
  template <typename T>
  T Raw() {
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  void Slots(ReusedList<ForeignSlot>* slots);
  void Attr(ForeignAttr* attr);

 private:
  const char* at_;
  const std::deque<std::string>& names_;
};

void Unpacker::Slots(ReusedList<ForeignSlot>* slots) {
  for (size_t i = Number(); i > 0; --i) {
    ForeignSlot& slot = slots->Add();
    slot.name = Name();
    for (size_t k = Number(); k > 0; --k) slot.variables.Add() = Text();
  }
}

void Unpacker::Attr(ForeignAttr* attr) {
  attr->name = Name();
  attr->kind = static_cast<ForeignKind>(Number());
  if (IsWhole(attr->kind)) {
    attr->SetInteger(Raw<int64_t>());
  } else if (IsFloating(attr->kind)) {
    attr->SetNumber(Raw<double>());
  } else if (attr->kind == ForeignKind::kTexts) {
    for (size_t i = Number(); i > 0; --i) attr->AddText() = Text();
  } else {
    attr->SetText(Text());
  }
  attr->present = true;
}

}  // namespace

void PackedOperators::PutNumber(size_t number) {
  for (; number >= kMore; number >>= kBits) {
    bytes_.push_back(static_cast<char>((number & (kMore - 1)) | kMore));
  }
  bytes_.push_back(static_cast<char>(number));
}

void PackedOperators::PutText(std::string_view text) {
  PutNumber(text.size());
  bytes_.append(text);
}

void PackedOperators::PutName(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return PutNumber(found->second);
  constexpr size_t kEntry = 128;
  names_held_ += kEntry + name.size();
  PutNumber(names_.size());
  const std::string_view held = names_.emplace_back(name);
  numbers_.emplace(held, names_.size() - 1);
}

void PackedOperators::PutSlots(const ReusedList<ForeignSlot>& slots) {
  PutNumber(slots.size());
  for (const ForeignSlot& slot : slots) {
    PutName(slot.name);
    PutNumber(slot.variables.size());
    for (const std::string& variable : slot.variables) PutText(variable);
  }
}

void PackedOperators::PutAttr(const ForeignAttr& attr) {
  const auto put_raw = [this](auto value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  PutName(attr.name);
  PutNumber(static_cast<size_t>(attr.kind));
  if (IsWhole(attr.kind)) {
    put_raw(attr.integer());
  } else if (IsFloating(attr.kind)) {
    put_raw(attr.number());
  } else if (attr.kind == ForeignKind::kTexts) {
    PutNumber(attr.texts().size());
    for (const std::string& text : attr.texts()) PutText(text);
  } else {
    PutText(attr.text());
  }
}

size_t PackedOperators::Add(const ForeignOperator& op) {
  const size_t place = bytes_.size();
  PutName(op.type);
  PutSlots(op.inputs);
  PutSlots(op.outputs);
  PutNumber(op.attrs.size());
  for (const ForeignAttr& attr : op.attrs) PutAttr(attr);
  return place;
}

void PackedOperators::Read(size_t place, ForeignOperator* op) const {
  Unpacker in(std::string_view(bytes_).substr(place), names_);
  op->Clear();
  op->type = in.Name();
  in.Slots(&op->inputs);
  in.Slots(&op->outputs);
  for (size_t i = in.Number(); i > 0; --i) in.Attr(&op->attrs.Add());
}

std::string_view PackedOperators::TypeAt(size_t place) const {
  return Unpacker(std::string_view(bytes_).substr(place), names_).Name();
}

}  // namespace switchyard::static_graph
