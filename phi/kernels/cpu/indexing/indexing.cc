// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/indexing/indexing.h"

#include <complex>
#include <string>

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr int64_t kBytesAThread = 1 << 17;
constexpr int64_t kElementsAThread = 1 << 14;

template <typename I>
absl::StatusOr<Workspace<int64_t>> Checked(Allocator& allocator,
                                           std::string_view argument,
                                           const DenseTensor& indices,
                                           int64_t extent) {
  const int64_t lowest = -extent;
  const int64_t count = indices.numel();
  SY_ASSIGN_OR_RETURN(Workspace<int64_t> checked,
                      Workspace<int64_t>::Make(allocator, count));
  int64_t* to = checked.data();
  const I* from = indices.data<I>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = from[i];
    if (index < lowest || index >= extent) {
      return RangeError(
          argument,
          "in [" + std::to_string(lowest) + ", " + std::to_string(extent) + ")",
          std::to_string(index));
    }
    to[i] = index < 0 ? index + extent : index;
  }
  return checked;
}

// Calls fn(T{}) with a type of `size` bytes, whose elements can be copied.
template <typename Fn>
void WithElement(size_t size, Fn fn) {
  switch (size) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    default:
      return fn(std::complex<double>());
  }
}

// Calls fn(position in arr, position in the other) for every element of a
// tensor that has `lines`' shape except for `count` elements along the axis;
// the lines of one chunk in order.
template <typename Fn>
void ForEachIndexed(const AxisSlices& lines, absl::Span<const int64_t> indices,
                    Fn fn) {
  if (indices.empty()) return;
  const int64_t count =
      static_cast<int64_t>(indices.size()) / (lines.outer * lines.inner);
  // Whole rows of `inner` elements, so that adjacent ones are visited together.
  const int64_t grain =
      std::max<int64_t>(1, kElementsAThread / (count * lines.inner));
  ParallelFor(0, lines.outer, grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      for (int64_t p = 0; p < count; ++p) {
        const int64_t row = (o * count + p) * lines.inner;
        for (int64_t i = 0; i < lines.inner; ++i) {
          fn((o * lines.extent + indices[row + i]) * lines.inner + i, row + i);
        }
      }
    }
  });
}

}  // namespace

absl::StatusOr<Workspace<int64_t>> CheckedIndices(Allocator& allocator,
                                                  std::string_view argument,
                                                  const DenseTensor& indices,
                                                  int64_t extent) {
  return indices.dtype() == DataType::kInt32
             ? Checked<int32_t>(allocator, argument, indices, extent)
             : Checked<int64_t>(allocator, argument, indices, extent);
}

void CopyAll(const DenseTensor& x, DenseTensor* out) {
  const int64_t bytes =
      x.numel() * static_cast<int64_t>(ElementSize(x.dtype()));
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = out->mutable_data<char>();
  if (from == to) return;  // In place.
  ParallelFor(0, bytes, 4 * kBytesAThread, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

void MoveSlices(const DenseTensor& x, const AxisSlices& lines,
                absl::Span<const int64_t> indices, DenseTensor* out) {
  if (out->numel() == 0) return;
  const size_t size = ElementSize(x.dtype());
  const int64_t count = static_cast<int64_t>(indices.size());
  const int64_t bytes = lines.inner * static_cast<int64_t>(size);
  const int64_t grain = std::max<int64_t>(1, kBytesAThread / (bytes + 8));
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = out->mutable_data<char>();
  ParallelFor(0, lines.outer * count, grain, [&](int64_t begin, int64_t end) {
    const auto source = [&](int64_t row) {
      return row / count * lines.extent + indices[row % count];
    };
    if (lines.inner > 1) {
      for (int64_t row = begin; row < end; ++row) {
        std::memcpy(to + row * bytes, from + source(row) * bytes, bytes);
      }
      return;
    }
    WithElement(size, [&](auto element) {
      using T = decltype(element);
      for (int64_t row = begin; row < end; ++row) {
        reinterpret_cast<T*>(to)[row] =
            reinterpret_cast<const T*>(from)[source(row)];
      }
    });
  });
}

void PutSlices(const DenseTensor& updates, const AxisSlices& lines,
               absl::Span<const int64_t> indices, DenseTensor* out) {
  const int64_t bytes =
      lines.inner * static_cast<int64_t>(ElementSize(out->dtype()));
  if (bytes == 0) return;
  const char* from = static_cast<const char*>(updates.raw_data());
  char* to = out->mutable_data<char>();
  // In order: the last one wins.
  for (size_t i = 0; i < indices.size(); ++i) {
    std::memcpy(to + indices[i] * bytes, from + static_cast<int64_t>(i) * bytes,
                bytes);
  }
}

void TakeElements(const DenseTensor& arr, const AxisSlices& lines,
                  absl::Span<const int64_t> indices, DenseTensor* out) {
  WithElement(ElementSize(arr.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = static_cast<const T*>(arr.raw_data());
    T* to = out->mutable_data<T>();
    ForEachIndexed(lines, indices, [=](int64_t there, int64_t here) {
      to[here] = from[there];
    });
  });
}

void PutElements(const DenseTensor& values, const AxisSlices& lines,
                 absl::Span<const int64_t> indices, DenseTensor* out) {
  WithElement(ElementSize(values.dtype()), [&](auto element) {
    using T = decltype(element);
    const T* from = static_cast<const T*>(values.raw_data());
    T* to = out->mutable_data<T>();
    ForEachIndexed(lines, indices, [=](int64_t there, int64_t here) {
      to[there] = from[here];
    });
  });
}

}  // namespace switchyard::phi::kernels::cpu
