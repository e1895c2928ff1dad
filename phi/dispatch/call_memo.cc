// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_memo.h"

#include <cstring>
#include <memory>

namespace switchyard::phi::dispatch {
namespace {

const DenseTensor& Dense(const TensorBase* tensor) {
  return *static_cast<const DenseTensor*>(tensor);
}

// An output that is filled in by dispatch, or by a kernel that allocates.
bool IsEmpty(const TensorBase* tensor) {
  return tensor->kind() == TensorKind::kDense && !Dense(tensor).allocated();
}

int64_t BitsOf(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The one number of an attribute that has no more.
int64_t NumberOf(const AttrRef& attr) {
  const bool floating =
      attr.type() == AttrType::kFloat || attr.type() == AttrType::kDouble;
  return floating ? BitsOf(attr.Get<double>()) : attr.Get<int64_t>();
}

// Calls visit(number) for each number of an attribute until it is false; false
// too for attributes that a memo does not hold.
template <typename Visit>
bool EveryNumber(const AttrRef& attr, Visit visit) {
  const auto every = [&visit](const auto& values) {
    for (const auto& value : values) {
      if (!visit(static_cast<int64_t>(value))) return false;
    }
    return true;
  };
  switch (attr.type()) {
    case AttrType::kBool:
    case AttrType::kInt:
    case AttrType::kInt64:
    case AttrType::kFloat:
    case AttrType::kDouble:
    case AttrType::kDataType:
    case AttrType::kPlace:
      return visit(NumberOf(attr));
    case AttrType::kInts:
      return every(attr.Get<absl::Span<const int>>());
    case AttrType::kInt64s:
      return every(attr.Get<absl::Span<const int64_t>>());
    case AttrType::kScalar: {
      const Scalar& scalar = attr.Get<const Scalar&>();
      const int kind = scalar.is_bool() ? 0 : scalar.is_int() ? 1 : 2;
      return visit(kind) && visit(scalar.is_float() ? BitsOf(scalar.ToDouble())
                                                    : scalar.ToInt64());
    }
    default:
      return false;
  }
}

}  // namespace

// Memos by operator: some ways each, for the shapes that take turns.
struct CallMemo::Table {
  static constexpr size_t kPlaces = 64;
  static constexpr size_t kWays = 4;
  struct Ways {
    CallMemo memos[kWays];
    size_t next = 0;  // The one to be replaced.
  };

  // This thread's; null if it has remembered nothing.
  static Table*& Current() {
    static thread_local Table* table = nullptr;
    return table;
  }
  static size_t PlaceOf(const OpInfo* op) {
    return (reinterpret_cast<uintptr_t>(op) / sizeof(OpInfo)) % kPlaces;
  }

  std::unique_ptr<Ways> ways[kPlaces];
};

uint64_t CallMemo::FactsOf(const DenseTensor& tensor) {
  const MetaTensor& meta = tensor.meta();
  const Place place = tensor.place();
  return static_cast<uint64_t>(meta.dtype) |
         static_cast<uint64_t>(meta.layout) << 8 |
         static_cast<uint64_t>(meta.lod_levels) << 16 |
         static_cast<uint64_t>(place.type) << 24 |
         static_cast<uint64_t>(static_cast<uint8_t>(place.index)) << 32 |
         static_cast<uint64_t>(tensor.contiguous()) << 40 |
         static_cast<uint64_t>(tensor.allocated()) << 41;
}

const CallMemo* CallMemo::Find(const CallArguments& call) {
  Table* const table = Table::Current();
  if (table == nullptr) return nullptr;
  const Table::Ways* const ways = table->ways[Table::PlaceOf(call.op)].get();
  if (ways == nullptr) return nullptr;
  for (const CallMemo& memo : ways->memos) {
    if (memo.Is(call)) return &memo;
  }
  return nullptr;
}

bool CallMemo::Is(const CallArguments& call) const {
  // A remembered call had the right numbers of arguments (Call::CheckCounts).
  if (op_ != call.op || row_ != call.row ||
      input_count_ != call.inputs.size() ||
      op_->attrs.size() != call.attrs.size() ||
      op_->outputs.size() != call.outputs.size()) {
    return false;
  }
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Input& key = inputs_[i];
    const TensorBase* const input = call.inputs[i];
    if (input == nullptr) {
      if (key.facts != 0) return false;
      continue;
    }
    if (input->kind() != TensorKind::kDense ||
        key.facts != FactsOf(Dense(input))) {
      return false;
    }
    const Shape& shape = Dense(input).shape();
    if (key.shape.rank() != shape.rank()) return false;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (key.shape[axis] != shape[axis]) return false;
    }
  }
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    if (!HasAttr(call.attrs[i], i)) return false;
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const TensorBase* const output = call.outputs[i];
    if ((output != nullptr) != wanted_[i] ||
        (output != nullptr && !IsEmpty(output))) {
      return false;
    }
  }
  return epoch_ == KernelTableEpoch() &&
         default_place_ == call.environment->default_place &&
         policy_ == call.environment->policy;
}

