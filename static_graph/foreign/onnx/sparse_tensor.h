// SPDX-License-Identifier: Apache-2.0
// OnnxSparseTensor: what a SparseTensorProto says. What it holds becomes a
// dense tensor: operators take no others.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SPARSE_TENSOR_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SPARSE_TENSOR_H_

#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/foreign/onnx/external_data.h"
#include "static_graph/foreign/onnx/onnx_tensor.h"

namespace switchyard::static_graph {

// A tensor whose elements are 0 except a list of values, without those.
struct OnnxSparseTensor {
  OnnxTensor values;      // [n]. Its name is the tensor's.
  OnnxTensor indices;     // int64, [n] or [n, rank].
  TensorSpec spec;        // Of the whole tensor.
  int64_t byte_size = 0;  // Of the whole tensor.
};

// Reads a SparseTensorProto, whose bytes outlive the result. The errors of
// ReadOnnxTensor(); ArgumentError for values and indices of other shapes.
absl::StatusOr<OnnxSparseTensor> ReadSparseTensor(std::string_view message);

// Returns all elements. The errors of ReadOnnxElements(); ArgumentError for an
// index outside the shape.
absl::StatusOr<DenseTensor> MakeDenseTensor(const OnnxSparseTensor& tensor,
                                            ExternalFiles* files);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SPARSE_TENSOR_H_
