// SPDX-License-Identifier: Apache-2.0
// ReadSegmentInputs: the inputs that a segment of a plan (late_runner.h) is
// specialized for.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_KEY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_KEY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/segment_input.h"

namespace switchyard::static_graph {

// Elements that decide shapes are few; more are not looked at.
inline constexpr int64_t kMaxReadElements = phi::kMaxArgElements;

// Sets `inputs` to those of `values`, by ValueId, that are there and used from
// instruction `begin` on: their metadata and, where shapes may depend on them,
// their elements. Returns a key that is equal for equal ones. Errors are those
// of reading a device's elements.
absl::StatusOr<std::string> ReadSegmentInputs(
    const Plan& block, int begin, absl::Span<const RunValue> values,
    std::vector<SegmentInput>* inputs);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_KEY_H_
