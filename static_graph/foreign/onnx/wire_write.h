// SPDX-License-Identifier: Apache-2.0
// WireWriter: writes the fields of a protocol buffer, as wire_scan.h reads
// them.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_WRITE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_WRITE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::static_graph {

// A message that grows at its end, field by field. A plain value.
class WireWriter {
 public:
  const std::string& bytes() const { return bytes_; }

  void Number(int field, int64_t value);
  void Float(int field, float value);
  void Bytes(int field, std::string_view bytes);
  // Writes what stands before the `size` bytes of a field that are written
  // elsewhere.
  void Head(int field, uint64_t size);

 private:
  void Varint(uint64_t value);

  std::string bytes_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_WRITE_H_
