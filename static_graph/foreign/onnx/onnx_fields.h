// SPDX-License-Identifier: Apache-2.0
// The numbers of ONNX's messages, as its specification has them (onnx.proto,
// IR versions 3 to 14): which field of which message is what. Only those that
// are read or written here.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_FIELDS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_FIELDS_H_

#include <cstdint>

namespace switchyard::static_graph::onnx {

// The fields of ModelProto.
struct Model {
  enum : int {
    kIrVersion = 1,
    kProducer = 2,
    kProducerVersion = 3,
    kDoc = 6,
    kGraph = 7,
    kOpsetImport = 8,
    kMetadata = 14,
    kFunctions = 25,
  };
};

// The fields of OperatorSetIdProto.
struct OperatorSetId {
  enum : int { kDomain = 1, kVersion = 2 };
};

// The fields of GraphProto.
struct Graph {
  enum : int {
    kNode = 1,
    kName = 2,
    kInitializer = 5,
    kInput = 11,
    kOutput = 12,
    kSparseInitializer = 15,
  };
};

// The fields of NodeProto.
struct Node {
  enum : int {
    kInput = 1,
    kOutput = 2,
    kName = 3,
    kOpType = 4,
    kAttribute = 5,
    kDomain = 7,
    kOverload = 8,
  };
};

// The fields of FunctionProto.
struct Function {
  enum : int {
    kName = 1,
    kInput = 4,
    kOutput = 5,
    kNode = 7,
    kOpsetImport = 9,
    kDomain = 10,
    kAttributeProto = 11,
    kOverload = 13,
  };
};

// The fields of AttributeProto.
struct AttributeField {
  enum : int {
    kName = 1,
    kFloat = 2,
    kInt = 3,
    kText = 4,
    kTensor = 5,
    kGraph = 6,
    kFloats = 7,
    kInts = 8,
    kTexts = 9,
    kType = 20,
    kReference = 21,
    kSparse = 22,
  };
};

// AttributeProto.type.
struct AttributeType {
  enum : int {
    kFloat = 1,
    kInt = 2,
    kText = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kTexts = 8,
    kSparse = 11,
  };
};

// The fields of ValueInfoProto.
struct ValueInfo {
  enum : int { kName = 1, kType = 2 };
};

// The fields of TypeProto.
struct Type {
  enum : int { kTensor = 1, kSequence = 4, kOptional = 9 };
};

// TypeProto.Tensor; of a sequence and an optional, the first field is the type
// of the elements.
struct TensorType {
  enum : int { kElement = 1, kShape = 2 };
};

// The fields of TensorShapeProto.
struct ShapeField {
  enum : int { kDim = 1 };
};

// The fields of TensorShapeProto.Dimension.
struct Dimension {
  enum : int { kValue = 1, kSymbol = 2 };
};

// The fields of TensorProto.
struct Tensor {
  enum : int {
    kDims = 1,
    kDataType = 2,
    kSegment = 3,
    kFloats = 4,
    kInt32s = 5,
    kTexts = 6,
    kInt64s = 7,
    kName = 8,
    kRaw = 9,
    kDoubles = 10,
    kUint64s = 11,
    kExternalData = 13,
    kLocation = 14,
  };
};

// The fields of SparseTensorProto.
struct Sparse {
  enum : int { kValues = 1, kIndices = 2, kDims = 3 };
};

// TensorProto.data_location.
inline constexpr int64_t kExternalLocation = 1;

// An entry of a list of names and texts.
struct Entry {
  enum : int { kKey = 1, kValue = 2 };
};

}  // namespace switchyard::static_graph::onnx

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_FIELDS_H_
