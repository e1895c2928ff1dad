// SPDX-License-Identifier: Apache-2.0
// CallerBuffer: elements in memory of the library's host.
#ifndef SWITCHYARD_LIBRARY_CALLER_BUFFER_H_
#define SWITCHYARD_LIBRARY_CALLER_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "library/include/switchyard.h"

namespace switchyard::library {

// Says where elements lie: strides count bytes and are not negative. All of
// them are within `bytes` bytes at `data`.
struct CallerBuffer {
  DataType dtype = DataType::kUndefined;
  bool any_shape = false;  // Row-major, of whatever shape: no extents, strides.
  Shape shape;
  Strides byte_strides = {};
  char* data = nullptr;
  size_t bytes = 0;
  size_t used = 0;  // Of `bytes`; all of them for any shape.
};

// Makes one of what a function of the interface was given; null strides are
// row-major without gaps. Errors: ArgumentError for a rank, extents, strides or
// bytes that can't be.
absl::StatusOr<CallerBuffer> MakeCallerBuffer(DataType dtype, int32_t rank,
                                              const int64_t* extents,
                                              const int64_t* byte_strides,
                                              const void* data, size_t bytes);

// Returns OK if no two elements share a byte, as those of an output: strides in
// ascending order leave room for what lies between. ArgumentError otherwise.
absl::Status CheckElementsApart(const CallerBuffer& buffer);

// Returns true if the two have bytes in common, gaps between elements counted.
bool Overlap(const CallerBuffer& a, const CallerBuffer& b);

// Returns a tensor of these elements: over the memory itself where kernels can
// read it as it lies, else of a copy. ArgumentError for a bool that is neither
// 0 nor 1, ResourceExhausted if there is no memory for a copy.
absl::StatusOr<DenseTensor> TensorOver(const CallerBuffer& buffer);
// Returns a tensor of a copy, with the same errors.
absl::StatusOr<DenseTensor> TensorOf(const CallerBuffer& buffer);

// Returns true if a tensor of this shape can be written to the buffer.
bool Fits(const Shape& shape, const CallerBuffer& buffer);
// Writes a tensor that fits, of the same dtype.
void CopyTo(const DenseTensor& tensor, const CallerBuffer& buffer);

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_CALLER_BUFFER_H_
