// SPDX-License-Identifier: Apache-2.0
// WeightReader: tensors out of the weight streams of old PaddlePaddle models.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WEIGHT_STREAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WEIGHT_STREAM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/base/byte_source.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::static_graph {

// Reads tensors out of the weight streams of old PaddlePaddle models. A stream
// is, little-endian: u32 version (0); u64 number of levels of detail, for each
// a u64 size in bytes and that many bytes of u64 offsets; u32 tensor version
// (0); i32 size of a serialized TensorDesc (program_desc.proto) and that; the
// elements, row-major. There is no checksum and no length of the whole, so
// everything is checked against what the program says of the variable, and no
// size is believed before that many bytes are there. Elements go straight into
// the tensor's memory.
class WeightReader {
 public:
  // Refers to `source`, of one stream or of several.
  explicit WeightReader(ByteSource* source)
      : source_(*source), size_(source->left()) {}

  // The next stream as a tensor on the CPU. `variable` names it in errors,
  // `spec` is the program's description of it (of known shape).
  // InvalidArgument for anything that contradicts the format or `spec`;
  // Unavailable if the source can't be read.
  absl::StatusOr<DenseTensor> Read(std::string_view variable,
                                   const TensorSpec& spec);

  // InvalidArgument if bytes are left.
  absl::Status Finish() const;

 private:
  // InvalidArgument if there are fewer than `size` bytes.
  absl::Status CheckLeft(uint64_t size, std::string_view what) const;
  // The next `size` bytes.
  absl::StatusOr<std::string> Take(uint64_t size, std::string_view what);
  template <typename T>
  absl::StatusOr<T> Number(std::string_view what);
  absl::Status ReadVersion(std::string_view what);
  absl::StatusOr<LoD> ReadLod();
  absl::Status CheckDescription(const TensorSpec& spec);
  absl::StatusOr<DenseTensor> ReadTensor(const TensorSpec& spec);

  ByteSource& source_;
  const size_t size_;  // Of the whole source.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WEIGHT_STREAM_H_