bool CallMemo::HasAttr(const AttrRef& attr, size_t i) const {
  const Attr& key = attrs_[i];
  if (key.type != attr.type()) return false;
  size_t at = key.begin;
  return EveryNumber(attr,
                     [&](int64_t number) {
                       return at < key.end && numbers_[at++] == number;
                     }) &&
         at == key.end;
}

CallMemo* CallMemo::Remember(const CallArguments& call) {
  Table*& table = Table::Current();
  if (table == nullptr) {
    // Owns the table, and forgets it when the thread ends.
    struct Owner {
      Table table;
      ~Owner() { Table::Current() = nullptr; }
    };
    static thread_local bool ended = false;
    static thread_local struct Ending {
      std::unique_ptr<Owner> owner;
      ~Ending() { ended = true; }
    } ending;
    if (ended) return nullptr;
    ending.owner = std::make_unique<Owner>();
    table = &ending.owner->table;
  }
  std::unique_ptr<Table::Ways>& ways = table->ways[Table::PlaceOf(call.op)];
  if (ways == nullptr) ways = std::make_unique<Table::Ways>();
  CallMemo& memo = ways->memos[ways->next];
  // Half a key is none.
  memo = CallMemo();
  if (!memo.SetKey(call)) {
    memo.op_ = nullptr;
    return nullptr;
  }
  ways->next = (ways->next + 1) % Table::kWays;
  return &memo;
}

bool CallMemo::SetKey(const CallArguments& call) {
  if (call.inputs.size() > kMostInputs || call.attrs.size() > kMostAttrs ||
      call.outputs.size() > kMostOutputs) {
    return false;
  }
  for (const InputInfo& input : call.op->inputs) {
    if (input.list) return false;
  }
  for (const OutputInfo& output : call.op->outputs) {
    if (output.list) return false;
  }
  input_count_ = static_cast<uint8_t>(call.inputs.size());
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i] == nullptr) continue;
    if (call.inputs[i]->kind() != TensorKind::kDense) return false;
    const DenseTensor& tensor = Dense(call.inputs[i]);
    inputs_[i].facts = FactsOf(tensor);
    inputs_[i].shape = tensor.shape();
  }
  for (size_t i = 0; i < call.attrs.size(); ++i) {
    if (!SetAttr(call.attrs[i], i)) return false;
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    wanted_[i] = call.outputs[i] != nullptr;
    if (wanted_[i] && call.outputs[i]->kind() != TensorKind::kDense) {
      return false;
    }
  }
  op_ = call.op;
  row_ = call.row;
  epoch_ = KernelTableEpoch();
  default_place_ = call.environment->default_place;
  policy_ = call.environment->policy;
  return true;
}

bool CallMemo::SetAttr(const AttrRef& attr, size_t i) {
  size_t at = i == 0 ? 0 : attrs_[i - 1].end;
  Attr& key = attrs_[i];
  key.type = attr.type();
  key.begin = static_cast<uint8_t>(at);
  const bool held = EveryNumber(attr, [&](int64_t number) {
    if (at == kMostNumbers) return false;
    numbers_[at++] = number;
    return true;
  });
  key.end = static_cast<uint8_t>(at);
  return held;
}

}  // namespace switchyard::phi::dispatch
