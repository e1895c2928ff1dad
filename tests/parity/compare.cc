// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"

namespace switchyard {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double FiniteMagnitude(double value) {
  return std::isfinite(value) ? std::abs(value) : 0;
}

bool SameSequences(const DenseTensor& a, const DenseTensor& b) {
  if (a.lod() == nullptr || b.lod() == nullptr) return a.lod() == b.lod();
  return a.lod()->offsets == b.lod()->offsets;
}

// True for each element whose bits are the same. Both are contiguous and have
// the same metadata.
std::vector<bool> SameBits(const DenseTensor& result,
                           const DenseTensor& reference) {
  const size_t size = ElementSize(reference.dtype());
  const auto* ours = static_cast<const char*>(result.raw_data());
  const auto* theirs = static_cast<const char*>(reference.raw_data());
  std::vector<bool> same(static_cast<size_t>(reference.numel()));
  for (size_t i = 0; i < same.size(); ++i) {
    same[i] = std::memcmp(ours + i * size, theirs + i * size, size) == 0;
  }
  return same;
}

// The distance of two elements; infinite where it can't be measured.
double Distance(DataType dtype, double result, double reference) {
  if (result == reference) return 0;
  if (std::isnan(result) && std::isnan(reference)) return 0;
  if (!IsFloating(dtype) || !std::isfinite(result) ||
      !std::isfinite(reference)) {
    return kInfinity;
  }
  return std::abs(result - reference);
}

// Fills in distances and the number of elements outside: values are compared
// where limits are no bits.
void CompareValues(const DenseTensor& result, const DenseTensor& reference,
                   const Limits& limits, Comparison* comparison) {
  const std::vector<double> ours = ToDoubles(result);
  const std::vector<double> theirs = ToDoubles(reference);
  const DataType real = RealOf(reference.dtype());
  // A complex element has two numbers, and one limit.
  const size_t parts = IsComplex(reference.dtype()) ? 2 : 1;
  int64_t last = -1;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double distance = Distance(real, ours[i], theirs[i]);
    const size_t element = i / parts;
    const double magnitude =
        limits.bits() ? FiniteMagnitude(theirs[i]) : limits.magnitudes[element];
    comparison->ulps =
        std::max(comparison->ulps, distance / Ulp(real, magnitude));
    if (limits.bits() || !(distance > limits.distances[element])) continue;
    if (static_cast<int64_t>(element) != last) ++comparison->outside;
    last = static_cast<int64_t>(element);
  }
}

double LargestFinite(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat16:
      return 65504;
    case DataType::kBFloat16:
      return 0x1.FEp127;
    case DataType::kFloat32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

// Changes the lowest bit of each element, of which each is one or two numbers.
void FlipLowestBits(DenseTensor* tensor) {
  const size_t size = ElementSize(tensor->dtype());
  auto* bytes = static_cast<uint8_t*>(const_cast<void*>(tensor->raw_data()));
  for (int64_t i = 0; i < tensor->numel(); ++i) bytes[i * size] ^= 1;
}

}  // namespace

double Ulp(DataType dtype, double magnitude) {
  // Bits of the significand and the exponent of the smallest normal number.
  int digits = std::numeric_limits<double>::digits;
  int smallest = std::numeric_limits<double>::min_exponent - 1;
  if (dtype == DataType::kFloat32) {
    digits = std::numeric_limits<float>::digits;
    smallest = std::numeric_limits<float>::min_exponent - 1;
  } else if (dtype == DataType::kFloat16) {
    digits = 11;
    smallest = -14;
  } else if (dtype == DataType::kBFloat16) {
    digits = 8;
    smallest = -126;
  }
  const int exponent = magnitude == 0 ? smallest : std::ilogb(magnitude);
  return std::ldexp(1, std::max(exponent, smallest) - digits + 1);
}

std::vector<double> LargestAlong(const DenseTensor& reference, int axis) {
  const Shape& shape = reference.shape();
  std::vector<double> magnitudes = ToDoubles(reference);
  for (double& value : magnitudes) value = FiniteMagnitude(value);
  if (shape.rank() == 0 || magnitudes.empty()) return magnitudes;
  if (axis < 0) axis += shape.rank();
  const int64_t extent = shape.extent(axis);
  const int64_t stride = shape.numel(axis + 1, shape.rank());
  for (int64_t i = 0; i < reference.numel(); ++i) {
    if (i / stride % extent != 0) continue;
    double largest = 0;
    for (int64_t j = 0; j < extent; ++j) {
      largest = std::max(largest, magnitudes[i + j * stride]);
    }
    for (int64_t j = 0; j < extent; ++j) magnitudes[i + j * stride] = largest;
  }
  return magnitudes;
}

Comparison Compare(const DenseTensor& result, const DenseTensor& reference,
                   const Limits& limits) {
  Comparison comparison;
  comparison.same_meta = result.dtype() == reference.dtype() &&
                         result.shape() == reference.shape() &&
                         result.layout() == reference.layout() &&
                         result.contiguous() == reference.contiguous() &&
                         SameSequences(result, reference);
  comparison.outside = std::max<int64_t>(reference.numel(), 1);
  if (!comparison.same_meta) return comparison;
  comparison.identical = TensorsIdentical(result, reference);
  comparison.outside = 0;
  if (reference.contiguous()) {
    const std::vector<bool> same = SameBits(result, reference);
    const auto first = std::find(same.begin(), same.end(), false);
    if (first != same.end()) comparison.first_difference = first - same.begin();
    if (limits.bits()) {
      comparison.outside = std::count(same.begin(), same.end(), false);
    }
  } else if (limits.bits() && !comparison.identical) {
    comparison.outside = reference.numel();
  }
  CompareValues(result, reference, limits, &comparison);
  return comparison;
}

DenseTensor BeyondLimits(const DenseTensor& tensor, const Limits& limits,
                         int64_t* changed) {
  const DataType dtype = tensor.dtype();
  *changed = tensor.numel();
  if (limits.bits()) {
    // The copy of a view that is not contiguous differs by that.
    DenseTensor copy = EmptyTensor(dtype, tensor.shape());
    if (!tensor.contiguous()) return copy;
    std::memcpy(const_cast<void*>(copy.raw_data()), tensor.raw_data(),
                static_cast<size_t>(tensor.numel()) * ElementSize(dtype));
    FlipLowestBits(&copy);
    return copy;
  }
  const double most = LargestFinite(dtype);
  std::vector<double> values = ToDoubles(tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    const double limit = limits.distances[i];
    const double before = values[i];
    // The step is representable beside the number that it leads to.
    const double reach = std::abs(before) + limit;
    const double step = limit + Ulp(dtype, std::isfinite(reach) ? reach : 0);
    values[i] = before < 0 ? before - step : before + step;
    if (std::isfinite(before) && std::abs(values[i]) <= most) continue;
    values[i] = before;
    --*changed;
  }
  return MakeTensorOf(dtype, tensor.shape(), values);
}

}  // namespace switchyard
