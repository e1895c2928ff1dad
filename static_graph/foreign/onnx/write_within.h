// SPDX-License-Identifier: Apache-2.0
// WriteWithin: WriteModel() (written_model.h) with a limit of one's own.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITE_WITHIN_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITE_WITHIN_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "static_graph/foreign/onnx/written_model.h"

namespace switchyard::static_graph {

// As WriteModel(), where a message may take `most` bytes.
absl::Status WriteWithin(const WrittenModel& model, const std::string& path,
                         ExternalData external, uint64_t most);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITE_WITHIN_H_
