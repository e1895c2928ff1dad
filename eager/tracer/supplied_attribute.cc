// SPDX-License-Identifier: Apache-2.0
#include "eager/tracer/supplied_attribute.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/legacy_call.h"

namespace switchyard::eager {
namespace {

// The longest lists say something of each tensor of a call, which has no more
// (phi::LayOutOutputs).
constexpr int64_t kMostElements = std::numeric_limits<uint16_t>::max();

template <typename T, typename To>
void Append(const DenseTensor& tensor, std::vector<To>* values) {
  const T* data = tensor.data<T>();
  values->insert(values->end(), data, data + tensor.numel());
}

// Adds the elements to `integers` or, from a floating tensor, to `numbers`.
absl::Status AppendElements(std::string_view slot, const Tensor& tensor,
                            std::vector<int64_t>* integers,
                            std::vector<double>* numbers) {
  if (!tensor.defined() || tensor.kind() != TensorKind::kDense ||
      !tensor.dense().allocated() || !tensor.dense().contiguous() ||
      tensor.place() != Place::Cpu()) {
    return ArgumentError(slot, "a contiguous tensor on the CPU",
                         ToString(tensor));
  }
  const DenseTensor& dense = tensor.dense();
  const int64_t before =
      static_cast<int64_t>(integers->size() + numbers->size());
  if (dense.numel() > kMostElements - before) {
    return ArgumentError(
        slot, absl::StrCat("of at most ", kMostElements, " elements"),
        ToString(tensor));
  }
  switch (dense.dtype()) {
    case DataType::kInt32:
      Append<int32_t>(dense, integers);
      return absl::OkStatus();
    case DataType::kInt64:
      Append<int64_t>(dense, integers);
      return absl::OkStatus();
    case DataType::kFloat32:
      Append<float>(dense, numbers);
      return absl::OkStatus();
    case DataType::kFloat64:
      Append<double>(dense, numbers);
      return absl::OkStatus();
    default:
      return TypeError(slot, "int32, int64, float32 or float64",
                       Name(dense.dtype()));
  }
}

}  // namespace

absl::StatusOr<Attribute> SuppliedAttribute(std::string_view slot,
                                            absl::Span<const Tensor> tensors,
                                            AttrType to) {
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  for (const Tensor& tensor : tensors) {
    SY_RETURN_IF_ERROR(AppendElements(slot, tensor, &integers, &numbers));
  }
  if (to == AttrType::kInts || to == AttrType::kInt64s) {
    if (!numbers.empty()) return TypeError(slot, Name(to), "floating numbers");
    return phi::ConvertAttribute(
        slot, AttrRef(absl::Span<const int64_t>(integers)), to);
  }
  if (integers.size() + numbers.size() != 1) {
    return ArgumentError(slot, "one element",
                         absl::StrCat(integers.size() + numbers.size()));
  }
  return phi::ConvertAttribute(
      slot, numbers.empty() ? AttrRef(integers[0]) : AttrRef(numbers[0]), to);
}

}  // namespace switchyard::eager
