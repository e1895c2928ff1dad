// SPDX-License-Identifier: Apache-2.0
// The calls that a program's author makes, under the thread's autocast.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_AUTOCAST_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_AUTOCAST_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/build_op.h"

namespace switchyard::static_graph {

// BuildOp() with op.cast operations before it where the operator's rule of
// autocast (phi/promotion/autocast.h) asks for them; in-place variants are
// built as they come. Errors are BuildOp()'s and leave the program as it is.
absl::Status CallOp(ir::Builder& builder, const DialectOp& op,
                    const InputValues& inputs, absl::Span<const AttrRef> attrs,
                    std::vector<ir::Value>* results,
                    const BuildOpOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_AUTOCAST_H_
