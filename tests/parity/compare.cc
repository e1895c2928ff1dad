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

// The index of element `i` of the row-major order along each axis.
std::vector<int64_t> Unravel(const Shape& shape, int64_t i) {
  std::vector<int64_t> index(shape.rank());
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = i % shape.extent(axis);
    i /= shape.extent(axis);
  }
  return index;
}

bool SameSequences(const DenseTensor& a, const DenseTensor& b) {
  if (a.lod() == nullptr || b.lod() == nullptr) return a.lod() == b.lod();
  return a.lod()->offsets == b.lod()->offsets;
}

// The position of the first element whose bits differ; -1 if none does. Both
// are contiguous and have the same metadata.
int64_t FirstDifference(const DenseTensor& result,
                        const DenseTensor& reference) {
  const size_t size = ElementSize(reference.dtype());
  const auto* ours = static_cast<const char*>(result.raw_data());
  const auto* theirs = static_cast<const char*>(reference.raw_data());
  for (int64_t i = 0; i < reference.numel(); ++i) {
    if (std::memcmp(ours + i * size, theirs + i * size, size) != 0) return i;
  }
  return -1;
}

double UlpsBetween(DataType dtype, double result, double reference,
                   double magnitude) {
  if (result == reference) return 0;
  if (std::isnan(result) && std::isnan(reference)) return 0;
  if (!IsFloating(dtype) || !std::isfinite(result) ||
      !std::isfinite(reference)) {
    return kInfinity;
  }
  return std::abs(result - reference) / Ulp(dtype, magnitude);
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

std::vector<double> LargestSummed(const DenseTensor& terms,
                                  const DenseTensor& sums, int axis) {
  const Shape& shape = sums.shape();
  const int first = axis < 0 || shape.rank() == terms.rank()
                        ? terms.rank() - shape.rank()
                        : axis;
  std::vector<double> magnitudes = ToDoubles(sums);
  for (double& value : magnitudes) value = FiniteMagnitude(value);
  const std::vector<double> values = ToDoubles(terms);
  for (int64_t i = 0; i < terms.numel(); ++i) {
    const std::vector<int64_t> index = Unravel(terms.shape(), i);
    int64_t sum = 0;
    for (int k = 0; k < shape.rank(); ++k) {
      const bool summed = shape.extent(k) == 1;
      sum = sum * shape.extent(k) + (summed ? 0 : index[first + k]);
    }
    magnitudes[sum] = std::max(magnitudes[sum], FiniteMagnitude(values[i]));
  }
  return magnitudes;
}

Comparison Compare(const DenseTensor& result, const DenseTensor& reference,
                   const std::vector<double>& magnitudes) {
  Comparison comparison;
  comparison.same_meta = result.dtype() == reference.dtype() &&
                         result.shape() == reference.shape() &&
                         result.layout() == reference.layout() &&
                         result.contiguous() == reference.contiguous() &&
                         SameSequences(result, reference);
  if (!comparison.same_meta) return comparison;
  comparison.identical = TensorsIdentical(result, reference);
  if (!comparison.identical && reference.contiguous()) {
    comparison.first_difference = FirstDifference(result, reference);
  }
  const std::vector<double> ours = ToDoubles(result);
  const std::vector<double> theirs = ToDoubles(reference);
  // A complex element has two numbers, and one magnitude.
  const size_t parts = IsComplex(reference.dtype()) ? 2 : 1;
  for (size_t i = 0; i < ours.size(); ++i) {
    comparison.ulps = std::max(comparison.ulps,
                               UlpsBetween(RealOf(reference.dtype()), ours[i],
                                           theirs[i], magnitudes[i / parts]));
  }
  return comparison;
}

}  // namespace switchyard
