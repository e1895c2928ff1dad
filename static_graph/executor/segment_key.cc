// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/segment_key.h"

#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// The key of some values: it need not grow.
constexpr size_t kUsualKeyBytes = 512;

bool IsRead(const Plan& block, size_t number, const RunValue& value) {
  return block.decides_shapes[number] && value.other == nullptr &&
         value.dense.numel() <= kMaxReadElements;
}

// The numbers are gathered first: each append costs as much as several.
void AppendInput(const SegmentInput& input, std::string* key) {
  int64_t numbers[3 + 2 * kMaxRank];
  int64_t* next = numbers;
  const TensorMeta& meta = input.meta;
  *next++ = input.value;
  *next++ = meta.shape.rank();
  for (int axis = 0; axis < meta.shape.rank(); ++axis) {
    const Dim dim = meta.shape[axis];
    *next++ = dim.known() ? dim.value() : -1;
    *next++ = meta.strides[axis];
  }
  *next++ = meta.offset;
  key->append(reinterpret_cast<const char*>(numbers),
              static_cast<size_t>(next - numbers) * sizeof(int64_t));
}

}  // namespace

absl::StatusOr<std::string> ReadSegmentInputs(
    const Plan& block, int begin, absl::Span<const RunValue> values,
    std::vector<SegmentInput>* inputs) {
  std::string key;
  key.reserve(kUsualKeyBytes);
  const int64_t place[] = {reinterpret_cast<intptr_t>(&block), begin};
  key.append(reinterpret_cast<const char*>(place), sizeof(place));
  const auto crosses = [&](size_t i) {
    return values[i].base().allocated() && block.last_use[i] >= begin;
  };
  size_t count = 0;
  for (size_t i = 0; i < values.size(); ++i) count += crosses(i) ? 1 : 0;
  inputs->reserve(count);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!crosses(i)) continue;
    SegmentInput& input = inputs->emplace_back();
    input.value = static_cast<ValueId>(i);
    input.meta = values[i].base().meta();
    input.meta.shape = ShapeFor(input.meta.kind, input.meta.shape);
    AppendInput(input, &key);
    if (!IsRead(block, i, values[i])) continue;
    SY_ASSIGN_OR_RETURN(const DenseTensor elements, OnHost(values[i].dense));
    SY_ASSIGN_OR_RETURN(input.elements, ContiguousCopy(elements));
    key.append(input.elements.data<char>(), input.elements.byte_size());
  }
  return key;
}

}  // namespace switchyard::static_graph
