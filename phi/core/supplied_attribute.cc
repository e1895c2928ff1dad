// SPDX-License-Identifier: Apache-2.0
#include "phi/core/supplied_attribute.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "phi/core/arg_list.h"

namespace switchyard::phi {
namespace {

template <typename T, typename To>
void Append(const DenseTensor& tensor, std::vector<To>* values) {
  const T* data = tensor.data<T>();
  values->insert(values->end(), data, data + tensor.numel());
}

absl::StatusOr<Attribute> IntegerOf(std::string_view name, int64_t value,
                                    AttrType to) {
  if (to == AttrType::kInt64) return Attribute(AttrRef(value));
  if (value < std::numeric_limits<int>::min() ||
      value > std::numeric_limits<int>::max()) {
    return ArgumentError(name, "an integer of 32 bits", absl::StrCat(value));
  }
  return Attribute(AttrRef(static_cast<int>(value)));
}

absl::StatusOr<Attribute> FloatsOf(std::string_view name,
                                   const SuppliedNumbers& read, AttrType to) {
  if (!read.integers.empty()) return TypeError(name, Name(to), "integers");
  const std::vector<float> floats(read.numbers.begin(), read.numbers.end());
  if (to == AttrType::kFloats) {
    return Attribute(AttrRef(absl::MakeConstSpan(floats)));
  }
  if (floats.size() != 1) {
    return ArgumentError(name, "one element", absl::StrCat(floats.size()));
  }
  if (to == AttrType::kDouble) return Attribute(AttrRef(read.numbers[0]));
  return Attribute(AttrRef(floats[0]));
}

}  // namespace

absl::Status ReadNumbers(std::string_view name, const DenseTensor& tensor,
                         SuppliedNumbers* read) {
  const int64_t before =
      static_cast<int64_t>(read->integers.size() + read->numbers.size());
  if (tensor.numel() > kMaxArgElements - before) {
    return ArgumentError(
        name, absl::StrCat("of at most ", kMaxArgElements, " elements"),
        ToString(tensor.shape()));
  }
  switch (tensor.dtype()) {
    case DataType::kInt32:
      Append<int32_t>(tensor, &read->integers);
      return absl::OkStatus();
    case DataType::kInt64:
      Append<int64_t>(tensor, &read->integers);
      return absl::OkStatus();
    case DataType::kFloat32:
      Append<float>(tensor, &read->numbers);
      return absl::OkStatus();
    case DataType::kFloat64:
      Append<double>(tensor, &read->numbers);
      return absl::OkStatus();
    default:
      return TypeError(name, "int32, int64, float32 or float64",
                       Name(tensor.dtype()));
  }
}

absl::StatusOr<Attribute> MakeAttribute(std::string_view name,
                                        const SuppliedNumbers& read,
                                        AttrType to) {
  if (to == AttrType::kFloat || to == AttrType::kDouble ||
      to == AttrType::kFloats) {
    return FloatsOf(name, read, to);
  }
  if (to != AttrType::kScalar && !read.numbers.empty()) {
    return TypeError(name, Name(to), "floating numbers");
  }
  if (to == AttrType::kInt64s) {
    return Attribute(AttrRef(absl::Span<const int64_t>(read.integers)));
  }
  const size_t count = read.integers.size() + read.numbers.size();
  if (count != 1) {
    return ArgumentError(name, "one element", absl::StrCat(count));
  }
  if (to != AttrType::kScalar) return IntegerOf(name, read.integers[0], to);
  const Scalar scalar =
      read.numbers.empty() ? Scalar(read.integers[0]) : Scalar(read.numbers[0]);
  return Attribute(AttrRef(scalar));
}

}  // namespace switchyard::phi
