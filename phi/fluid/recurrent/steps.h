// SPDX-License-Identifier: Apache-2.0
// What the legacy kernels of gru and lstm share: activations by name, the order
// of time steps in their batch outputs, and products of a row and a matrix.
#ifndef SWITCHYARD_PHI_FLUID_RECURRENT_STEPS_H_
#define SWITCHYARD_PHI_FLUID_RECURRENT_STEPS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "phi/fluid/execution_context.h"
#include "phi/fluid/sequence/offsets.h"

namespace switchyard::phi::fluid {

// An activation of a gate or a state. InferMeta has checked its name.
class Activation {
 public:
  explicit Activation(std::string_view name)
      : kind_(name == "sigmoid" ? Kind::kSigmoid
              : name == "tanh"  ? Kind::kTanh
              : name == "relu"  ? Kind::kRelu
                                : Kind::kIdentity) {}

  template <typename T>
  T operator()(T x) const {
    switch (kind_) {
      case Kind::kSigmoid:
        // The old operators' bounds, visible in 1 - y.
        return T{1} / (T{1} + std::exp(-std::clamp<T>(x, -40, 13)));
      case Kind::kTanh:
        return std::tanh(x);
      case Kind::kRelu:
        return x > 0 ? x : T{0};
      case Kind::kIdentity:
        break;
    }
    return x;
  }
  // The derivative where the activation's value is `y`.
  template <typename T>
  T Slope(T y) const {
    switch (kind_) {
      case Kind::kSigmoid:
        return y * (T{1} - y);
      case Kind::kTanh:
        return T{1} - y * y;
      case Kind::kRelu:
        return y > 0 ? T{1} : T{0};
      case Kind::kIdentity:
        break;
    }
    return T{1};
  }

 private:
  enum class Kind { kSigmoid, kTanh, kRelu, kIdentity };
  Kind kind_;
};

// Where the rows of sequences stand in a batch output: first the first steps of
// all sequences, the longest sequence first (of equals the earlier one), then
// the second steps, and so on. A reversed sequence begins with its last row.
inline std::vector<int64_t> BatchPositions(const Offsets& offsets,
                                           bool is_reverse) {
  std::vector<int64_t> order(static_cast<size_t>(SequenceCount(offsets)));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int64_t i) { return offsets[i + 1] - offsets[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  std::vector<int64_t> positions(static_cast<size_t>(offsets.back()));
  int64_t next = 0;
  for (int64_t step = 0; next < offsets.back(); ++step) {
    for (const int64_t i : order) {
      if (length(i) <= step) break;
      positions[is_reverse ? offsets[i + 1] - 1 - step : offsets[i] + step] =
          next++;
    }
  }
  return positions;
}

// Checks that an initial state, if it is there, has a row for each sequence.
inline absl::Status CheckInitial(const ExecutionContext& context,
                                 std::string_view slot,
                                 const Offsets& offsets) {
  const DenseTensor* initial = context.Input(slot);
  const int64_t count = SequenceCount(offsets);
  if (initial == nullptr || initial->extent(0) == count) {
    return absl::OkStatus();
  }
  return ArgumentError(
      context.ArgumentName(slot),
      "of " + std::to_string(count) + " rows, one for each sequence",
      ToString(initial->shape()));
}

// The row of a sequence [begin, end) at a time step.
inline int64_t RowAt(int64_t begin, int64_t end, int64_t step,
                     bool is_reverse) {
  return is_reverse ? end - 1 - step : begin + step;
}

// Some elements that follow each other, as one register.
template <typename T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(16)));
  static constexpr int64_t kCount = 16 / sizeof(T);

  static Vector Load(const T* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
  }
  static void Store(Vector vector, T* to) {
    std::memcpy(to, &vector, sizeof(vector));
  }
};

// out += row * matrix, for a row of `inner` elements and a matrix of `inner`
// rows and `width` columns. Each sum is in the order of the row.
template <typename T>
void AddRowTimes(const T* row, const T* matrix, int64_t inner, int64_t width,
                 T* out) {
  constexpr int64_t kCount = Lanes<T>::kCount;
  int64_t j = 0;
  for (; j + 4 * kCount <= width; j += 4 * kCount) {
    T* const to = out + j;
    const T* line = matrix + j;
    auto a = Lanes<T>::Load(to), b = Lanes<T>::Load(to + kCount);
    auto c = Lanes<T>::Load(to + 2 * kCount);
    auto d = Lanes<T>::Load(to + 3 * kCount);
    for (int64_t i = 0; i < inner; ++i, line += width) {
      a += row[i] * Lanes<T>::Load(line);
      b += row[i] * Lanes<T>::Load(line + kCount);
      c += row[i] * Lanes<T>::Load(line + 2 * kCount);
      d += row[i] * Lanes<T>::Load(line + 3 * kCount);
    }
    Lanes<T>::Store(a, to);
    Lanes<T>::Store(b, to + kCount);
    Lanes<T>::Store(c, to + 2 * kCount);
    Lanes<T>::Store(d, to + 3 * kCount);
  }
  for (; j < width; ++j) {
    for (int64_t i = 0; i < inner; ++i)
      out[j] += row[i] * matrix[i * width + j];
  }
}

// out += row * transpose(matrix), for a row of `width` elements and a matrix of
// `inner` rows and `width` columns.
template <typename T>
void AddRowTimesTransposed(const T* row, const T* matrix, int64_t inner,
                           int64_t width, T* out) {
  for (int64_t i = 0; i < inner; ++i) {
    T sum = 0;
    for (int64_t j = 0; j < width; ++j) sum += row[j] * matrix[i * width + j];
    out[i] += sum;
  }
}

// matrix += transpose(left) * right, for rows of `inner` and `width` elements.
template <typename T>
void AddOuter(const T* left, const T* right, int64_t inner, int64_t width,
              T* matrix) {
  for (int64_t i = 0; i < inner; ++i) {
    T* line = matrix + i * width;
    for (int64_t j = 0; j < width; ++j) line[j] += left[i] * right[j];
  }
}

// Zeros in an output; null if it is not wanted.
template <typename T>
T* Zeros(DenseTensor* out) {
  if (out == nullptr) return nullptr;
  T* data = out->mutable_data<T>();
  std::fill_n(data, out->numel(), T{0});
  return data;
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_RECURRENT_STEPS_H_
