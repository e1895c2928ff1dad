// SPDX-License-Identifier: Apache-2.0
#include "library/caller_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/memory/cpu_allocator.h"

namespace switchyard::library {
namespace {

int64_t SizeOf(DataType dtype) {
  return static_cast<int64_t>(ElementSize(dtype));
}

// Strides in bytes of what lies row-major without gaps.
Strides RowMajor(DataType dtype, const Shape& shape) {
  Strides strides = ContiguousStrides(shape);
  for (int64_t& stride : strides) stride *= SizeOf(dtype);
  return strides;
}

absl::Status CheckStrides(const Shape& shape, const int64_t* byte_strides,
                          Strides* strides) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (byte_strides[axis] < 0) {
      return ArgumentError("byte_strides", "at least 0",
                           absl::StrCat(byte_strides[axis]));
    }
    (*strides)[axis] = byte_strides[axis];
  }
  return absl::OkStatus();
}

// Returns the bytes from the first element to the end of the last one;
// SizeError where they leave int64.
absl::StatusOr<int64_t> SpanOf(const CallerBuffer& buffer) {
  if (buffer.shape.numel() == 0) return 0;
  int64_t span = SizeOf(buffer.dtype);
  for (int axis = 0; axis < buffer.shape.rank(); ++axis) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(buffer.shape.extent(axis) - 1,
                               buffer.byte_strides[axis], &reach) ||
        __builtin_add_overflow(span, reach, &span)) {
      return SizeError("byte_strides", "such that offsets fit in 63 bits",
                       absl::StrCat(buffer.byte_strides[axis]));
    }
  }
  return span;
}

// The geometry of a copy: strides count bytes.
struct Rows {
  Shape shape;
  Strides from;
  Strides to;
};

