// SPDX-License-Identifier: Apache-2.0
// OnnxTensor: what a TensorProto says, and its elements, which stay in the file
// where they can be used as they lie there.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_TENSOR_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_TENSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/foreign/onnx/external_data.h"

namespace switchyard::static_graph {

// A tensor of a file, without its elements. Refers into the message.
struct OnnxTensor {
  std::string_view message;
  std::string_view name;
  TensorSpec spec;        // Dense or texts, of known shape.
  int64_t byte_size = 0;  // Of its elements in memory, unless they are texts.
  bool external = false;  // They are in another file.
};

// The elements of a tensor, row-major and little-endian.
struct OnnxElements {
  std::string_view bytes;
  // Keeps the bytes where they are not in the file of the message.
  std::shared_ptr<const void> keeper;
};

// ArgumentError for negative extents, and for more of them than tensors have.
absl::StatusOr<Shape> ShapeOfExtents(absl::Span<const int64_t> extents);

// Reads a TensorProto, whose bytes outlive the result. InvalidArgument for
// bytes that are none, a negative extent, more bytes than int64 counts, an
// element type that is none, or a tensor in segments; TypeError for texts.
absl::StatusOr<OnnxTensor> ReadOnnxTensor(std::string_view message);

// Returns the elements: in place if they are raw, else decoded from the fields
// of their type; those of fewer than 8 bits a byte each. ArgumentError where
// there are more or fewer than the shape says, where a bool is neither 0 nor 1,
// and for ranges beyond the other file; errors of ExternalFiles::Map().
// TypeError for texts.
absl::StatusOr<OnnxElements> ReadOnnxElements(const OnnxTensor& tensor,
                                              ExternalFiles* files);

// Returns the texts that are its elements. ArgumentError where there are more
// or fewer than the shape says.
absl::StatusOr<std::vector<std::string>> ReadOnnxTexts(
    const OnnxTensor& tensor);

// Returns the tensor over its elements, copied only where they are not aligned
// for their type. `owner` keeps the message's bytes.
absl::StatusOr<DenseTensor> MakeDenseTensor(const OnnxTensor& tensor,
                                            std::shared_ptr<const void> owner,
                                            ExternalFiles* files);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_TENSOR_H_
