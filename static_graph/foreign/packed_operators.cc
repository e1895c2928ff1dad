// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/packed_operators.h"

#include "static_graph/foreign/packed_bytes.h"

namespace switchyard::static_graph {
namespace {

bool IsWhole(ForeignKind kind) {
  return kind == ForeignKind::kBool || kind == ForeignKind::kInt ||
         kind == ForeignKind::kLong || kind == ForeignKind::kBlock;
}

bool IsFloating(ForeignKind kind) {
  return kind == ForeignKind::kFloat || kind == ForeignKind::kDouble;
}

// Reads what PackedOperators has put.
class OperatorUnpacker : public Unpacker {
 public:
  OperatorUnpacker(std::string_view bytes, size_t place,
                   const std::deque<std::string>& names)
      : Unpacker(bytes, place), names_(names) {}

  const std::string& Name() { return names_[Number()]; }
  void Slots(ReusedList<ForeignSlot>* slots);
  void Attr(ForeignAttr* attr);

 private:
  const std::deque<std::string>& names_;
};

void OperatorUnpacker::Slots(ReusedList<ForeignSlot>* slots) {
  for (size_t i = Number(); i > 0; --i) {
    ForeignSlot& slot = slots->Add();
    slot.name = Name();
    for (size_t k = Number(); k > 0; --k) slot.variables.Add() = Text();
  }
}

void OperatorUnpacker::Attr(ForeignAttr* attr) {
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

void PackedOperators::PutName(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return PutNumber(found->second, &bytes_);
  constexpr size_t kEntry = 128;
  names_held_ += kEntry + name.size();
  PutNumber(names_.size(), &bytes_);
  const std::string_view held = names_.emplace_back(name);
  numbers_.emplace(held, names_.size() - 1);
}

void PackedOperators::PutSlots(const ReusedList<ForeignSlot>& slots) {
  PutNumber(slots.size(), &bytes_);
  for (const ForeignSlot& slot : slots) {
    PutName(slot.name);
    PutNumber(slot.variables.size(), &bytes_);
    for (const std::string& variable : slot.variables)
      PutText(variable, &bytes_);
  }
}

void PackedOperators::PutAttr(const ForeignAttr& attr) {
  PutName(attr.name);
  PutNumber(static_cast<size_t>(attr.kind), &bytes_);
  if (IsWhole(attr.kind)) {
    PutRaw(attr.integer(), &bytes_);
  } else if (IsFloating(attr.kind)) {
    PutRaw(attr.number(), &bytes_);
  } else if (attr.kind == ForeignKind::kTexts) {
    PutNumber(attr.texts().size(), &bytes_);
    for (const std::string& text : attr.texts()) PutText(text, &bytes_);
  } else {
    PutText(attr.text(), &bytes_);
  }
}

size_t PackedOperators::Add(const ForeignOperator& op) {
  const size_t place = bytes_.size();
  PutName(op.type);
  PutSlots(op.inputs);
  PutSlots(op.outputs);
  PutNumber(op.attrs.size(), &bytes_);
  for (const ForeignAttr& attr : op.attrs) PutAttr(attr);
  return place;
}

void PackedOperators::Read(size_t place, ForeignOperator* op) const {
  OperatorUnpacker in(bytes_, place, names_);
  op->Clear();
  op->type = in.Name();
  in.Slots(&op->inputs);
  in.Slots(&op->outputs);
  for (size_t i = in.Number(); i > 0; --i) in.Attr(&op->attrs.Add());
}

std::string_view PackedOperators::TypeAt(size_t place) const {
  return OperatorUnpacker(bytes_, place, names_).Name();
}

}  // namespace switchyard::static_graph