// Copies elements of `size` bytes, by the strides in bytes.
void CopyBytes(int64_t size, const Rows& rows, const char* from, char* to) {
  const int rank = rows.shape.rank();
  if (rows.shape.numel() == 0) return;
  // The innermost axes that lie without gaps on both sides are one piece.
  int outer = rank;
  int64_t piece = size;
  while (outer > 0 && rows.from[outer - 1] == piece &&
         rows.to[outer - 1] == piece) {
    piece *= rows.shape.extent(--outer);
  }
  int64_t index[kMaxRank] = {};
  while (true) {
    std::memcpy(to, from, static_cast<size_t>(piece));
    int axis = outer - 1;
    for (; axis >= 0; --axis) {
      from += rows.from[axis];
      to += rows.to[axis];
      if (++index[axis] < rows.shape.extent(axis)) break;
      from -= rows.from[axis] * index[axis];
      to -= rows.to[axis] * index[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

absl::Status CheckBools(const DenseTensor& tensor) {
  if (tensor.dtype() != DataType::kBool) return absl::OkStatus();
  const auto* bytes = static_cast<const uint8_t*>(tensor.raw_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    if (bytes[i] > 1) {
      return ArgumentError("data", "0 or 1 in each byte of bool",
                           absl::StrCat(int{bytes[i]}));
    }
  }
  return absl::OkStatus();
}

bool IsAligned(const CallerBuffer& buffer) {
  const auto address = reinterpret_cast<uintptr_t>(buffer.data);
  return address % static_cast<uintptr_t>(SizeOf(buffer.dtype)) == 0;
}

}  // namespace

absl::StatusOr<CallerBuffer> MakeCallerBuffer(DataType dtype, int32_t rank,
                                              const int64_t* extents,
                                              const int64_t* byte_strides,
                                              const void* data, size_t bytes) {
  CallerBuffer buffer;
  buffer.dtype = dtype;
  buffer.data = static_cast<char*>(const_cast<void*>(data));
  buffer.bytes = bytes;
  if (rank < 0 || rank > kMaxRank) {
    return ArgumentError("rank", absl::StrCat("in [0, ", kMaxRank, "]"),
                         absl::StrCat(rank));
  }
  if (rank > 0 && extents == nullptr) {
    return ArgumentError("extents", "a pointer", "null");
  }
  SY_ASSIGN_OR_RETURN(buffer.shape,
                      Shape::Make({extents, static_cast<size_t>(rank)}));
  SY_RETURN_IF_ERROR(CheckedByteSize(dtype, buffer.shape).status());
  buffer.byte_strides = RowMajor(dtype, buffer.shape);
  if (byte_strides != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckStrides(buffer.shape, byte_strides, &buffer.byte_strides));
  }
  SY_ASSIGN_OR_RETURN(const int64_t span, SpanOf(buffer));
  buffer.used = static_cast<size_t>(span);
  if (buffer.used > bytes) {
    return ArgumentError(
        "bytes",
        absl::StrCat("at least ", buffer.used, " for ", ToString(buffer.shape)),
        absl::StrCat(bytes));
  }
  if (buffer.used > 0 && data == nullptr) {
    return ArgumentError("data", "a pointer", "null");
  }
  return buffer;
}

absl::Status CheckElementsApart(const CallerBuffer& buffer) {
  std::vector<std::pair<int64_t, int64_t>> axes;  // Strides and extents.
  for (int axis = 0; axis < buffer.shape.rank(); ++axis) {
    axes.emplace_back(buffer.byte_strides[axis], buffer.shape.extent(axis));
  }
  std::sort(axes.begin(), axes.end());
  int64_t span = SizeOf(buffer.dtype);
  for (const auto& [stride, extent] : axes) {
    if (extent <= 1) continue;
    if (stride < span) {
      return ArgumentError("byte_strides", "such that elements lie apart",
                           absl::StrCat(stride));
    }
    span += stride * (extent - 1);  // At most SpanOf().
  }
  return absl::OkStatus();
}

bool Overlap(const CallerBuffer& a, const CallerBuffer& b) {
  const auto begin_a = reinterpret_cast<uintptr_t>(a.data);
  const auto begin_b = reinterpret_cast<uintptr_t>(b.data);
  if (a.used == 0 || b.used == 0) return false;
  return begin_a < begin_b ? begin_b - begin_a < a.used
                           : begin_a - begin_b < b.used;
}

absl::StatusOr<DenseTensor> TensorOf(const CallerBuffer& buffer) {
  SY_ASSIGN_OR_RETURN(
      DenseTensor tensor,
      DenseTensor::Allocate(buffer.dtype, buffer.shape, CpuAllocator()));
  CopyBytes(
      SizeOf(buffer.dtype),
      {buffer.shape, buffer.byte_strides, RowMajor(buffer.dtype, buffer.shape)},
      buffer.data, tensor.mutable_data<char>());
  SY_RETURN_IF_ERROR(CheckBools(tensor));
  return tensor;
}

absl::StatusOr<DenseTensor> TensorOver(const CallerBuffer& buffer) {
  const bool row_major =
      buffer.byte_strides == RowMajor(buffer.dtype, buffer.shape);
  if (!row_major || !IsAligned(buffer) || buffer.used == 0) {
    return TensorOf(buffer);
  }
  DenseTensor tensor;
  tensor.SetMeta(buffer.dtype, buffer.shape, Place::Cpu());
  tensor.SetBuffer(Buffer::Wrap(
      buffer.data, buffer.used, Place::Cpu(), [](void*) {}, nullptr));
  SY_RETURN_IF_ERROR(CheckBools(tensor));
  return tensor;
}

bool Fits(const Shape& shape, const CallerBuffer& buffer) {
  if (!buffer.any_shape) return shape == buffer.shape;
  const auto size = CheckedByteSize(buffer.dtype, shape);
  return size.ok() && static_cast<size_t>(*size) <= buffer.bytes;
}

void CopyTo(const DenseTensor& tensor, const CallerBuffer& buffer) {
  const DataType dtype = tensor.dtype();
  Strides from = tensor.strides();
  for (int64_t& stride : from) stride *= SizeOf(dtype);
  const Strides to =
      buffer.any_shape ? RowMajor(dtype, tensor.shape()) : buffer.byte_strides;
  CopyBytes(SizeOf(dtype), {tensor.shape(), from, to}, tensor.data<char>(),
            buffer.data);
}

}  // namespace switchyard::library
