// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/strings/whole_tensors.h"

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "framework/tensor/counted_texts.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/strings/letter_case.h"
#include "phi/kernels/cpu/strings/text_number.h"

namespace switchyard::phi::kernels::cpu {
namespace {

template <typename T>
absl::Status ReadOne(std::string_view text, T* number) {
  if constexpr (std::is_integral_v<T>) {
    int64_t value = 0;
    SY_RETURN_IF_ERROR(ReadNumber(text, std::numeric_limits<T>::min(),
                                  std::numeric_limits<T>::max(), &value));
    *number = static_cast<T>(value);
    return absl::OkStatus();
  } else if constexpr (std::is_floating_point_v<T>) {
    return ReadNumber(text, number);
  } else {  // A half, which a double holds with digits to spare.
    double value = 0;
    SY_RETURN_IF_ERROR(ReadNumber(text, &value));
    *number = T(value);
    return absl::OkStatus();
  }
}

template <typename T>
absl::Status ReadAll(const StringTensor& x, DenseTensor* out) {
  T* const numbers = out->mutable_data<T>();
  for (size_t i = 0; i < x.elements().size(); ++i) {
    SY_RETURN_IF_ERROR(ReadOne(x.elements()[i], &numbers[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> InCase(std::string_view text,
                                   std::string_view case_change) {
  if (case_change == "NONE") return std::string(text);
  return WithUtf8Case(
      text, case_change == "LOWER" ? LetterCase::kLower : LetterCase::kUpper);
}

// How far apart the elements of a tensor are along each axis of `shape`, which
// it broadcasts to.
std::vector<int64_t> StridesIn(const Shape& shape, const Shape& own) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (int i = 1; i <= own.rank(); ++i) {
    const int64_t extent = own[own.rank() - i].value();
    if (extent != 1) strides[static_cast<size_t>(shape.rank() - i)] = stride;
    stride *= extent;
  }
  return strides;
}

// The element of a tensor that is the row-major element `i` of `shape`.
size_t At(int64_t i, const Shape& shape, const std::vector<int64_t>& strides) {
  int64_t at = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t extent = shape[axis].value();
    at += i % extent * strides[static_cast<size_t>(axis)];
    i /= extent;
  }
  return static_cast<size_t>(at);
}

}  // namespace

absl::Status ReadNumbers(const StringTensor& x, DenseTensor* out) {
  switch (out->dtype()) {
    case DataType::kUInt8:
      return ReadAll<uint8_t>(x, out);
    case DataType::kInt8:
      return ReadAll<int8_t>(x, out);
    case DataType::kInt16:
      return ReadAll<int16_t>(x, out);
    case DataType::kInt32:
      return ReadAll<int32_t>(x, out);
    case DataType::kInt64:
      return ReadAll<int64_t>(x, out);
    case DataType::kFloat16:
      return ReadAll<float16>(x, out);
    case DataType::kBFloat16:
      return ReadAll<bfloat16>(x, out);
    case DataType::kFloat32:
      return ReadAll<float>(x, out);
    case DataType::kFloat64:
      return ReadAll<double>(x, out);
    default:
      return TypeError("dtype", "an integer or floating dtype",
                       Name(out->dtype()));
  }
}

absl::Status NormalizeTexts(const StringTensor& x,
                            absl::Span<const std::string> stopwords,
                            std::string_view case_change, bool case_sensitive,
                            StringTensor* out) {
  const std::string_view compared = case_sensitive ? "NONE" : "LOWER";
  HashSet<std::string> stops;
  for (const std::string& word : stopwords) {
    SY_ASSIGN_OR_RETURN(std::string lower, InCase(word, compared));
    stops.insert(std::move(lower));
  }
  std::vector<std::string> left;
  for (const std::string& text : x.elements()) {
    if (!stops.empty()) {
      SY_ASSIGN_OR_RETURN(const std::string word, InCase(text, compared));
      if (stops.count(word) > 0) continue;
    }
    SY_ASSIGN_OR_RETURN(std::string changed, InCase(text, case_change));
    left.push_back(std::move(changed));
  }
  if (left.empty()) left.emplace_back();
  const Dim count(static_cast<int64_t>(left.size()));
  const Shape shape =
      x.shape().rank() == 1 ? Shape({count}) : Shape({1, count});
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(shape, std::move(left)));
  return absl::OkStatus();
}

absl::Status ConcatTexts(const StringTensor& x, const StringTensor& y,
                         StringTensor* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("y", x.shape(), y.shape()));
  const std::vector<int64_t> xs = StridesIn(shape, x.shape());
  const std::vector<int64_t> ys = StridesIn(shape, y.shape());
  SY_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  SY_RETURN_IF_ERROR(CheckRoomForTexts(count));
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    // Not by +, which reserves more.
    texts.push_back(absl::StrCat(x.elements()[At(i, shape, xs)],
                                 y.elements()[At(i, shape, ys)]));
  }
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(shape, std::move(texts)));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
