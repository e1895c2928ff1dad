// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/matchers.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>

#include "framework/base/float_text.h"
#include "framework/types/float16.h"

namespace switchyard {
namespace {

// The elements of a tensor by their positions in row-major order.
class Elements {
 public:
  explicit Elements(const DenseTensor& tensor)
      : tensor_(tensor),
        data_(static_cast<const char*>(tensor.raw_data())),
        size_(static_cast<int64_t>(ElementSize(tensor.dtype()))) {}

  const char* operator[](int64_t i) const {
    const int64_t element =
        tensor_.contiguous()
            ? i
            : ElementOffset(tensor_.shape(), tensor_.strides(), i);
    return data_ + element * size_;
  }

  // Returns true if both are contiguous and of the same bytes.
  bool SameBytes(const Elements& other) const {
    return tensor_.contiguous() && other.tensor_.contiguous() &&
           std::equal(data_, data_ + tensor_.numel() * size_, other.data_);
  }

 private:
  const DenseTensor& tensor_;
  const char* data_;
  int64_t size_;
};

template <typename T>
T ReadAs(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

// Floating bits as integers in the order of the numbers, both zeros 0.
template <typename Bits>
int64_t Ordered(Bits bits) {
  constexpr int kSignShift = 8 * sizeof(Bits) - 1;
  const auto magnitude =
      static_cast<int64_t>(bits & static_cast<Bits>(~(Bits{1} << kSignShift)));
  return (bits >> kSignShift & 1u) != 0 ? -magnitude : magnitude;
}

template <typename Bits, typename T>
int64_t Distance(T a, T b) {
  if (std::isnan(static_cast<double>(a)) ||
      std::isnan(static_cast<double>(b))) {
    const bool both = std::isnan(static_cast<double>(a)) &&
                      std::isnan(static_cast<double>(b));
    return both ? 0 : INT64_MAX;
  }
  Bits a_bits;
  Bits b_bits;
  std::memcpy(&a_bits, &a, sizeof(a));
  std::memcpy(&b_bits, &b, sizeof(b));
  // The distance between doubles of opposite signs may leave int64.
  int64_t distance;
  if (__builtin_sub_overflow(Ordered(a_bits), Ordered(b_bits), &distance)) {
    return INT64_MAX;
  }
  return std::abs(distance);
}

bool Near(double actual, double expected, int64_t ulps, Tolerance tolerance) {
  if (ulps <= tolerance.ulps) return true;
  if (actual == expected) return true;
  const double difference = std::abs(actual - expected);
  // An infinite expected value has no relative neighbourhood.
  return difference <= tolerance.absolute ||
         (std::isfinite(expected) &&
          difference <= tolerance.relative * std::abs(expected));
}

template <typename Bits, typename T>
bool FloatsNear(const char* a, const char* b, Tolerance tolerance) {
  const T actual = ReadAs<T>(a);
  const T expected = ReadAs<T>(b);
  return Near(static_cast<double>(actual), static_cast<double>(expected),
              Distance<Bits>(actual, expected), tolerance);
}

// Part by part, or by the distance in the plane: where two products cancel, a
// part may be small and yet as inexact as the large ones.
template <typename Bits, typename T>
bool ComplexNear(const char* a, const char* b, Tolerance tolerance) {
  if (FloatsNear<Bits, T>(a, b, tolerance) &&
      FloatsNear<Bits, T>(a + sizeof(T), b + sizeof(T), tolerance)) {
    return true;
  }
  const auto actual =
      static_cast<std::complex<double>>(ReadAs<std::complex<T>>(a));
  const auto expected =
      static_cast<std::complex<double>>(ReadAs<std::complex<T>>(b));
  const double unit = std::numeric_limits<T>::epsilon();
  const double size = std::abs(expected);
  const double bound =
      tolerance.absolute +
      (tolerance.relative + static_cast<double>(tolerance.ulps) * unit) * size;
  return std::abs(actual - expected) <= bound;
}

template <typename T>
bool IntegersNear(const char* a, const char* b, Tolerance tolerance) {
  const T actual = ReadAs<T>(a);
  const T expected = ReadAs<T>(b);
  if (actual == expected) return true;
  return Near(static_cast<double>(actual), static_cast<double>(expected),
              INT64_MAX, tolerance) &&
         (tolerance.absolute > 0 || tolerance.relative > 0);
}

bool ElementsNear(DataType dtype, const char* a, const char* b,
                  Tolerance tolerance) {
  switch (dtype) {
    case DataType::kFloat16:
      return FloatsNear<uint16_t, float16>(a, b, tolerance);
    case DataType::kBFloat16:
      return FloatsNear<uint16_t, bfloat16>(a, b, tolerance);
    case DataType::kFloat32:
      return FloatsNear<uint32_t, float>(a, b, tolerance);
    case DataType::kFloat64:
      return FloatsNear<uint64_t, double>(a, b, tolerance);
    case DataType::kComplex64:
      return ComplexNear<uint32_t, float>(a, b, tolerance);
    case DataType::kComplex128:
      return ComplexNear<uint64_t, double>(a, b, tolerance);
    case DataType::kInt64:
      return IntegersNear<int64_t>(a, b, tolerance);
    case DataType::kInt32:
      return IntegersNear<int32_t>(a, b, tolerance);
    case DataType::kInt16:
      return IntegersNear<int16_t>(a, b, tolerance);
    case DataType::kInt8:
      return IntegersNear<int8_t>(a, b, tolerance);
    case DataType::kUInt8:
      return IntegersNear<uint8_t>(a, b, tolerance);
    case DataType::kUInt16:
      return IntegersNear<uint16_t>(a, b, tolerance);
    case DataType::kUInt32:
      return IntegersNear<uint32_t>(a, b, tolerance);
    case DataType::kUInt64:
      return IntegersNear<uint64_t>(a, b, tolerance);
    case DataType::kString:
    case DataType::kUndefined:
      return false;
    default:  // bool and the storage types.
      return *a == *b;
  }
}

std::string ElementText(DataType dtype, const char* element) {
  switch (dtype) {
    case DataType::kFloat16:
      return ShortestText(float{ReadAs<float16>(element)});
    case DataType::kBFloat16:
      return ShortestText(float{ReadAs<bfloat16>(element)});
    case DataType::kFloat32:
      return ShortestText(ReadAs<float>(element));
    case DataType::kFloat64:
      return ShortestText(ReadAs<double>(element));
    case DataType::kComplex64:
      return ComplexText(ReadAs<std::complex<float>>(element));
    case DataType::kComplex128:
      return ComplexText(ReadAs<std::complex<double>>(element));
    case DataType::kInt64:
      return std::to_string(ReadAs<int64_t>(element));
    case DataType::kInt32:
      return std::to_string(ReadAs<int32_t>(element));
    case DataType::kInt16:
      return std::to_string(ReadAs<int16_t>(element));
    case DataType::kInt8:
      return std::to_string(ReadAs<int8_t>(element));
    case DataType::kUInt16:
      return std::to_string(ReadAs<uint16_t>(element));
    case DataType::kUInt32:
      return std::to_string(ReadAs<uint32_t>(element));
    case DataType::kUInt64:
      return std::to_string(ReadAs<uint64_t>(element));
    case DataType::kString:
    case DataType::kUndefined:
      return "?";
    default:  // uint8, bool and the codes of storage types.
      return std::to_string(ReadAs<uint8_t>(element));
  }
}

std::string IndexText(const DenseTensor& tensor, int64_t i) {
  std::string text;
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    const std::string index = std::to_string(i % tensor.extent(axis));
    text = text.empty() ? index : index + ", " + text;
    i /= tensor.extent(axis);
  }
  return "[" + text + "]";
}

using ElementsAgree = std::function<bool(const char*, const char*)>;

::testing::AssertionResult Compare(const DenseTensor& actual,
                                   const DenseTensor& expected,
                                   const ElementsAgree& agree) {
  if (actual.dtype() != expected.dtype() ||
      actual.shape() != expected.shape()) {
    return ::testing::AssertionFailure()
           << "is " << ToString(actual) << ", not " << ToString(expected);
  }
  if (!actual.allocated() || !expected.allocated()) {
    if (actual.allocated() == expected.allocated()) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "of the two " << ToString(actual) << " only the "
           << (actual.allocated() ? "first" : "second") << " has a buffer";
  }
  const Elements a(actual), b(expected);
  // Elements of the same bytes agree, whatever is asked of them.
  if (a.SameBytes(b)) return ::testing::AssertionSuccess();
  int64_t wrong = 0;
  int64_t first = 0;
  for (int64_t i = 0, count = actual.numel(); i < count; ++i) {
    if (agree(a[i], b[i])) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << wrong << " of " << actual.numel() << " elements differ, first "
         << IndexText(actual, first) << ": "
         << ElementText(actual.dtype(), a[first]) << ", expected "
         << ElementText(actual.dtype(), b[first]);
}

}  // namespace

StatusMatcher::StatusMatcher(absl::StatusCode code) : code_(code) {}
StatusMatcher::StatusMatcher(absl::StatusCode code,
                             ::testing::Matcher<const std::string&> message)
    : code_(code), message_(std::move(message)) {}
StatusMatcher::StatusMatcher(const StatusMatcher& other) = default;
StatusMatcher& StatusMatcher::operator=(const StatusMatcher& other) = default;
StatusMatcher::~StatusMatcher() = default;

void StatusMatcher::DescribeTo(std::ostream* os) const {
  if (code_ == absl::StatusCode::kOk) {
    *os << "is OK";
  } else {
    *os << "has the status code " << code_;
  }
  if (!message_) return;
  *os << " and a message that ";
  message_->DescribeTo(os);
}

void StatusMatcher::DescribeNegationTo(std::ostream* os) const {
  if (code_ == absl::StatusCode::kOk) {
    *os << "is an error";
  } else {
    *os << "has another status code than " << code_;
  }
  if (!message_) return;
  *os << ", or a message that ";
  message_->DescribeNegationTo(os);
}

bool StatusMatcher::Accepts(const absl::Status& status,
                            ::testing::MatchResultListener* listener) const {
  *listener << status.ToString();
  if (status.code() != code_) return false;
  if (!message_) return true;
  *listener << ' ';
  return message_->MatchAndExplain(std::string(status.message()), listener);
}

::testing::AssertionResult TensorsNear(const DenseTensor& actual,
                                       const DenseTensor& expected,
                                       Tolerance tolerance) {
  return Compare(actual, expected, [&](const char* a, const char* b) {
    return ElementsNear(actual.dtype(), a, b, tolerance);
  });
}

::testing::AssertionResult TensorsIdentical(const DenseTensor& actual,
                                            const DenseTensor& expected) {
  const size_t size = ElementSize(actual.dtype());
  return Compare(actual, expected, [&](const char* a, const char* b) {
    return std::memcmp(a, b, size) == 0;
  });
}

int64_t UlpDistance(float a, float b) { return Distance<uint32_t>(a, b); }
int64_t UlpDistance(double a, double b) { return Distance<uint64_t>(a, b); }

}  // namespace switchyard
