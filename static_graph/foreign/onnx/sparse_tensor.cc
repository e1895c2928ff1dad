// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/sparse_tensor.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/memory/cpu_allocator.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/wire_scan.h"

namespace switchyard::static_graph {
namespace {

absl::Status CheckPorts(const OnnxSparseTensor& tensor) {
  const Shape& values = tensor.values.spec.shape;
  if (values.rank() != 1) {
    return ArgumentError("values", "of one axis", ToString(values));
  }
  const Shape& indices = tensor.indices.spec.shape;
  const Dim rank(tensor.spec.shape.rank());
  const bool fits = tensor.indices.spec.dtype == DataType::kInt64 &&
                    (indices == values || indices == Shape({values[0], rank}));
  if (fits) return absl::OkStatus();
  return ArgumentError(
      "indices",
      absl::StrCat("int64, of shape ", ToString(values), " or ",
                   ToString(Shape({values[0], rank}))),
      absl::StrCat(std::string(Name(tensor.indices.spec.dtype)),
                   ToString(indices)));
}

// Where the element is that `numbers` tell: a place in all of them, or one on
// each axis.
absl::StatusOr<int64_t> PlaceOf(const Shape& shape,
                                absl::Span<const int64_t> numbers,
                                bool by_axis) {
  const auto outside = [](int64_t index, int64_t count) {
    return ArgumentError("indices", absl::StrCat("in [0, ", count, ")"),
                         absl::StrCat(index));
  };
  if (!by_axis) {
    const int64_t place = numbers[0];
    if (place >= 0 && place < shape.numel()) return place;
    return outside(place, shape.numel());
  }
  int64_t place = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t index = numbers[static_cast<size_t>(axis)];
    const int64_t extent = shape.extent(axis);
    if (index < 0 || index >= extent) return outside(index, extent);
    place = place * extent + index;
  }
  return place;
}

}  // namespace

absl::StatusOr<OnnxSparseTensor> ReadSparseTensor(std::string_view message) {
  OnnxSparseTensor tensor;
  std::vector<int64_t> extents;
  std::string_view values, indices;
  WireScan fields(message);
  bool sound = true;
  while (fields.Next()) {
    switch (fields.number()) {
      case onnx::Sparse::kValues:
        values = fields.bytes();
        break;
      case onnx::Sparse::kIndices:
        indices = fields.bytes();
        break;
      case onnx::Sparse::kDims:
        sound &= AddIntegers(fields, &extents);
        break;
      default:
        break;
    }
  }
  if (!sound || !fields.sound()) {
    return absl::InvalidArgumentError("its bytes are not a sparse tensor");
  }
  SY_ASSIGN_OR_RETURN(tensor.values, ReadOnnxTensor(values));
  SY_ASSIGN_OR_RETURN(tensor.indices, ReadOnnxTensor(indices));
  tensor.spec.dtype = tensor.values.spec.dtype;
  if (tensor.spec.dtype == DataType::kString) {
    return TypeError("values", "numbers", Name(tensor.spec.dtype));
  }
  SY_ASSIGN_OR_RETURN(tensor.spec.shape, ShapeOfExtents(extents));
  SY_ASSIGN_OR_RETURN(tensor.byte_size,
                      CheckedByteSize(tensor.spec.dtype, tensor.spec.shape));
  SY_RETURN_IF_ERROR(CheckPorts(tensor));
  return tensor;
}

absl::StatusOr<DenseTensor> MakeDenseTensor(const OnnxSparseTensor& tensor,
                                            ExternalFiles* files) {
  SY_ASSIGN_OR_RETURN(const OnnxElements values,
                      ReadOnnxElements(tensor.values, files));
  SY_ASSIGN_OR_RETURN(const OnnxElements indices,
                      ReadOnnxElements(tensor.indices, files));
  SY_ASSIGN_OR_RETURN(DenseTensor dense,
                      DenseTensor::Allocate(tensor.spec.dtype,
                                            tensor.spec.shape, CpuAllocator()));
  char* const elements = dense.mutable_data<char>();
  if (tensor.byte_size > 0) {
    std::memset(elements, 0, static_cast<size_t>(tensor.byte_size));
  }
  const size_t unit = ElementSize(tensor.spec.dtype);
  const bool by_axis = tensor.indices.spec.shape.rank() == 2;
  std::vector<int64_t> numbers(
      by_axis ? static_cast<size_t>(tensor.spec.shape.rank()) : 1);
  const size_t row = numbers.size() * sizeof(int64_t);
  for (size_t i = 0; i < values.bytes.size() / unit; ++i) {
    // A tensor of no axes has no numbers.
    if (row > 0) std::memcpy(numbers.data(), &indices.bytes[i * row], row);
    SY_ASSIGN_OR_RETURN(const int64_t place,
                        PlaceOf(tensor.spec.shape, numbers, by_axis));
    std::memcpy(elements + static_cast<size_t>(place) * unit,
                &values.bytes[i * unit], unit);
  }
  return dense;
}

}  // namespace switchyard::static_graph
